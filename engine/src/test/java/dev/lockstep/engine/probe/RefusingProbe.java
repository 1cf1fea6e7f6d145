package dev.lockstep.engine.probe;

import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands for a JVM that has no memory to suspend an S-thread in the middle of a commit. */
public final class RefusingProbe implements OperationProbe {
    private static final int COMMIT = 1;
    private static final int OTHER = 2;
    private static final AtomicInteger REFUSED = new AtomicInteger();

    /** For the service loader. */
    public RefusingProbe() {}

    /** What an S-thread is in. */
    private static final class Operation {
        private int number;
    }

    /** How often an S-thread was not suspended. */
    static int refused() {
        return REFUSED.get();
    }

    private static Operation of(SThread sThread) {
        Operation operation = sThread.attachment(Operation.class);
        if (operation == null) {
            operation = new Operation();
            sThread.attach(operation);
        }
        return operation;
    }

    @Override
    public int number(String name) {
        return name.equals("commit") ? COMMIT : OTHER;
    }

    @Override
    public void begin(SThread sThread, int number) {
        if (sThread != null) {
            of(sThread).number = number;
        }
    }

    @Override
    public void end(SThread sThread) {
        if (sThread != null) {
            of(sThread).number = 0;
        }
    }

    @Override
    public void left(SThread sThread) {
        if (sThread != null && of(sThread).number == COMMIT) {
            REFUSED.incrementAndGet();
            throw new OutOfMemoryError("no memory to suspend an S-thread");
        }
    }

    @Override
    public void resumed(SThread sThread) {}
}
