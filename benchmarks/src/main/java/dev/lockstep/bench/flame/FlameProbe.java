package dev.lockstep.bench.flame;

import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells async-profiler which operation each sample was taken in; see the package.
 *
 * <p>Invariants:
 * <ul>
 *   <li>A thread's work is its S-thread's while one is mounted, as the scheduler tells each departure and return, and
 *       likewise that of another virtual thread.
 *   <li>Work is written by the thread that it is about only; the table of threads only grows.
 * </ul>
 */
public final class FlameProbe implements OperationProbe {
    private static final List<String> OPERATIONS = new CopyOnWriteArrayList<>();
    private static final ConcurrentHashMap<String, Integer> NUMBERS = new ConcurrentHashMap<>();

    private static final ThreadLocal<Attached> OF_THREAD = ThreadLocal.withInitial(Attached::new);

    /**
     * Those of all system threads that were seen, to be looked through: there are about as many as processors. A
     * virtual thread finds its carrier's, which a thread-local of Java would hide from it. Copied when it grows.
     */
    private volatile ThreadWork[] threads = {};

    /** For the service loader. */
    public FlameProbe() {}

    /** The names of all operations so far; an operation's number is 1 more than its index. */
    static List<String> operations() {
        return List.copyOf(OPERATIONS);
    }

    @Override
    public int number(String name) {
        return NUMBERS.computeIfAbsent(name, added -> {
            synchronized (OPERATIONS) {
                OPERATIONS.add(added);
                return OPERATIONS.size();
            }
        });
    }

    @Override
    public void begin(SThread sThread, int number) {
        change(sThread, sThread == null ? Work.of(number) : Work.of(number, sThread.teamMembers()));
    }

    @Override
    public void end(SThread sThread) {
        change(sThread, Work.NONE);
    }

    @Override
    public void operatorCalled(SThread sThread, int number) {
        changeOperator(sThread, Work.of(number));
    }

    @Override
    public void operatorReturned(SThread sThread, int caller) {
        changeOperator(sThread, caller == 0 ? Work.NONE : Work.of(caller));
    }

    @Override
    public void left(SThread sThread) {
        change(Work.NONE);
    }

    @Override
    public void resumed(SThread sThread) {
        change(attached(sThread).now());
    }

    private void change(SThread sThread, long work) {
        Attached attached = attached(sThread);
        attached.work = work;
        change(attached.now());
    }

    private void changeOperator(SThread sThread, long operator) {
        Attached attached = attached(sThread);
        attached.operator = operator;
        change(attached.now());
    }

    private static Attached attached(SThread sThread) {
        if (sThread == null) {
            return OF_THREAD.get();
        }
        Attached known = sThread.attachment(Attached.class);
        if (known != null) {
            return known;
        }
        Attached made = new Attached();
        sThread.attach(made);
        return made;
    }

    private void change(long work) {
        long address = ProfilerLibrary.counterAddress();
        if (address != 0) {
            thread(address).change(work);
        }
    }

    private ThreadWork thread(long address) {
        for (ThreadWork known : threads) {
            if (known.counterAddress == address) {
                return known;
            }
        }
        return added(address);
    }

    private synchronized ThreadWork added(long address) {
        ThreadWork work = new ThreadWork(address);
        ThreadWork[] more = Arrays.copyOf(threads, threads.length + 1);
        more[more.length - 1] = work;
        threads = more;
        return work;
    }

    /** What an S-thread or another thread does, wherever it runs next. */
    private static final class Attached {
        private long work = Work.NONE;
        private long operator = Work.NONE;

        long now() {
            return work == Work.NONE ? operator : work;
        }
    }
}
