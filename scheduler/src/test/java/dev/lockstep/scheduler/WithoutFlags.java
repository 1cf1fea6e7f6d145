package dev.lockstep.scheduler;

/** The main class of a JVM that was started without the flags S-threads need. */
final class WithoutFlags {
    private WithoutFlags() {}

    public static void main(String[] arguments) throws InterruptedException {
        for (SThreadKind kind : new SThreadKind[] {SThreadKind.VIRTUAL, SThreadKind.CONTINUATION}) {
            String remedy = Scheduler.probe(kind).remedy();
            try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults().withKind(kind))) {
                throw new AssertionError("started: " + scheduler.options());
            } catch (UnsupportedOperationException e) {
                if (!e.getMessage().endsWith("remedy: " + remedy)) {
                    throw new AssertionError(e);
                }
                System.out.println(kind + ": " + remedy);
            }
        }
        SchedulerOptions defaults = SchedulerOptions.defaults();
        try (Scheduler scheduler = new Scheduler(defaults)) {
            scheduler
                    .start(
                            "plain",
                            -1,
                            () -> System.out.println(defaults.kind() + " ran, current=" + SThread.current()))
                    .join();
        }
    }
}
