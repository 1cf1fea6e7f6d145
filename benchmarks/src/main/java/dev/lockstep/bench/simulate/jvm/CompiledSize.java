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

    /** The sizes of some methods. */
    public static List<CompiledSize> of(
            List<String> methods, List<CompiledMethod> machine, List<CompiledMethod> emulated) {
        return methods.stream()
                .map(method -> new CompiledSize(method, bytes(method, machine), bytes(method, emulated)))
                .toList();
    }

    private static long bytes(String name, List<CompiledMethod> compiled) {
        return compiled.stream()
                .filter(method -> method.level() == CompiledMethod.LEVEL_C2
                        && method.method().equals(name))
                .mapToLong(CompiledMethod::bytes)
                .sum();
    }
}
