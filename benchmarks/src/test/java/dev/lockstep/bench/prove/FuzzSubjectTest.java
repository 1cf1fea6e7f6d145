package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseFailedException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The judge of the fuzz proof: which typed errors it takes, and what it makes of memory. */
class FuzzSubjectTest {
    private static Optional<Throwable> untypedPart(LockstepException typed) {
        return FuzzSubject.untypedPart(typed);
    }

    private static LockstepException failed(Throwable cause) {
        return new DatabaseFailedException("failed", cause);
    }

    @Test
    void typedErrorsMayBeMadeOfTypedErrors() {
        assertEquals(Optional.empty(), untypedPart(new CorruptionException("broken")));
        assertEquals(Optional.empty(), untypedPart(failed(new CorruptionException("broken"))));
        assertEquals(
                Optional.empty(), untypedPart(failed(new StorageException("refused", new IOException("no medium")))));
    }

    @Test
    void corruptionMayBeMadeOfAReadBeyondAPage() {
        for (RuntimeException misfit : List.of(
                new IndexOutOfBoundsException(),
                new IllegalArgumentException(),
                new NegativeArraySizeException(),
                new BufferUnderflowException())) {
            assertEquals(Optional.empty(), untypedPart(new CorruptionException("broken", misfit)));
            assertEquals(Optional.empty(), untypedPart(failed(new CorruptionException("broken", misfit))));
            assertEquals(Optional.of(misfit), untypedPart(failed(misfit)), "nobody has made that of it");
        }
        AssertionError assertion = new AssertionError();
        assertEquals(Optional.of(assertion), untypedPart(new CorruptionException("broken", assertion)));
        IllegalStateException state = new IllegalStateException();
        assertEquals(Optional.of(state), untypedPart(new CorruptionException("broken", state)));
    }

    @Test
    void whatEndsAThreadOfTheEngineIsFoundInsideOfATypedError() {
        for (Throwable untyped : List.of(
                new AssertionError("never"),
                new OutOfMemoryError("heap"),
                new StackOverflowError(),
                new IllegalStateException("never"),
                new NullPointerException(),
                new UncheckedIOException(new IOException("of whom")),
                new InterruptedException())) {
            assertEquals(Optional.of(untyped), untypedPart(failed(untyped)));
            assertEquals(Optional.of(untyped), untypedPart(failed(failed(untyped))), "two threads have handed it on");
            assertEquals(
                    Optional.of(untyped), untypedPart(failed(new IOException("of a disk", untyped))), "below a disk's");
            LockstepException suppressing = new CorruptionException("broken");
            suppressing.addSuppressed(failed(untyped));
            assertEquals(Optional.of(untyped), untypedPart(failed(suppressing)), "suppressed by a cause");
        }
    }

    @Test
    void causesThatGoInACircleEnd() {
        IOException one = new IOException("one");
        IOException other = new IOException("other", one);
        one.initCause(other);
        assertEquals(Optional.empty(), untypedPart(failed(one)));
        assertTrue(FuzzSubject.describe(failed(one)).contains("caused by java.io.IOException: one"));
    }

    @Test
    void moreMemoryThanTheLimitFailsWhateverCameOfTheInput() {
        FuzzVerdict within = FuzzVerdict.of(FuzzOutcome.CORRECT, FuzzProof.NATIVE_BYTES_MAX, "");
        assertEquals(FuzzOutcome.CORRECT, within.outcome());
        assertEquals(
                FuzzOutcome.TYPED_ERROR,
                FuzzVerdict.of(FuzzOutcome.TYPED_ERROR, ProcessMemory.UNKNOWN, "")
                        .outcome());
        FuzzVerdict beyond = FuzzVerdict.of(FuzzOutcome.CORRECT, FuzzProof.NATIVE_BYTES_MAX + 1, "");
        assertEquals(FuzzOutcome.FAILED, beyond.outcome());
        assertTrue(beyond.words().contains("nativeBytesMax=" + FuzzProof.NATIVE_BYTES_MAX), beyond::words);
    }
}
