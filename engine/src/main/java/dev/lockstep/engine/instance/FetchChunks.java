package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;
import dev.lockstep.engine.operation.RecordOperation;

/**
 * Fetches of one session that run side by side, in chunks: some keys of one table each. Locks are taken in the order of
 * the chunks and of their keys, so that two transactions that ask in the same order do not block each other in a
 * circle. Used by one thread at a time; reusable.
 *
 * <p>Invariant: the first {@code chunkCount} elements of the arrays are what was {@linkplain #add added} since the last
 * {@link #run} or {@link #clear}.
 */
final class FetchChunks {
    /**
     * Fetches of one chunk. A core keeps 10 to 24 cache lines on the way at a time, and each fetch wants one to four;
     * beyond that a larger chunk only spreads its state over more of the first-level cache.
     */
    static final int FETCHES_MAX = HintedFetches.KEYS_MAX;

    /**
     * Chunks that run together: three tables are what a transaction knows in advance. Of one table, three chunks wait
     * for memory as often as one: TPC-C's Stock-Level, which reads some two hundred stock rows, had medians of 27.6,
     * 28.2 and 28.4 microseconds with three, and 30.0, 29.6 and 29.1 with one after the other.
     */
    static final int CHUNKS_MAX = 3;

    private final SessionCore session;
    private final HintedFetches[] hinted = new HintedFetches[CHUNKS_MAX];
    private final FetchOperation[][] others = new FetchOperation[CHUNKS_MAX][];
    private final RecordOperation[] running = new RecordOperation[CHUNKS_MAX * FETCHES_MAX];
    private final TableAccess[] accesses = new TableAccess[CHUNKS_MAX];
    private final Key[][] keys = new Key[CHUNKS_MAX][];
    private final Record[][] records = new Record[CHUNKS_MAX][];
    private final boolean[][] founds = new boolean[CHUNKS_MAX][];
    private final int[] firsts = new int[CHUNKS_MAX];
    private final int[] ends = new int[CHUNKS_MAX];
    private final int[] modes = new int[CHUNKS_MAX];
    private final boolean[] instants = new boolean[CHUNKS_MAX];
    private int chunkCount;

    FetchChunks(SessionCore session) {
        this.session = session;
    }

    /** Operations that fetch side by side, as many as a chunk may have. */
    FetchOperation[] operations() {
        return others(0);
    }

    private FetchOperation[] others(int chunk) {
        if (others[chunk] == null) {
            FetchOperation[] made = new FetchOperation[FETCHES_MAX];
            for (int i = 0; i < made.length; i++) {
                made[i] = FetchOperation.besideOthers(
                        session.instance().locks(), session.instance().transactions(), session.context());
            }
            others[chunk] = made;
        }
        return others[chunk];
    }

    private HintedFetches hinted(int chunk) {
        if (hinted[chunk] == null) {
            hinted[chunk] = HintedFetches.ofOne(session.instance().locks(), session.context());
        }
        return hinted[chunk];
    }

    /** Forgets what was added and, because of an error, has not run. */
    void clear() {
        chunkCount = 0;
    }

    /** Whether no further chunk can be {@linkplain #add added}. */
    boolean isFull() {
        return chunkCount == CHUNKS_MAX;
    }

    /**
     * Adds a chunk.
     *
     * @param found takes for each key, at its index, whether it has a row
     * @param first index of the first key
     * @param end index behind the last key: at most {@link #FETCHES_MAX} keys
     * @param mode the key lock, or {@link LockMode#NONE}
     * @param instant whether the lock is only tested
     */
    void add(
            TableAccess access,
            Key[] searched,
            Record[] into,
            boolean[] found,
            int first,
            int end,
            int mode,
            boolean instant) {
        int chunk = chunkCount;
        accesses[chunk] = access;
        keys[chunk] = searched;
        records[chunk] = into;
        founds[chunk] = found;
        firsts[chunk] = first;
        ends[chunk] = end;
        modes[chunk] = mode;
        instants[chunk] = instant;
        hinted(chunk).start(access.table().tree(), searched, into, first, end, mode, instant);
        others(chunk);
        chunkCount++;
    }

    /** Fetches what was added; returns how many rows there are. */
    int run() {
        int count = chunkCount;
        chunkCount = 0;
        if (count == 0) {
            return 0;
        }
        int list = accesses[0].table().operations().fetch();
        session.driver.runHinted(hinted, others, count, running, list);
        int foundCount = 0;
        for (int chunk = 0; chunk < count; chunk++) {
            foundCount += complete(chunk);
        }
        return foundCount;
    }

    private int complete(int chunk) {
        TableAccess access = accesses[chunk];
        HintedFetches fetched = hinted[chunk];
        boolean[] found = founds[chunk];
        int foundCount = 0;
        for (int i = firsts[chunk]; i < ends[chunk]; i++) {
            found[i] = access.complete(fetched, i, keys[chunk][i], records[chunk][i], modes[chunk], instants[chunk]);
            foundCount += found[i] ? 1 : 0;
        }
        return foundCount;
    }
}
