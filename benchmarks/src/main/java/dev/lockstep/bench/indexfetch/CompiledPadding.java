package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.nio.file.Path;
import java.util.List;

/**
 * What C2 has made so far of the straight code that operations execute. Immutable.
 *
 * @param methods how many methods it has compiled
 * @param bytes to which, together
 */
record CompiledPadding(int methods, long bytes) {
    /** Of generated classes, each method with code of its own. */
    private static final String METHOD = ".step";

    /**
     * By which a JVM can tell. C2 comes to the code ten times as soon, since straight code has no profile that it could
     * wait for.
     */
    static List<String> options() {
        return List.of(
                GuestOptions.logCompilations(GuestOptions.COMPILATIONS),
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=CompileThresholdScaling," + StraightCode.class.getPackageName() + "."
                        + StraightCode.NAME + "*::step*,0.1");
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

    /** Whether it is all of so many bytes as they were asked for. */
    boolean isAllOf(int paddingBytes) {
        return methods >= PaddingCode.methods(paddingBytes);
    }
}
