package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.HintedSlots;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.NodeLines;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.lock.LockManager;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockRequests;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.engine.type.KeyBuffer;
import dev.lockstep.engine.type.StoredRow;
import java.util.Arrays;

/**
 * Fetches the records of several keys of one table side by side, each where its hint says that it is: what as many
 * {@link FetchOperation}s do in stages, done in a loop for each stage. Those whose hint is missing or wrong are locked
 * here too, in the order of the keys, and left to such an operation.
 *
 * <p>All keys are of one transaction, or each of one of its own: then nobody waits for a lock, and a key whose lock is
 * not free is {@linkplain #isLockMissing left without it}.
 *
 * <p>Steps: {@link #start}, {@link #findHints}, {@link #touchHints}, {@link #followHints}, {@link #enterLeaves} until
 * it says that it is at its end, {@link #copyRecords}, and {@link #startOthers} where some are left. Behind
 * {@code followHints} and {@code enterLeaves} the lines are to be prefetched that they have named. Several of these
 * objects, of several tables, can take their steps together. No latch is held between steps, nor in them.
 *
 * <p>Invariants, for each key by its number:
 * <ul>
 *   <li>Behind {@code enterLeaves} its lock is held in the mode asked for, or locks are only tested, or it is in
 *       {@code missingLocks}.
 *   <li>{@code slotWords} is {@link Node#NO_SLOT_WORD} where the key is left to an operation of its own.
 * </ul>
 *
 * Used by one thread at a time; reusable, without allocation.
 */
public final class HintedFetches {
    /** Most keys of one group. */
    public static final int KEYS_MAX = HintedSlots.KEYS_MAX;

    private final LockManager locks;
    private final TransactionContext[] contexts = new TransactionContext[KEYS_MAX];
    private final boolean isTeam;

    /** Of a team; null where all keys are of one transaction. */
    private final LockRequests requestsOrNull;

    private final HintedSlots slots = new HintedSlots();
    private final long[] slotWords = new long[KEYS_MAX];
    private final boolean[] found = new boolean[KEYS_MAX];
    private final FetchOperation[] others = new FetchOperation[KEYS_MAX];

    private BTree tree;
    private KeyBuffer[] keys;
    private StoredRow[] into;
    private int from;
    private int count;
    private int lockMode;
    private boolean lockInstant;

    /** The locks of the keys before that number are held, or missing. */
    private int locked;

    /** A bit for each key. */
    private int missingLocks;

    private long neededLockName;

    private HintedFetches(LockManager locks, boolean isTeam) {
        this.locks = locks;
        this.isTeam = isTeam;
        requestsOrNull = isTeam ? new LockRequests(KEYS_MAX) : null;
    }

    /** Makes fetches of one transaction. */
    public static HintedFetches ofOne(LockManager locks, TransactionContext context) {
        HintedFetches fetches = new HintedFetches(locks, false);
        Arrays.fill(fetches.contexts, context);
        return fetches;
    }

    /** Makes fetches of which each is to be {@linkplain #join given} its transaction before they start. */
    public static HintedFetches ofTeam(LockManager locks) {
        return new HintedFetches(locks, true);
    }

    /** Says whose fetch that of the key with a number will be. */
    public void join(int number, TransactionContext context) {
        contexts[number] = context;
    }

    /**
     * Aims at keys.
     *
     * @param searched the keys, from index {@code first} to {@code end}, exclusive: at most {@link #KEYS_MAX}
     * @param targets take the records, at the same indexes
     * @param mode the key lock, or {@link LockMode#NONE}
     * @param instant whether the lock is only tested
     */
    public void start(
            BTree source, KeyBuffer[] searched, StoredRow[] targets, int first, int end, int mode, boolean instant) {
        tree = source;
        keys = searched;
        into = targets;
        from = first;
        count = end - first;
        lockMode = mode;
        lockInstant = instant;
        locked = 0;
        missingLocks = 0;
    }

    /** Number of keys that it aims at. */
    public int keyCount() {
        return count;
    }

    /** Finds out where the hints lie. */
    public void findHints() {
        slots.find(tree, keys, from, count);
    }

    /** Has the hints on their way. */
    public void touchHints() {
        slots.touch(count);
    }

    /** Reads the hints, and names the lines of where they lead to. */
    public void followHints(GroupPrefetch prefetch) {
        slots.follow(keys, from, count, prefetch);
    }

    /**
     * Locks the keys, looks for them, and names the lines of their records.
     *
     * @return false if {@link #neededLockName} has to be waited for, and then to be called again
     */
    public boolean enterLeaves(GroupPrefetch prefetch) {
        if (lockMode != LockMode.NONE && !lockInstant && !takeLocks()) {
            return false;
        }
        for (int number = 0; number < count; number++) {
            long word = isLockMissingOf(number) ? Node.NO_SLOT_WORD : slots.enter(number, keys[from + number]);
            slotWords[number] = word;
            if (word != Node.NO_SLOT_WORD) {
                NodeLines.addCellLines(prefetch, slots.page(number), word, into[from + number].valueBytesWanted());
            }
        }
        return true;
    }

