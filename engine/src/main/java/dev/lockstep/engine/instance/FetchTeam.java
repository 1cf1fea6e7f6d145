package dev.lockstep.engine.instance;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;

/**
 * Fetches of several sessions that one thread runs stage by stage: each member keeps its transaction, its locks and the
 * state of its search; what they share is the loop. Whoever would have to wait leaves. Used by one thread at a time,
 * which is that of all members.
 */
public final class FetchTeam {
    private final FetchOperation[] fetches = new FetchOperation[BatchFetch.FETCHES_TOGETHER_MAX];
    private final FetchOperation[] running = new FetchOperation[BatchFetch.FETCHES_TOGETHER_MAX];
    private final int[] modes = new int[BatchFetch.FETCHES_TOGETHER_MAX];
    private final boolean[] instants = new boolean[BatchFetch.FETCHES_TOGETHER_MAX];

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    /** An empty team. */
    public FetchTeam() {}

    /**
     * Fetches a row for each of the first {@code count} members; teams beyond {@link BatchFetch#FETCHES_TOGETHER_MAX}
     * are split.
     *
     * @param accesses of sessions that are all different; null for a member that has left already
     * @param found takes for each member whether there is a row
     * @param left takes for each member whether it has left, without its row
     * @param changeMode {@link LockMode#KEY_U} or {@link LockMode#KEY_X} with the intent to change the rows,
     *     {@link LockMode#NONE} for reading at each transaction's isolation level
     * @return how many have left
     */
    public int fetch(
            TableAccess[] accesses,
            Key[] keys,
            Record[] into,
            boolean[] found,
            boolean[] left,
            int count,
            int changeMode) {
        int leftCount = 0;
        for (int from = 0; from < count; from += BatchFetch.FETCHES_TOGETHER_MAX) {
            int to = Math.min(count, from + BatchFetch.FETCHES_TOGETHER_MAX);
            int inLoop = start(accesses, keys, into, from, to, changeMode);
            touchHints(inLoop);
            for (int i = 0; i < inLoop; i++) {
                running[i].followHint();
            }
            int leftHere = run(leader(accesses, from, to), inLoop);
            for (int i = from; i < to; i++) {
                found[i] = false;
                left[i] = accesses[i] == null || hasLeft(fetches[i - from], leftHere);
                if (!left[i]) {
                    complete(accesses[i], keys[i], into[i], found, left, i, i - from);
                }
                leftCount += left[i] ? 1 : 0;
            }
        }
        return leftCount;
    }

    /** The first member that has not left already, or null. */
    private static TableAccess leader(TableAccess[] accesses, int from, int to) {
        int leader = from;
        while (leader < to && accesses[leader] == null) {
            leader++;
        }
        return leader == to ? null : accesses[leader];
    }

    private int run(TableAccess leaderOrNull, int inLoop) {
        if (leaderOrNull == null) {
            return 0;
        }
        return leaderOrNull
                .session()
                .driver
                .runTeam(running, inLoop, leaderOrNull.table().operations().fetch());
    }

    /** Aims the members; returns how many run in the loop: all but readers of snapshots and those that have left. */
    private int start(TableAccess[] accesses, Key[] keys, Record[] into, int from, int to, int changeMode) {
        int inLoop = 0;
        for (int i = from; i < to; i++) {
            TableAccess access = accesses[i];
            fetches[i - from] = null;
            if (access == null) {
                continue;
            }
            int mode = changeMode == LockMode.NONE ? access.readLockMode() : changeMode;
            if (mode == LockMode.NONE && access.session().reading().isOpen()) {
                continue;
            }
            boolean instant = changeMode == LockMode.NONE && access.session().readsWithInstantLocks(mode);
            modes[i - from] = mode;
            instants[i - from] = instant;
            FetchOperation fetch = access.session().fetchBesideOthers();
            Key key = keys[i];
            fetch.start(access.table().tree(), key.bytes(), key.length(), mode, instant, into[i]);
            fetches[i - from] = fetch;
            running[inLoop++] = fetch;
        }
        return inLoop;
    }

    /** A loop so short that the processor is in its next turns while it waits for the first. */
    private void touchHints(int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += running[i].touchHint();
        }
        touched = sum;
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

    /** @param place of the member's fetch among those of this loop */
    private void complete(
            TableAccess access, Key key, Record into, boolean[] found, boolean[] left, int member, int place) {
        FetchOperation fetch = fetches[place];
        if (fetch == null) {
            found[member] = access.fetch(key.bytes(), key.length(), into);
            return;
        }
        int mode = modes[place];
        boolean instant = instants[place];
        if (fetch.found() && fetch.isOverflow() && (mode == LockMode.NONE || instant)) {
            // Reading its chain needs a lock that stays, for which it may have to wait.
            left[member] = true;
            return;
        }
        found[member] = access.complete(fetch, key.bytes(), key.length(), into, mode, instant);
    }
}
