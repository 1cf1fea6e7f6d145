package dev.lockstep.bench.codemap;

/** The main class of a JVM in which a virtual thread gives way as often as its argument says. */
final class FreezingProgram {
    private FreezingProgram() {}

    /**
     * Runs it.
     *
     * @param arguments how often the thread gives way
     */
    public static void main(String[] arguments) throws InterruptedException {
        int times = Integer.parseInt(arguments[0]);
        Thread.ofVirtual().start(() -> giveWay(times)).join();
    }

    private static void giveWay(int times) {
        for (int i = 0; i < times; i++) {
            Thread.yield();
        }
    }
}
