package dev.lockstep.bench.simulate;

import dev.lockstep.counters.CacheGeometry;
import dev.lockstep.counters.CacheLevel;
import dev.lockstep.counters.NativeLibrary;
import java.util.Optional;

/** The caches of this machine as its operating system reports them. */
public final class ThisMachine {
    /** What nearly every L1 of today has, where a virtual machine hides it. */
    private static final int L1_WAYS = 8;

    private static final int OUTER_WAYS = 16;
    private static final int LINE_BYTES = 64;

    private ThisMachine() {}

    /**
     * Describes one core with its caches.
     *
     * @throws IllegalArgumentException where the system does not tell, with a sentence for the user
     */
    static MachineDescription describe() {
        return switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Missing(String reason) ->
                throw new IllegalArgumentException("the caches of this machine are not known: " + reason
                        + " Or name them with --l1i, --l1d, --l2 and --llc.");
            case NativeLibrary.Result.Available(NativeLibrary library) -> describe(library);
        };
    }

    /**
     * Finds the L1 instruction cache.
     *
     * @throws IllegalArgumentException where the system does not tell, with a sentence for the user
     */
    public static CacheShape instructionCache() {
        return CacheShape.parse(describe().value(MachineDescription.L1I).orElseThrow());
    }

    /**
     * Finds the size of the L2 cache.
     *
     * @throws IllegalArgumentException where the system does not tell, with a sentence for the user
     */
    public static long l2Bytes() {
        String cache = describe().value(MachineDescription.L2).orElse(MachineDescription.NONE);
        if (cache.equals(MachineDescription.NONE)) {
            throw new IllegalArgumentException("the system does not report this machine's L2 cache: name its size");
        }
        return CacheShape.parse(cache).bytes();
    }

    private static MachineDescription describe(NativeLibrary library) {
        MachineDescription machine = MachineDescription.empty().with(MachineDescription.CORES, "1");
        machine = with(machine, MachineDescription.L1I, library.cache(CacheLevel.L1_INSTRUCTION), L1_WAYS);
        machine = with(machine, MachineDescription.L1D, library.cache(CacheLevel.L1_DATA), L1_WAYS);
        machine = with(machine, MachineDescription.L2, library.cache(CacheLevel.L2), OUTER_WAYS);
        machine = with(machine, MachineDescription.LLC, library.cache(CacheLevel.L3), OUTER_WAYS);
        if (!machine.has(MachineDescription.L1I)) {
            throw new IllegalArgumentException("the system does not report this machine's caches: name them with --l1i,"
                    + " --l1d, --l2 and --llc, or take another --machine");
        }
        return machine;
    }

    private static MachineDescription with(
            MachineDescription machine, String cache, Optional<CacheGeometry> found, int usualWays) {
        if (found.isEmpty()) {
            return machine.with(cache, MachineDescription.NONE);
        }
        CacheGeometry geometry = found.get();
        int lineBytes = geometry.lineBytes() == 0 ? LINE_BYTES : geometry.lineBytes();
        int ways = geometry.ways() == 0 ? usualWays : geometry.ways();
        return machine.with(cache, new CacheShape(geometry.bytes(), ways, lineBytes).text());
    }
}
