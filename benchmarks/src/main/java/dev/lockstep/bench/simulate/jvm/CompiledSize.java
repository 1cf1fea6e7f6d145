package dev.lockstep.bench.simulate.jvm;

import java.util.List;

/**
 * The bytes to which C2 compiled one method on both sides. Immutable.
 *
 * @param method class, name and signature
 * @param machineBytes on the machine's processor, 0 if it is not compiled there
 * @param emulatedBytes on the emulated processor, likewise
 */
public record CompiledSize(String method, long machineBytes, long emulatedBytes) {
    /** Sizes that differ by more than this part of the machine's are not the same code. */
    public static final double DIFFERENCE_MAX = 0.05;

    /** Whether the sizes agree. */
    public boolean agrees() {
        return machineBytes > 0 && Math.abs(emulatedBytes - machineBytes) <= DIFFERENCE_MAX * machineBytes;
    }

    /**
     * The sizes of some methods. Code for loops is compared where neither side has other code; a method that neither
     * side had compiled, because it had just thrown it away, is left out.
     *
     * @param methods in order
     * @param count of them, as far as they go
     */
    public static List<CompiledSize> of(
            List<String> methods, int count, List<CompiledMethod> machine, List<CompiledMethod> emulated) {
        return methods.stream()
                .map(method -> {
                    CompiledSize called = of(method, false, machine, emulated);
                    return called.isCompiled() ? called : of(method, true, machine, emulated);
                })
                .filter(CompiledSize::isCompiled)
                .limit(count)
                .toList();
    }

    private static CompiledSize of(
            String method, boolean ofLoop, List<CompiledMethod> machine, List<CompiledMethod> emulated) {
        return new CompiledSize(method, bytes(method, ofLoop, machine), bytes(method, ofLoop, emulated));
    }

    private boolean isCompiled() {
        return machineBytes > 0 || emulatedBytes > 0;
    }

    private static long bytes(String name, boolean ofLoop, List<CompiledMethod> compiled) {
        return compiled.stream()
                .filter(method -> method.level() == CompiledMethod.LEVEL_C2
                        && method.ofLoop() == ofLoop
                        && method.method().equals(name))
                .mapToLong(CompiledMethod::bytes)
                .sum();
    }
}
