package dev.lockstep.scheduler;

/** An S-thread that, instead of running, makes its carrier fail: it cannot be mounted, and is not one that waits. */
final class FailingSThread extends SThread {
    private final RuntimeException failure;

    private FailingSThread(CarrierThread carrier, RuntimeException failure) {
        super(null, carrier, "failing", () -> false);
        this.failure = failure;
        request = Request.LEAVE;
    }

    /** Has a carrier fail, soon. By any thread. */
    static void fail(CarrierThread carrier, RuntimeException failure) {
        carrier.submit(new FailingSThread(carrier, failure));
    }

    @Override
    public SThreadKind kind() {
        return SThreadKind.CONTINUATION;
    }

    @Override
    void mount() {
        throw failure;
    }

    @Override
    boolean giveUpCarrier() {
        throw failure;
    }

    @Override
    void giveUpCarrierUntilWoken(Waiter blocker) {
        throw failure;
    }

    @Override
    void wake() {
        throw failure;
    }

    @Override
    void begin() {
        throw failure;
    }
}
