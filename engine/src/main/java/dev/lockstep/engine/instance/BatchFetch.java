package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;

/**
 * Fetches of several rows of a table side by side. Locks are taken in the order of the keys, so that two transactions
 * that ask in the same order do not block each other in a circle. Used by one thread at a time.
 */
public final class BatchFetch {
    /**
     * Fetches that run side by side. A core keeps 10 to 24 cache lines on the way at a time, and each fetch wants one
     * to four; beyond that a larger group only spreads its state over more of the first-level cache.
     */
    static final int FETCHES_TOGETHER_MAX = HintedFetches.KEYS_MAX;

    private final TableAccess access;
    private final SessionCore session;

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
        boolean staged = session.driver.isStaged(access.table().operations().fetch());
        for (int from = first; from < end; from += FETCHES_TOGETHER_MAX) {
            int to = Math.min(end, from + FETCHES_TOGETHER_MAX);
            if (staged) {
                runStaged(keys, into, from, to, mode, instant);
            } else {
                runHinted(keys, into, from, to, mode, instant);
            }
            for (int i = from; i < to; i++) {
                found[i] = staged
                        ? complete(session.fetchesTogether()[i - from], keys[i], into[i], mode, instant)
                        : access.complete(session.hintedFetches(), i, keys[i], into[i], mode, instant);
                foundCount += found[i] ? 1 : 0;
            }
        }
        return foundCount;
    }

    private void runStaged(Key[] keys, Record[] into, int from, int to, int mode, boolean instant) {
        FetchOperation[] fetches = session.fetchesTogether();
        BTree tree = access.table().tree();
        int count = to - from;
        for (int i = 0; i < count; i++) {
            Key key = keys[from + i];
            fetches[i].start(tree, key.bytes(), key.length(), mode, instant, into[from + i]);
        }
        session.stagedFetch().run(fetches, count, access.table().operations().fetch());
    }

    private void runHinted(Key[] keys, Record[] into, int from, int to, int mode, boolean instant) {
        HintedFetches hinted = session.hintedFetches();
        hinted.start(access.table().tree(), keys, into, from, to, mode, instant);
        session.driver.runHinted(
                hinted,
                from,
                to,
                session.fetchesTogether(),
                running,
                access.table().operations().fetch());
    }

    private boolean complete(FetchOperation fetch, Key key, Record into, int mode, boolean instant) {
        return access.complete(fetch, key.bytes(), key.length(), into, mode, instant);
    }
}
