package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;

/**
 * Fetches of several rows of a table side by side. Locks are taken in the order of the keys, so that two transactions
 * that ask in the same order do not block each other in a circle. Used by one thread at a time.
 */
public final class BatchFetch {
    /**
     * Fetches that run side by side. A core keeps 10 to 24 cache lines on the way at a time, and each fetch wants one
     * to four; beyond that a larger group only spreads its state over more of the first-level cache.
     */
    static final int FETCHES_TOGETHER_MAX = 16;

    private final TableAccess access;
    private final SessionCore session;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    private final FetchOperation[] running = new FetchOperation[FETCHES_TOGETHER_MAX];

    BatchFetch(TableAccess access) {
        this.access = access;
        this.session = access.session();
    }

    /**
     * Fetches the rows of the first {@code count} keys.
     *
     * @param found takes for each key whether it has a row
     * @param changeMode {@link LockMode#KEY_U} or {@link LockMode#KEY_X} with the intent to change the rows,
     *     {@link LockMode#NONE} for reading at the transaction's isolation level
     * @return how many have
     */
    public int fetch(Key[] keys, Record[] into, boolean[] found, int count, int changeMode) {
        return fetch(keys, into, found, 0, count, changeMode);
    }

    /** Fetches the rows of the keys from {@code first} to {@code end}, exclusive. */
    int fetch(Key[] keys, Record[] into, boolean[] found, int first, int end, int changeMode) {
        int mode = changeMode == LockMode.NONE ? access.readLockMode() : changeMode;
        boolean instant = changeMode == LockMode.NONE && session.readsWithInstantLocks(mode);
        if (mode == LockMode.NONE && session.reading().isOpen()) {
            return access.snapshotAccess().fetch(keys, into, found, first, end);
        }
        int foundCount = 0;
        for (int from = first; from < end; from += FETCHES_TOGETHER_MAX) {
            int to = Math.min(end, from + FETCHES_TOGETHER_MAX);
            run(keys, into, from, to, mode, instant);
            FetchOperation[] fetches = session.fetchesTogether();
            for (int i = from; i < to; i++) {
                Key key = keys[i];
                found[i] = access.complete(fetches[i - from], key.bytes(), key.length(), into[i], mode, instant);
                foundCount += found[i] ? 1 : 0;
            }
        }
        return foundCount;
    }

    private void run(Key[] keys, Record[] into, int from, int to, int mode, boolean instant) {
        FetchOperation[] fetches = session.fetchesTogether();
        BTree tree = access.table().tree();
        int count = to - from;
        for (int i = 0; i < count; i++) {
            FetchOperation fetch = fetches[i];
            Key key = keys[from + i];
            fetch.start(tree, key.bytes(), key.length(), mode, instant, into[from + i]);
            running[i] = fetch;
        }
        int list = access.table().operations().fetch();
        if (session.driver.isStaged(list)) {
            session.stagedFetch().run(fetches, count, list);
            return;
        }
        touchHints(fetches, count);
        for (int i = 0; i < count; i++) {
            fetches[i].followHint();
        }
        session.driver.runTogether(running, count, list);
    }

    /** A loop so short that the processor is in its next turns while it waits for the first. */
    private void touchHints(FetchOperation[] fetches, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += fetches[i].touchHint();
        }
        touched = sum;
    }
}
