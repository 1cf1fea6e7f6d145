package dev.lockstep.counters;

/** Makes every mark, often enough to be compiled, and says whether they went out. */
final class MarkersProgram {
    static final int ROUNDS = 50;

    /** Enough for the JVM to find out what nobody refers to any more, and to act on it. */
    private static final int COLLECTIONS = 20;

    private MarkersProgram() {}

    public static void main(String[] arguments) {
        Markers.phaseBegin(Markers.PHASE_MEASURED);
        Markers.region(RegionKind.BUFFER_POOL, 1L << 30, 1 << 20, 4096, 3);
        Markers.threadCore(1);
        for (int round = 0; round < ROUNDS; round++) {
            for (int operation = 0; operation < Markers.OPERATIONS; operation++) {
                Markers.operation(operation);
            }
        }
        for (int collection = 0; collection < COLLECTIONS; collection++) {
            System.gc();
            Markers.operation(collection);
            Markers.clockCycles();
        }
        Markers.operation(Markers.OPERATION_NONE);
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        System.out.println("simulated=" + Markers.isSimulated() + " obstacle="
                + Markers.obstacle().orElse("none"));
    }
}
