package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SteadyStateTest {
    private static final List<CompiledMethod> MACHINE = List.of(
            new CompiledMethod("a.A.f(I)V", 4, 600, false),
            new CompiledMethod("a.A.f(J)V", 4, 400, false),
            new CompiledMethod("a.A.f(J)V", 3, 9_000, false),
            new CompiledMethod("a.A.first()V", 4, 100, false));

    private static SteadyState state(double simulated, double machine) {
        return new SteadyState(simulated, machine, 1_000, 0, List.of());
    }

    @Test
    void aMeasurementCountsInTheNativeSteadyState() {
        assertTrue(state(0.97, 0.99).counts());
        assertTrue(state(0.95, 0.95).counts());
        assertFalse(state(0.949, 0.95).counts());
        assertFalse(state(0.96, 0.995).counts(), "too far below");
        assertFalse(state(0.99, 0.95).counts(), "too far above");
        assertTrue(state(0.94, 0.97).sentences().getFirst().startsWith("NOT STEADY"));
        assertTrue(state(0.97, 0.97).sentences().getFirst().startsWith("Steady: C2 had compiled 97.0 %"));
    }

    @Test
    void sizesAreThoseOfC2() {
        List<CompiledMethod> emulated = List.of(
                new CompiledMethod("a.A.f(I)V", 4, 620, false), new CompiledMethod("a.A.f(J)V", 4, 4_000, false));
        List<CompiledSize> sizes = CompiledSize.of(List.of("a.A.f(I)V", "a.A.first()V"), 10, MACHINE, emulated);
        assertEquals(List.of(new CompiledSize("a.A.f(I)V", 600, 620), new CompiledSize("a.A.first()V", 100, 0)), sizes);
        assertTrue(sizes.getFirst().agrees());
        assertFalse(sizes.getLast().agrees());
        SteadyState marked = new SteadyState(0.97, 0.97, 1_000, 0.3, sizes);
        assertTrue(marked.codeIsTheControls());
        assertFalse(marked.sizesAgree());
        assertFalse(marked.jvmIsQuiet());
        assertFalse(marked.counts(), "it compiled while it was measured");
        assertEquals(
                List.of(
                        "NOT QUIET, counts for nothing: Collections and compilations in the measured phase: 30.0 % of"
                                + " the workload's instructions (at most 25 %).",
                        "Remedy: run more before measuring, by --warmup-transactions of tpcc, by -wi or -w of jmh, or"
                                + " in a program of your own before it marks the phase.",
                        "MARKED: The compiled sizes of 1 of the 2 hottest methods agree within 5 %.",
                        "  a.A.first()V natively 100 bytes, simulated 0"),
                marked.sentences().subList(1, 5));
        SteadyState steady = new SteadyState(0.97, 0.97, 1_000, SteadyState.JVM_SHARE_MAX, sizes.subList(0, 1));
        assertTrue(steady.sizesAgree());
        assertTrue(steady.counts());
    }

    /** A method that is entered once, and runs a loop for ever, has no other code. */
    @Test
    void codeOfLoopsIsComparedWhereThereIsNoOther() {
        List<CompiledMethod> machine = List.of(
                new CompiledMethod("a.A.f()V", 4, 500, true),
                new CompiledMethod("a.A.g()V", 4, 100, false),
                new CompiledMethod("a.A.g()V", 4, 900, true));
        List<CompiledMethod> emulated =
                List.of(new CompiledMethod("a.A.f()V", 4, 510, true), new CompiledMethod("a.A.g()V", 4, 100, false));
        List<String> methods = List.of("a.A.f()V", "a.A.none()V", "a.A.g()V");
        List<CompiledSize> sizes = CompiledSize.of(methods, 10, machine, emulated);
        assertEquals(List.of(new CompiledSize("a.A.f()V", 500, 510), new CompiledSize("a.A.g()V", 100, 100)), sizes);
        assertEquals(sizes.subList(0, 1), CompiledSize.of(methods, 1, machine, emulated));
    }

    @Test
    void fiveInAHundredIsTheLimit() {
        assertTrue(new CompiledSize("m", 1_000, 1_050).agrees());
        assertTrue(new CompiledSize("m", 1_000, 950).agrees());
        assertFalse(new CompiledSize("m", 1_000, 1_051).agrees());
        assertFalse(new CompiledSize("m", 0, 0).agrees());
    }

    @Test
    void compiledMethodsAreReadAsTheJvmListsThem() {
        Set<String> ofLoops = CompiledMethod.ofLoops(Stream.of(
                "   3     n 0       jdk.internal.misc.Unsafe::getInt (native)",
                "  12 %     4       java.lang.String::hashCode @ 10 (60 bytes)",
                " 130       4       java.lang.String::hashCode (60 bytes)",
                "  12 %     4       java.lang.String::hashCode @ 10 (60 bytes)   made not entrant"));
        assertEquals(Set.of("12"), ofLoops);
        Stream<String> list = Stream.of(
                "3 0 0 jdk.internal.misc.Unsafe.getInt(Ljava/lang/Object;J)I [0x7008, 0x7100 - 0x7560]",
                "16 4 1 java.lang.Object.<init>()V [0x7588, 0x7680 - 0x76f8]",
                "12 4 0 java.lang.String.hashCode()I [0x8008, 0x8100 - 0x8560]",
                "130 4 0 java.lang.String.hashCode()I [0x00007f7537ed0788, 0x00007f7537ed0880 - 0x00007f7537ed09a8]",
                "no line of the list");
        List<CompiledMethod> methods = CompiledMethod.parse(list, ofLoops);
        assertEquals(
                List.of(
                        new CompiledMethod("jdk.internal.misc.Unsafe.getInt(Ljava/lang/Object;J)I", 0, 0x460, false),
                        new CompiledMethod("java.lang.String.hashCode()I", 4, 0x460, true),
                        new CompiledMethod("java.lang.String.hashCode()I", 4, 0x128, false)),
                methods);
    }

    @Test
    void thisJvmListsItsMethods(@TempDir Path directory) throws IOException {
        Path log = directory.resolve("compilations.txt");
        assertThrows(UncheckedIOException.class, () -> CompiledMethod.here(log));
        Files.createFile(log);
        assertFalse(CompiledMethod.here(log).isEmpty());
    }
}
