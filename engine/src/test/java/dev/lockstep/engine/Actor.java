package dev.lockstep.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** A thread with a session of its own that runs one step of a schedule after the other. Its table is ACCOUNTS. */
final class Actor {
    private static final long POLL_NANOS = 100_000;

    private final Database database;
    private final Table table;
    private final ExecutorService executor;
    private volatile boolean ready;
    private Session session;
    private Transaction transaction;
    private Record row;

    Actor(Database database, Table table, String name) {
        this.database = database;
        this.table = table;
        executor = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().name(name).daemon().factory());
    }

    /** A step of a schedule. */
    @FunctionalInterface
    interface Step<T> {
        /** Runs on the thread of the actor. */
        T run(Actor actor) throws Exception;
    }

    <T> Future<T> start(Step<T> step) {
        return executor.submit(() -> step.run(this));
    }

    /** Runs a step to its end; what it throws is thrown. */
    <T> T run(Step<T> step) throws Exception {
        try {
            return start(step).get();
        } catch (ExecutionException failure) {
            throw new AssertionError("a step failed", failure.getCause());
        }
    }

    /** What a step throws. */
    Throwable failure(Step<?> step) throws Exception {
        try {
            start(step).get();
        } catch (ExecutionException failure) {
            return failure.getCause();
        }
        throw new AssertionError("the step should have failed");
    }

    /** Returns when none of the steps is left to be done, or this actor waits for a lock. */
    void awaitEndOrLockWait(Future<?> step) {
        // Ends: the step either comes to a wait or to its end.
        while (!step.isDone() && !isWaiting()) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Returns when this actor's step waits for a lock. */
    void awaitLockWait(Future<?> step) throws Exception {
        // Ends: the step either comes to its wait or to its end.
        while (!isWaiting()) {
            if (step.isDone()) {
                throw new AssertionError("the step should wait, but came to its end with " + step.get());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean isWaiting() {
        return ready && session.core().context().lockOwner().isWaitingAcquire();
    }

    /** Of two steps that wait for each other, the actor whose step has failed. */
    static Actor awaitFirstFailure(Actor one, Future<?> oneStep, Actor other, Future<?> otherStep) {
        // Ends: a cycle of waits is broken.
        while (true) {
            if (oneStep.state() == Future.State.FAILED) {
                return one;
            }
            if (otherStep.state() == Future.State.FAILED) {
                return other;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    Void begin(TransactionOptions options) {
        open();
        transaction = session.begin(options);
        return null;
    }

    private void open() {
        session = database.openSession();
        row = table.newRecord();
        ready = true;
    }

    /** Runs a transaction, again after a deadlock if the options say so. */
    Void call(TransactionOptions options, TransactionWork.WithoutResult<RuntimeException> work) {
        open();
        session.call(options, open -> {
            work.accept(open);
            return null;
        });
        session.close();
        return null;
    }

    Void commit() {
        transaction.commit();
        session.close();
        return null;
    }

    Void rollback() {
        transaction.rollback();
        session.close();
        return null;
    }

    private Key id(int id) {
        return table.newKey().add(id);
    }

    /** The amount of an account, null if there is none; the row stays loaded. */
    Long amount(int id) {
        return transaction.fetch(table, id(id), row) ? row.getLong(2) : null;
    }

    Void fetchForUpdate(int id) {
        transaction.fetchForUpdate(table, id(id), row);
        return null;
    }

    /** Writes the loaded row with more on its account. */
    Void writeBack(long more) {
        row.setLong(2, row.getLong(2) + more);
        transaction.update(table, row);
        return null;
    }

    Void add(int id, long more) {
        addIn(transaction, id, more);
        return null;
    }

    void addIn(Transaction in, int id, long more) {
        Record own = table.newRecord();
        in.fetchForUpdate(table, id(id), own);
        own.setLong(2, own.getLong(2) + more);
        in.update(table, own);
    }

    /** Adds to an account twice and takes the second back. */
    Void addAndTakeBack(int id, long more) {
        addIn(transaction, id, more);
        Savepoint between = transaction.savepoint();
        addIn(transaction, id, more);
        transaction.rollbackTo(between);
        return null;
    }

    Void set(int id, long amount) {
        Record own = table.newRecord();
        transaction.fetch(table, id(id), own);
        own.setLong(2, amount);
        transaction.update(table, own);
        return null;
    }

    /** Writes a row without having read it; returns whether there was one. */
    boolean write(int id, long amount) {
        Record own = table.newRecord();
        own.setInt(0, id);
        own.setString(1, "written");
        own.setLong(2, amount);
        return transaction.update(table, own);
    }

    Void rename(int id, String name) {
        Record own = table.newRecord();
        transaction.fetchForUpdate(table, id(id), own);
        own.setString(1, name);
        transaction.update(table, own);
        return null;
    }

    Void insert(int id, long amount) {
        DatabaseTest.put(transaction, table, table.newRecord(), id, "new", amount);
        return null;
    }

    Void delete(int id) {
        transaction.delete(table, id(id));
        return null;
    }

    List<Integer> ids(int from, int to) {
        return ids(from, to, false);
    }

    List<Integer> ids(int from, int to, boolean backward) {
        List<Integer> ids = new ArrayList<>();
        try (Cursor cursor = transaction.scan(table).from(id(from)).to(id(to))) {
            if (backward) {
                cursor.backward();
            }
            while (cursor.next(row)) {
                ids.add(row.getInt(0));
            }
        }
        return ids;
    }

    List<Long> amountsByIndex(long from, long to) {
        List<Long> amounts = new ArrayList<>();
        try (Cursor cursor = transaction
                .scan(table, "by_amount")
                .from(table.newIndexKey("by_amount").add(from))
                .to(table.newIndexKey("by_amount").add(to))) {
            while (cursor.next(row)) {
                amounts.add(row.getLong(2));
            }
        }
        return amounts;
    }

    void close() throws Exception {
        if (transaction != null && transaction.isOpen()) {
            run(Actor::rollback);
        }
        executor.shutdown();
        executor.close();
    }
}
