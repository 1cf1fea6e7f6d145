package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.SnapshotTooOldException;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;

/**
 * Fetches of several sessions that one thread runs stage by stage: each member keeps its transaction and its locks;
 * what they share is the loop. Whoever would have to wait leaves. Used by one thread at a time, which is that of all
 * members.
 *
 * <p>Members go together that lock alike, which nearly always are all. They are the first {@code groupSize} of {@code
 * members}; {@code keys}, {@code records}, {@code fetches} and the keys of {@code hinted} have the same order.
 */
public final class FetchTeam {
    private final boolean[] isServed = new boolean[FetchChunks.FETCHES_MAX];
    private final int[] members = new int[FetchChunks.FETCHES_MAX];
    private final Key[] keys = new Key[FetchChunks.FETCHES_MAX];
    private final Record[] records = new Record[FetchChunks.FETCHES_MAX];
    private final FetchOperation[] fetches = new FetchOperation[FetchChunks.FETCHES_MAX];
    private final FetchOperation[][] fetchesOfChunk = {fetches};
    private final FetchOperation[] running = new FetchOperation[FetchChunks.FETCHES_MAX];
    private int groupSize;

    /** Of the one chunk; null before the first fetch, which tells the lock manager. */
    private final HintedFetches[] hintedOrNull = new HintedFetches[1];

    /** An empty team. */
    public FetchTeam() {}

    /**
     * Fetches a row for each of the first {@code count} members; teams beyond {@link FetchChunks#FETCHES_MAX}
     * are split.
     *
     * @param accesses to one table, of sessions that are all different; null for a member that has left already
     * @param found takes for each member whether there is a row
     * @param left takes for each member whether it has left, without its row
     * @param changeMode {@link LockMode#KEY_U} or {@link LockMode#KEY_X} with the intent to change the rows,
     *     {@link LockMode#NONE} for reading at each transaction's isolation level
     * @return how many have left
     */
    public int fetch(
            TableAccess[] accesses,
            Key[] keysOfMembers,
            Record[] into,
            boolean[] found,
            boolean[] left,
            int count,
            int changeMode) {
        int leftCount = 0;
        for (int from = 0; from < count; from += FetchChunks.FETCHES_MAX) {
            int to = Math.min(count, from + FetchChunks.FETCHES_MAX);
            for (int i = from; i < to; i++) {
                found[i] = false;
                left[i] = accesses[i] == null;
                leftCount += left[i] ? 1 : 0;
                isServed[i - from] = left[i];
            }
            for (int i = from; i < to; i++) {
                if (isServed[i - from]) {
                    continue;
                }
                int mode = lockMode(accesses[i], changeMode);
                if (mode == LockMode.NONE && accesses[i].session().reading().isOpen()) {
                    left[i] = !fetchOfSnapshot(accesses[i], keysOfMembers[i], into[i], found, i);
                    leftCount += left[i] ? 1 : 0;
                    continue;
                }
                boolean instant = isInstant(accesses[i], mode, changeMode);
                gather(accesses, keysOfMembers, into, i, from, to, changeMode);
                leftCount += run(accesses, found, left, mode, instant);
            }
        }
        return leftCount;
    }

    /** False where the snapshot cannot be read any more, which is no failure of the others: its own fetch says so. */
    private static boolean fetchOfSnapshot(TableAccess access, Key key, Record into, boolean[] found, int member) {
        try {
            found[member] = access.fetch(key.bytes(), key.length(), into);
            return true;
        } catch (SnapshotTooOldException tooOld) {
            return false;
        }
    }

    private static int lockMode(TableAccess access, int changeMode) {
        return changeMode == LockMode.NONE ? access.readLockMode() : changeMode;
    }

    private static boolean isInstant(TableAccess access, int mode, int changeMode) {
        return changeMode == LockMode.NONE && access.session().readsWithInstantLocks(mode);
    }

    /** Makes a group of the member {@code first} and those behind it that lock as it does. */
    private void gather(
            TableAccess[] accesses, Key[] keysOfMembers, Record[] into, int first, int from, int to, int changeMode) {
        int mode = lockMode(accesses[first], changeMode);
        boolean instant = isInstant(accesses[first], mode, changeMode);
        HintedFetches hinted = hinted(accesses[first]);
        groupSize = 0;
        for (int i = first; i < to; i++) {
            if (isServed[i - from]) {
                continue;
            }
            SessionCore session = accesses[i].session();
            int ownMode = lockMode(accesses[i], changeMode);
            if (ownMode == mode
                    && isInstant(accesses[i], ownMode, changeMode) == instant
                    && (mode != LockMode.NONE || !session.reading().isOpen())) {
                isServed[i - from] = true;
                members[groupSize] = i;
                keys[groupSize] = keysOfMembers[i];
                records[groupSize] = into[i];
                fetches[groupSize] = session.fetchBesideOthers();
                hinted.join(groupSize++, session.context());
            }
        }
    }

    private HintedFetches hinted(TableAccess access) {
        if (hintedOrNull[0] == null) {
            hintedOrNull[0] = HintedFetches.ofTeam(access.session().instance().locks());
        }
        return hintedOrNull[0];
    }

    /** Runs the group; returns how many have left. */
    private int run(TableAccess[] accesses, boolean[] found, boolean[] left, int mode, boolean instant) {
        TableAccess leader = accesses[members[0]];
        HintedFetches hinted = hinted(leader);
        hinted.start(leader.table().tree(), keys, records, 0, groupSize, mode, instant);
        int leftTogether = leader.session()
                .driver
                .runHinted(
                        hintedOrNull,
                        fetchesOfChunk,
                        1,
                        running,
                        leader.table().operations().fetch());
        // Reading an overflow chain needs a lock that stays, for which a member may have to wait.
        boolean needsLock = mode == LockMode.NONE || instant;
        int leftCount = 0;
        for (int i = 0; i < groupSize; i++) {
            int member = members[i];
            boolean isLeftBehind = hinted.isLeft(i) && (hinted.isLockMissing(i) || hasLeft(fetches[i], leftTogether));
            left[member] = isLeftBehind || (needsLock && hinted.found(i) && hinted.isOverflow(i));
            if (!left[member]) {
                found[member] = accesses[member].complete(hinted, i, keys[i], records[i], mode, instant);
            }
            leftCount += left[member] ? 1 : 0;
        }
        return leftCount;
    }

    @SuppressWarnings("ReferenceEquality") // that very operation
    private boolean hasLeft(FetchOperation fetch, int leftCount) {
        for (int i = 0; i < leftCount; i++) {
            if (running[i] == fetch) {
                return true;
            }
        }
        return false;
    }
}
