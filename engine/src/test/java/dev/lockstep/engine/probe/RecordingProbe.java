package dev.lockstep.engine.probe;

import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what every thread is told, and finds what must not be told. */
public final class RecordingProbe implements OperationProbe {
    private static final Queue<String> WRONG = new ConcurrentLinkedQueue<>();
    private static final Map<String, Integer> WORKS_OF_OTHERS = new ConcurrentHashMap<>();
    private static final List<String> NAMES = new CopyOnWriteArrayList<>(List.of("none"));
    private static final ThreadLocal<Recording> OF_THREAD = ThreadLocal.withInitial(() -> new Recording(true));

    /** For the service loader. */
    public RecordingProbe() {}

    /** What one thread was told. */
    static final class Recording {
        private final List<String> told = new ArrayList<>();
        private int operation;
        private boolean running;
        private int resumptions;
        private int resumptionsInside;

        Recording(boolean running) {
            this.running = running;
        }

        List<String> told() {
            return told;
        }

        boolean isOutside() {
            return operation == 0;
        }

        int resumptions() {
            return resumptions;
        }

        /** Those in the middle of an operation. */
        int resumptionsInside() {
            return resumptionsInside;
        }
    }

    /** What should not have been told; empty if all is well. */
    static List<String> wrong() {
        return List.copyOf(WRONG);
    }

    /** What was told of an S-thread, or of the calling thread. */
    static Recording of(SThread sThread) {
        if (sThread == null) {
            return OF_THREAD.get();
        }
        Recording recording = sThread.attachment(Recording.class);
        if (recording == null) {
            recording = new Recording(false);
            sThread.attach(recording);
        }
        return recording;
    }

    @Override
    public synchronized int number(String name) {
        int known = NAMES.indexOf(name);
        if (known < 0) {
            NAMES.add(name);
            return NAMES.size() - 1;
        }
        return known;
    }

    @Override
    public void begin(SThread sThread, int number) {
        check("begin", sThread);
        Recording recording = of(sThread);
        recording.operation = number;
        recording.told.add(NAMES.get(number));
    }

    @Override
    public void end(SThread sThread) {
        check("end", sThread);
        Recording recording = of(sThread);
        if (recording.operation != 0) {
            recording.operation = 0;
            recording.told.add(";");
        }
    }

    @Override
    public void left(SThread sThread) {
        Recording recording = of(sThread);
        recording.running = false;
        if (sThread == null) {
            recording.told.add("left");
        }
    }

    @Override
    public void resumed(SThread sThread) {
        Recording recording = of(sThread);
        if (recording.running) {
            WRONG.add("resumed without having left: " + sThread);
        }
        recording.running = true;
        if (sThread == null) {
            recording.told.add("resumed");
        }
        recording.resumptions++;
        recording.resumptionsInside += recording.operation == 0 ? 0 : 1;
    }

    /** How often one S-thread has done a work of another, as the names of what the owners were in. */
    static Map<String, Integer> worksOfOthers() {
        return WORKS_OF_OTHERS;
    }

    @Override
    public void doesWorkOf(SThread sThread, SThread owner, int number) {
        check("work", sThread);
        if (of(sThread).operation != number) {
            WRONG.add("work of another operation than the leader's: " + sThread + " number=" + number);
        }
        if (owner != sThread) {
            if (of(owner).running) {
                WRONG.add("work of " + owner + ", which has its turn");
            }
            WORKS_OF_OTHERS.merge(NAMES.get(number), 1, Integer::sum);
        }
    }

    private static void check(String what, SThread sThread) {
        if (sThread != SThread.current()) {
            WRONG.add(what + " of " + sThread + " on " + SThread.current());
        }
        if (!of(sThread).running) {
            WRONG.add(what + " while away: " + sThread);
        }
    }
}
