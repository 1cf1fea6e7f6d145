package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.lock.LockMode;
import java.util.Arrays;

/**
 * Batches of several tables that one session fetches with one call: side by side, as far as they can be, and with the
 * locks of one batch after the other. Used by one thread at a time; reusable.
 *
 * <p>Invariant: the first {@code batchCount} elements of the arrays are the batches {@linkplain #add added} since the
 * last {@link #clear}.
 */
public final class GroupFetch {
    private static final int BATCHES_INITIAL = 4;

    private final SessionCore session;
    private TableAccess[] accesses = new TableAccess[BATCHES_INITIAL];
    private Key[][] keys = new Key[BATCHES_INITIAL][];
    private Record[][] records = new Record[BATCHES_INITIAL][];
    private boolean[][] founds = new boolean[BATCHES_INITIAL][];
    private int[] counts = new int[BATCHES_INITIAL];
    private int[] changeModes = new int[BATCHES_INITIAL];
    private int batchCount;

    GroupFetch(SessionCore session) {
        this.session = session;
    }

    /** Forgets what was added. */
    public void clear() {
        batchCount = 0;
    }

    /**
     * Adds a batch.
     *
     * @param found takes for each key whether it has a row
     * @param count how many keys there are
     * @param changeMode {@link LockMode#KEY_U} or {@link LockMode#KEY_X} with the intent to change the rows,
     *     {@link LockMode#NONE} for reading at the transaction's isolation level
     */
    public void add(TableAccess access, Key[] searched, Record[] into, boolean[] found, int count, int changeMode) {
        if (batchCount == counts.length) {
            grow();
        }
        int batch = batchCount++;
        accesses[batch] = access;
        keys[batch] = searched;
        records[batch] = into;
        founds[batch] = found;
        counts[batch] = count;
        changeModes[batch] = changeMode;
    }

    private void grow() {
        int capacity = 2 * batchCount;
        accesses = Arrays.copyOf(accesses, capacity);
        keys = Arrays.copyOf(keys, capacity);
        records = Arrays.copyOf(records, capacity);
        founds = Arrays.copyOf(founds, capacity);
        counts = Arrays.copyOf(counts, capacity);
        changeModes = Arrays.copyOf(changeModes, capacity);
    }

    /** Fetches what was added; returns how many rows there are. */
    public int fetch() {
        FetchChunks chunks = session.fetchChunks();
        chunks.clear();
        int foundCount = 0;
        for (int batch = 0; batch < batchCount; batch++) {
            BatchFetch fetch = accesses[batch].batchFetch();
            if (!fetch.isInChunks(changeModes[batch])) {
                foundCount += chunks.run();
                foundCount +=
                        fetch.fetch(keys[batch], records[batch], founds[batch], counts[batch], changeModes[batch]);
                continue;
            }
            foundCount += fetch.addTo(
                    chunks, keys[batch], records[batch], founds[batch], 0, counts[batch], changeModes[batch]);
        }
        return foundCount + chunks.run();
    }
}
