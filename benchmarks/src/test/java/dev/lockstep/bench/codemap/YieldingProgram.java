package dev.lockstep.bench.codemap;

import dev.lockstep.counters.Markers;

/** The main class of a JVM in which two virtual threads take turns on one carrier, in a phase once that is compiled. */
final class YieldingProgram {
    static final int PHASE = 1;

    /** Of both threads together. */
    static final int SWITCHES_MEASURED = 20_000;

    private static final int YIELDS_TO_COMPILE = 20_000;
    private static final int YIELDS_MEASURED = SWITCHES_MEASURED / 2;

    private YieldingProgram() {}

    /**
     * Runs it.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) throws InterruptedException {
        Thread measured = Thread.ofVirtual().unstarted(() -> {
            giveWay(YIELDS_TO_COMPILE);
            Markers.phaseBegin(PHASE);
            giveWay(YIELDS_MEASURED);
            Markers.phaseEnd(PHASE);
        });
        Thread other = Thread.ofVirtual().unstarted(() -> giveWay(YIELDS_TO_COMPILE + YIELDS_MEASURED));
        measured.start();
        other.start();
        measured.join();
        other.join();
    }

    private static void giveWay(int times) {
        for (int i = 0; i < times; i++) {
            Thread.yield();
        }
    }
}