    /** Returns false if a lock has to be waited for. */
    private boolean takeLocks() {
        if (isTeam) {
            takeLocksOfMembers();
            return true;
        }
        long[] names = contexts[0].lockNames();
        for (int number = locked; number < count; number++) {
            names[number] = lockName(number);
        }
        locked = locks.tryLockKeys(contexts[0].lockOwner(), names, locked, count, lockMode);
        if (locked < count) {
            neededLockName = names[locked];
            return false;
        }
        return true;
    }

    private void takeLocksOfMembers() {
        LockRequests requests = requestsOrNull;
        for (int number = 0; number < count; number++) {
            requests.add(contexts[number].lockOwner(), lockName(number), lockMode);
        }
        try {
            if (!locks.tryLockKeys(requests)) {
                for (int number = 0; number < count; number++) {
                    missingLocks |= requests.isGranted(number) ? 0 : 1 << number;
                }
            }
        } finally {
            requests.clear();
        }
        locked = count;
    }

    private long lockName(int number) {
        KeyBuffer key = keys[from + number];
        return LockName.ofKey(tree.treeId(), tree.leadingBytes(), key.bytes(), 0, key.length());
    }

    /** Whether the key of a member of a team is left because its lock is not free. */
    public boolean isLockMissing(int index) {
        return isLockMissingOf(index - from);
    }

    private boolean isLockMissingOf(int number) {
        return (missingLocks >>> number & 1) != 0;
    }

    /** Whether each key is of a transaction of its own. */
    public boolean isTeam() {
        return isTeam;
    }

    /** The lock to wait for, in the mode of all, where {@link #enterLeaves} has said so. */
    public long neededLockName() {
        return neededLockName;
    }

    /** The mode of the locks. */
    public int lockMode() {
        return lockMode;
    }

    /** The tree that the keys are of. */
    public BTree tree() {
        return tree;
    }

    /**
     * Copies the records that were found.
     *
     * @return how many keys are left to operations of their own
     */
    public int copyRecords() {
        int others = 0;
        for (int i = 0; i < count; i++) {
            if (slotWords[i] == Node.NO_SLOT_WORD || !copy(i, slotWords[i])) {
                slotWords[i] = Node.NO_SLOT_WORD;
                others++;
            } else {
                contexts[i].pageAccesses().countAccess();
            }
        }
        return others;
    }

    /** Whether the key's record, or that there is none, is known now. */
    private boolean copy(int number, long slotWord) {
        long page = slots.page(number);
        if (lockInstant
                && Node.versionOf(tree.environment().memory(), page, slotWord) >= contexts[number].committedBelow()
                && !isLockFree(number)) {
            return false;
        }
        boolean isThere = !RecordOperation.isGhost(Node.flagsOf(slotWord));
        if (isThere) {
            StoredRow target = into[from + number];
            RecordOperation.copyValue(tree.environment().memory(), page, slotWord, target);
            target.setPosition(
                    slots.pageId(number),
                    slots.frame(number),
                    slots.slot(number),
                    slots.version(number),
                    tree.stamp(),
                    RecordOperation.lockStamp(contexts[number], lockMode, lockInstant));
        }
        if (!slots.validate(number)) {
            return false;
        }
        found[number] = isThere;
        if (isThere && !isOverflow(slotWord)) {
            complete(keys[from + number], into[from + number]);
        }
        return true;
    }

    private static void complete(KeyBuffer key, StoredRow row) {
        row.setKey(key.bytes(), key.length());
        row.loaded();
    }

    private static boolean isOverflow(long slotWord) {
        return (Node.flagsOf(slotWord) & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    private boolean isLockFree(int number) {
        return locks.tryLockInstant(contexts[number].lockOwner(), lockName(number), lockMode);
    }

    /**
     * Aims operations at the keys that are left to them and whose locks are held. They are {@linkplain
     * FetchOperation#besideOthers beside others}, and past their hints.
     *
     * @param fetches one for each key, by its number
     * @param running takes those that have a key, sorted by it
     * @param at index of the first of them in {@code running}
     * @return index behind the last
     */
    public int startOthers(FetchOperation[] fetches, RecordOperation[] running, int at) {
        int next = at;
        for (int i = 0; i < count; i++) {
            if (slotWords[i] == Node.NO_SLOT_WORD && !isLockMissingOf(i)) {
                KeyBuffer key = keys[from + i];
                fetches[i].startLocked(tree, key.bytes(), key.length(), lockMode, lockInstant, into[from + i]);
                fetches[i].followHint();
                others[i] = fetches[i];
                running[next++] = fetches[i];
            }
        }
        TreeDescent.sortByKey(running, at, next);
        return next;
    }

    /** Whether a key is left to an operation of its own. */
    public boolean isLeft(int index) {
        return slotWords[index - from] == Node.NO_SLOT_WORD;
    }

    /** Whether a key has a record, as these fetches or the operation that it was left to have found. */
    public boolean found(int index) {
        return isLeft(index) ? others[index - from].found() : found[index - from];
    }

    /** Whether what was copied for a key is the stub of an overflow chain. */
    public boolean isOverflow(int index) {
        return isLeft(index) ? others[index - from].isOverflow() : isOverflow(slotWords[index - from]);
    }

    /** Whether what was copied for a key is a row already, and not only a value. */
    public boolean isLoaded(int index) {
        return !isLeft(index) && !isOverflow(slotWords[index - from]);
    }
}
