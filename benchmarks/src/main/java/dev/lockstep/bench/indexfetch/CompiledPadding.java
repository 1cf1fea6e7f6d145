package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What C2 has made so far of the straight code that operations execute. Immutable.
 *
 * @param methods how many methods it has compiled
 * @param bytes to which, together
 */
record CompiledPadding(int methods, long bytes) {
    /** Of generated classes, each method with code of its own. Not those that fill caches. */
    private static final String METHOD = "." + StraightCode.WIDE_METHOD;

    /** Enough for the largest padding on a busy machine. */
    private static final Duration COMPILED_WITHIN = Duration.ofMinutes(10);

    /**
     * By which a JVM can tell. C2 comes to the code ten times as soon, since straight code has no profile that it could
     * wait for.
     */
    static List<String> options() {
        return List.of(
                GuestOptions.logCompilations(GuestOptions.COMPILATIONS),
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=CompileThresholdScaling," + StraightCode.class.getPackageName() + "."
                        + StraightCode.NAME + "*::" + StraightCode.WIDE_METHOD + "*,0.1");
    }

    /** In this JVM, which has {@link #options} and works in a directory. */
    static CompiledPadding here(Path directory) {
        return of(CompiledMethod.here(directory.resolve(GuestOptions.COMPILATIONS)));
    }

    static CompiledPadding of(List<CompiledMethod> compiled) {
        List<CompiledMethod> padding = compiled.stream()
                .filter(each -> each.byC2()
                        && each.method().contains(StraightCode.NAME)
                        && each.method().contains(METHOD))
                .toList();
        return new CompiledPadding(
                padding.size(),
                padding.stream().mapToLong(CompiledMethod::bytes).sum());
    }

    /** Executes operations. */
    @FunctionalInterface
    interface Operations {
        /** Executes some. */
        void run() throws InterruptedException;
    }

    /**
     * Goes on until C2 has compiled all of it, in a JVM that has {@link #options}; 0 bytes are compiled.
     *
     * @param paddingBytes as they were asked for
     * @param directory that the JVM works in
     * @param operations which execute it
     * @throws IllegalStateException if it takes too long
     */
    static CompiledPadding complete(int paddingBytes, Path directory, Operations operations)
            throws InterruptedException {
        if (paddingBytes == 0) {
            return new CompiledPadding(0, 0);
        }
        long startNanos = System.nanoTime();
        CompiledPadding compiled = here(directory);
        while (!compiled.isAllOf(paddingBytes)) {
            if (System.nanoTime() - startNanos > COMPILED_WITHIN.toNanos()) {
                throw new IllegalStateException("C2 does not compile the code of --operation-padding: paddingBytes="
                        + paddingBytes + " methods=" + PaddingCode.methods(paddingBytes) + " compiled="
                        + compiled.methods() + "; remedy: a smaller one, or another --kinds");
            }
            operations.run();
            compiled = here(directory);
        }
        return compiled;
    }

    /** Whether it is all of so many bytes as they were asked for. */
    boolean isAllOf(int paddingBytes) {
        return methods >= PaddingCode.methods(paddingBytes);
    }
}
