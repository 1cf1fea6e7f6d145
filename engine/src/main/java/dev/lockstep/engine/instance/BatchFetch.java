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
    private final TableAccess access;
    private final SessionCore session;

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
        int mode = mode(changeMode);
        if (readsSnapshot(mode)) {
            return access.snapshotAccess().fetch(keys, into, found, first, end);
        }
        if (!isStaged()) {
            FetchChunks chunks = session.fetchChunks();
            chunks.clear();
            int foundCount = addTo(chunks, keys, into, found, first, end, changeMode);
            return foundCount + chunks.run();
        }
        boolean instant = isInstant(changeMode, mode);
        int foundCount = 0;
        for (int from = first; from < end; from += FetchChunks.FETCHES_MAX) {
            int to = Math.min(end, from + FetchChunks.FETCHES_MAX);
            foundCount += runStaged(keys, into, found, from, to, mode, instant);
        }
        return foundCount;
    }

    /** Whether fetches run in chunks: neither from a snapshot nor in a staged team. */
    boolean isInChunks(int changeMode) {
        return !readsSnapshot(mode(changeMode)) && !isStaged();
    }

    /**
     * Adds fetches that run {@linkplain #isInChunks in chunks}, and runs what was added before where that is full.
     *
     * @return how many rows there were of those that have run
     */
    int addTo(FetchChunks chunks, Key[] keys, Record[] into, boolean[] found, int first, int end, int changeMode) {
        int mode = mode(changeMode);
        boolean instant = isInstant(changeMode, mode);
        int foundCount = 0;
        for (int from = first; from < end; from += FetchChunks.FETCHES_MAX) {
            if (chunks.isFull()) {
                foundCount += chunks.run();
            }
            int to = Math.min(end, from + FetchChunks.FETCHES_MAX);
            chunks.add(access, keys, into, found, from, to, mode, instant);
        }
        return foundCount;
    }

    private int mode(int changeMode) {
        return changeMode == LockMode.NONE ? access.readLockMode() : changeMode;
    }

    private boolean isInstant(int changeMode, int mode) {
        return changeMode == LockMode.NONE && session.readsWithInstantLocks(mode);
    }

    private boolean readsSnapshot(int mode) {
        return mode == LockMode.NONE && session.reading().isOpen();
    }

    private boolean isStaged() {
        return session.driver.isStaged(access.table().operations().fetch());
    }

    private int runStaged(Key[] keys, Record[] into, boolean[] found, int from, int to, int mode, boolean instant) {
        FetchOperation[] fetches = session.fetchChunks().operations();
        BTree tree = access.table().tree();
        int count = to - from;
        for (int i = 0; i < count; i++) {
            Key key = keys[from + i];
            fetches[i].start(tree, key.bytes(), key.length(), mode, instant, into[from + i]);
        }
        session.stagedFetch().run(fetches, count, access.table().operations().fetch());
        int foundCount = 0;
        for (int i = from; i < to; i++) {
            Key key = keys[i];
            found[i] = access.complete(fetches[i - from], key.bytes(), key.length(), into[i], mode, instant);
            foundCount += found[i] ? 1 : 0;
        }
        return foundCount;
    }
}
