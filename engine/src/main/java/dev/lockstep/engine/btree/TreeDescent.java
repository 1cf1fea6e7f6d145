package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.scheduler.latch.Backoff;
import dev.lockstep.scheduler.latch.LatchTable;

/**
 * A walk from the root towards a key by optimistic lock coupling, one node a {@linkplain #descend() stage}. It holds
 * no latch: a node is read between taking its version and validating it, and a child's version is taken before the
 * parent is validated, so that the child is known to have been the right one.
 *
 * <p>Source: V. Leis, M. Haubenschild, T. Neumann, "Optimistic Lock Coupling: A Scalable and Efficient
 * General-Purpose Synchronization Method", IEEE Data Engineering Bulletin 42(1), 2019.
 *
 * <p>A stage enters the node that the stage before it has found, and looks up the next one, but does not touch it: so
 * whoever runs the stages of several walks in turn can have the next nodes of all of them {@linkplain #addNextLines on
 * their way} from memory at once, where a single walk waits for one after the other.
 *
 * <p>A walk to a leaf may begin at a {@link LeafHints hint} in place of the root. It then is one stage long, and proves
 * that it stands on the right leaf before it believes anything there.
 *
 * <p>Walks whose stages run in turn can descend together, each {@linkplain #enterBehind behind} the one before it: a
 * node that the other has entered from the same parent is visited once for both, and where the keys are {@linkplain
 * #sortByKey sorted} its search is spared too, as long as both lead to the same child.
 *
 * <p>Invariants, between stages:
 * <ul>
 *   <li>{@code frame} held page {@code pageId} when its latch had {@code version}; {@code pageId} is -1 before the
 *       first stage and after a restart.
 *   <li>{@code nextFrame} held page {@code nextPageId}, the child to enter next, when it was looked up;
 *       {@code nextPageId} is -1 at the root's door and where the walk has arrived.
 *   <li>{@code hinted} while the next node, or the one on which the walk stands, was guessed ({@link LeafHints}); the
 *       next node is then {@code nextFrame}, whatever page that holds.
 *   <li>A page that was entered as the root was the root when its frame's latch had {@code version}: the root leaves
 *       its page only under the exclusive latch.
 *   <li>{@code share} is of the node at {@code nextFrame}, and once the walk has entered that, of it.
 *   <li>{@code parentFrame} and {@code parentVersion} name the node from which this one was reached, at child
 *       {@code childIndex}; the frame is {@code NO_PARENT} at the root, and {@code PARENT_UNKNOWN} where the walk did
 *       not descend to its node.
 * </ul>
 *
 * Used by one thread at a time; reusable.
 */
public class TreeDescent {
    /** The stage is done, the next one can run. */
    public static final int CONTINUE = 0;

    /** The operation is over. */
    public static final int DONE = 1;

    /** Page {@link #neededPageId} has to be loaded before the next stage. */
    public static final int LOAD_PAGE = 2;

    /** A lock has to be waited for before the next stage. */
    public static final int WAIT_FOR_LOCK = 3;

    /** The leaf has to be split before the next stage. */
    public static final int MAKE_ROOM = 4;

    /** No page: before the root, or at the end of the walk. */
    protected static final int NO_PAGE = -1;

    /** The parent's frame of a root. */
    private static final int NO_PARENT = -1;

    /** The parent's frame of a node that was not reached through it. */
    protected static final int PARENT_UNKNOWN = -2;

    /** As the next page: whichever the frame holds that was guessed. */
    private static final int GUESSED_PAGE = Integer.MAX_VALUE;

    private static final int NO_SLOT_GUESSED = -1;

    /** What becomes of the place where the walk arrives: nothing, ... */
    private static final int REMEMBER_NOTHING = 0;

    /** ... where the key is, ... */
    private static final int REMEMBER_KEY = 1;

    /** ... or where it is put. */
    private static final int REMEMBER_PUT = 2;

    protected BTree tree;
    protected byte[] key = KeyBytes.EMPTY;
    protected int keyBytes;
    protected boolean below;
    protected int targetLevel;

    protected BufferPool pool;
    protected LatchTable latches;
    protected NativeMemory memory;
    protected int pageId = NO_PAGE;
    protected int frame;
    protected long version;
    protected long page;
    protected int parentFrame;
    protected long parentVersion;
    protected int childIndex;
    protected int nextPageId = NO_PAGE;
    protected int nextFrame;
    protected int nextChildIndex;
    protected int neededPageId;
    /** The walk serves a scan so long that its pages should not push out those of others. */
    protected boolean longScan;

    private LeafHints hints;
    private long hintPlace;
    private int putCount;
    private int remembers;
    private boolean hinted;
    private int hintedSlot;
    private long followedHint = LeafHints.NONE;
    /** Where in the node that was entered last, or comes next, the key may be, or {@link Node#SHARE_UNKNOWN}. */
    private double share = Node.SHARE_UNKNOWN;

    private boolean alone = true;
    private long restartCount;

    @SuppressWarnings("UnusedVariable") // written so that no compiler leaves out the reads that it adds up
    private long touched;

    /**
     * Says whether stages of other walks will run between those of this one, with {@link #addNextLines} before them. A
     * walk that is alone touches by itself, as soon as it has looked up the node that it was aimed at: 660 to 550 ns a
     * row in a table of 330 MB. In a batch that would be once too often, 339 to 452 ns.
     */
    protected final void walksBesideOthers(boolean beside) {
        alone = !beside;
    }

    /** Aims at the node of {@code level} whose range holds the key. */
    protected final void aim(BTree target, byte[] searched, int searchedBytes, int level) {
        aim(target, searched, searchedBytes, level, false);
    }

    /** Aims at the node that holds the key or, with {@code keysBelow}, the keys just below it. */
    protected final void aim(BTree target, byte[] searched, int searchedBytes, int level, boolean keysBelow) {
        if (tree != target) {
            tree = target;
            pool = target.environment().pool();
            latches = target.environment().latches();
            memory = target.environment().memory();
            hints = target.environment().hints();
        }
        key = searched;
        keyBytes = searchedBytes;
        targetLevel = level;
        below = keysBelow;
        pageId = NO_PAGE;
        nextPageId = NO_PAGE;
        remembers = REMEMBER_NOTHING;
        hinted = false;
        share = Node.SHARE_UNKNOWN;
    }

    /**
     * Requires that the fence of a leaf leads on from the key by which a walk has come there, which lies within the
     * fences of every sound leaf: another fence would lead to the same leaf again and again. The fence is validated.
     *
     * @param backwards whether it is the lower fence, and the walk has come for the keys below the given one
     * @throws CorruptionException if not
     */
    protected final void requireLeadsOn(byte[] fence, int fenceBytes, byte[] from, int fromBytes, boolean backwards) {
        int order = KeyBytes.compare(fence, fenceBytes, from, fromBytes);
        if (backwards ? order >= 0 : order <= 0) {
            throw new CorruptionException(Message.of("the fence of a leaf leads to no other leaf")
                    .with("treeId", tree.treeId())
                    .with("pageId", pageId)
                    .remedy("Restore the database from a backup."));
        }
    }

    /**
     * Has a walk that was just aimed at a leaf begin where a key like this one was found last. What it arrives at
     * counts only if it {@linkplain #isRightLeaf is the right leaf}.
     *
     * @param wholeKey whether a record has this key, not only a range of records; its slot is then guessed as well
     */
    protected final void tryHint(boolean wholeKey) {
        findHint(wholeKey);
        followHint(wholeKey);
    }

    /** The first half of {@link #tryHint}: finds out where the hint lies, and does not read it. */
    protected final void findHint(boolean wholeKey) {
        hintPlace = hints.placeOf(tree.treeId(), tree.hintGroupShift(), key, keyBytes, wholeKey);
        remembers = REMEMBER_KEY;
    }

    /** Reads the hint of {@link #findHint} for no other purpose than to have its cache line on the way. */
    protected final long readHint() {
        return hints.touch(hintPlace);
    }

    /** The second half of {@link #tryHint}. */
    protected final void followHint(boolean wholeKey) {
        long hint = hints.hintOpaque(hintPlace, key, keyBytes);
        if (hint != LeafHints.NONE) {
            followedHint = hint;
            beginAt(LeafHints.frame(hint), wholeKey ? LeafHints.slot(hint, hintPlace, key, keyBytes) : NO_SLOT_GUESSED);
        }
    }

    /**
     * Has a walk that was just aimed at the leaf to put a new key into begin where one like it was put last.
     *
     * @param distinctKeyBytes how many bytes of the key tell it from all others: what is behind them says nothing of
     *     where it belongs
     * @param count how many keys are put one behind the other, of which this is the first
     */
    protected final void tryHintOfPut(int distinctKeyBytes, int count) {
        putCount = count;
        hintPlace = hints.placeOfPut(tree.treeId(), key, distinctKeyBytes);
        remembers = REMEMBER_PUT;
        long hint = hints.hintOpaque(hintPlace);
        if (hint != LeafHints.NONE && LeafHints.isWorthFollowing(hint)) {
            beginAt(LeafHints.frame(hint), LeafHints.slotBehindPut(hint));
        }
    }

    /** Has a walk that was just aimed at a leaf begin at a frame that may hold it, as after a hint. */
    protected final void beginAtFrame(int guessedFrame) {
        beginAt(guessedFrame, NO_SLOT_GUESSED);
    }

    private void beginAt(int guessedFrame, int guessedSlot) {
        hinted = true;
        hintedSlot = guessedSlot;
        nextPageId = GUESSED_PAGE;
        nextFrame = guessedFrame;
        if (alone) {
            touched = touch();
        }
    }

    /** Whether the node on which the walk stands was guessed. */
    protected final boolean isHinted() {
        return hinted;
    }

    /** Whether stages of other walks run between those of this one. */
    protected final boolean isBesideOthers() {
        return !alone;
    }

    /**
     * The {@link Node#slotWord} of the record with the key, if the walk began with a hint that named the leaf and the
     * slot, both are right, and the hint has nothing to learn; else {@link Node#NO_SLOT_WORD}. A leaf of the tree that
     * has the key is {@linkplain #isRightLeaf the right one}. To be validated before it is believed.
     */
    protected final long hintedSlotWord() {
        if (!hinted || remembers != REMEMBER_KEY) {
            return Node.NO_SLOT_WORD;
        }
        int slotCount = Node.slotCount(memory, page);
        return LeafHints.isRight(followedHint, hintPlace, hintedSlot, slotCount, key, keyBytes)
                ? Node.slotWordOfKey(memory, page, slotCount, hintedSlot, key, keyBytes)
                : Node.NO_SLOT_WORD;
    }

    /** The slot of {@link #hintedSlotWord}. */
    protected final int hintedSlot() {
        return hintedSlot;
    }

    /** What {@link Node#find} answers in the leaf on which the walk stands. */
    protected final int findInLeaf() {
        if (share != Node.SHARE_UNKNOWN) {
            return Node.findFrom(memory, page, key, keyBytes, Node.slotAt(memory, page, share));
        }
        if (hinted && remembers == REMEMBER_PUT && hintedSlot >= 0) {
            return Node.findFrom(memory, page, key, keyBytes, hintedSlot);
        }
        return hinted && Node.isKeyAt(memory, page, hintedSlot, key, keyBytes)
                ? hintedSlot
                : Node.find(memory, page, key, keyBytes);
    }

    /**
     * Whether the leaf on which the walk stands is the one that it was aimed at: after a hint that has to be seen. To
     * be asked, and the answer to be validated, before anything in the leaf is believed but {@link #hintedSlotWord}.
     *
     * @param found what {@link #findInLeaf} has answered
     */
    protected final boolean isRightLeaf(int found) {
        if (hinted && !Node.coversAt(memory, page, key, keyBytes, found)) {
            return false;
        }
        int slot = found >= 0 ? found : -found - 1;
        if (remembers == REMEMBER_KEY) {
            hints.remember(hintPlace, frame, slot, Node.slotCount(memory, page), key, keyBytes);
        } else if (remembers == REMEMBER_PUT) {
            hints.rememberPut(hintPlace, frame, slot + putCount - 1);
        }
        return true;
    }

    /** Whether the walk goes from the root, and not to where a hint has named a leaf. */
    public final boolean isFromRoot() {
        return !hinted;
    }

    /** Whether a walk in the same tree has a key that is not above this one's; false in another tree. */
    private boolean isNotBelow(TreeDescent other) {
        return tree == other.tree && KeyBytes.compare(other.key, other.keyBytes, key, keyBytes) <= 0;
    }

    /**
     * Sorts walks that have been aimed by tree and key, so that neighbours have as much of their way in common as there
     * is. For as many as run side by side, which are few: by insertion.
     *
     * @param from index of the first
     * @param to index behind the last
     */
    public static void sortByKey(TreeDescent[] walks, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            TreeDescent moved = walks[i];
            int at = i;
            while (at > from && moved.sortsBefore(walks[at - 1])) {
                walks[at] = walks[at - 1];
                at--;
            }
            walks[at] = moved;
        }
    }

    /** Whether this walk comes before another in {@link #sortByKey}. */
    public final boolean sortsBefore(TreeDescent other) {
        return tree == other.tree
                ? KeyBytes.compare(key, keyBytes, other.key, other.keyBytes) < 0
                : tree.treeId() < other.tree.treeId();
    }

    /** Starts again at the root: something that was read has changed meanwhile. */
    protected final int restart() {
        pageId = NO_PAGE;
        nextPageId = NO_PAGE;
        hinted = false;
        share = Node.SHARE_UNKNOWN;
        restartCount++;
        return CONTINUE;
    }

    /** How often a walk of this object had to start again. */
    public final long restartCount() {
        return restartCount;
    }

    /** Whether the walk serves a long scan, whose pages are not worth keeping. */
    public final boolean isLongScan() {
        return longScan;
    }

    public final int neededPageId() {
        return neededPageId;
    }

    /** Whether the walk stands on the node that it was aimed at; to be validated like all that was read of it. */
    protected final boolean arrived() {
        return pageId != NO_PAGE && nextPageId == NO_PAGE;
    }

    /**
     * Enters one node, the root at first, and looks up its child unless the walk has arrived.
     *
     * @return {@link #CONTINUE}, or {@link #LOAD_PAGE} with {@link #neededPageId} set
     */
    protected final int descend() {
        if (nextPageId == NO_PAGE && !lookUp(tree.rootPageId())) {
            return LOAD_PAGE;
        }
        if (hinted) {
            return enterGuessed();
        }
        int entered = nextPageId;
        int enteredFrame = nextFrame;
        long enteredVersion = latches.tryOptimisticVersionAcquire(enteredFrame);
        if (enteredVersion == LatchTable.HELD_EXCLUSIVELY) {
            enteredVersion = awaitVersion(entered, enteredFrame);
        }
        boolean isRight = pageId == NO_PAGE ? entered == tree.rootPageId() : latches.validateAcquire(frame, version);
        if (!isRight || pool.pageIdOpaque(enteredFrame) != entered) {
            return restart();
        }
        parentFrame = pageId == NO_PAGE ? NO_PARENT : frame;
        parentVersion = version;
        childIndex = nextChildIndex;
        pageId = entered;
        frame = enteredFrame;
        version = enteredVersion;
        page = BufferPool.address(enteredFrame);
        nextPageId = NO_PAGE;
        if (!longScan) {
            pool.referenced(enteredFrame);
        }
        return Node.level(memory, page) <= targetLevel ? CONTINUE : findChild();
    }

    /**
     * Waits for who changes the next node, but not for who has the latch of its frame for another page: the caller may
     * hold a leaf, for which that one waits.
     *
     * @return the version to read the frame under; whether the page is still there is to be asked under it
     */
    private long awaitVersion(int entered, int enteredFrame) {
        int round = 0;
        // Ends: changes of a page do not wait for those who walk to it.
        while (true) {
            long enteredVersion = latches.tryOptimisticVersionAcquire(enteredFrame);
            if (enteredVersion != LatchTable.HELD_EXCLUSIVELY || pool.pageIdOpaque(enteredFrame) != entered) {
                return enteredVersion;
            }
            round = Backoff.pause(round, pool.watch());
        }
    }

    /**
     * Enters the frame that was guessed, if it holds a leaf of the tree. Does not wait for its latch: who holds that
     * may be about to have it hold something else.
     */
    private int enterGuessed() {
        long enteredVersion = latches.tryOptimisticVersionAcquire(nextFrame);
        int entered = pool.pageIdOpaque(nextFrame);
        if (enteredVersion == LatchTable.HELD_EXCLUSIVELY || entered < 0) {
            return restart();
        }
        parentFrame = PARENT_UNKNOWN;
        pageId = entered;
        frame = nextFrame;
        version = enteredVersion;
        page = BufferPool.address(nextFrame);
        nextPageId = NO_PAGE;
        if (!longScan) {
            pool.referenced(nextFrame);
        }
        if (!isLeafOfTree()) {
            return restart();
        }
        if (Node.prefixBytes(memory, page) != 0) {
            tree.metPrefix();
        }
        return CONTINUE;
    }

    private boolean isLeafOfTree() {
        return Node.isNode(memory, page)
                && PageLayout.treeId(memory, page) == tree.treeId()
                && Node.level(memory, page) == 0;
    }

    /**
     * Whether another walk stands on the node that this one enters next, and has come there from where this one stands.
     * That it is the right one is proved for this walk as well: the other has validated the parent, under the version
     * under which this one has chosen the node and validated its choice, behind taking the node's version.
     *
     * @param other of the same pool and between two of its stages
     */
    protected final boolean canEnterBehind(TreeDescent other) {
        if (tree != other.tree || other.pageId == NO_PAGE) {
            return false;
        }
        if (pageId == NO_PAGE && nextPageId == NO_PAGE) {
            return other.parentFrame == NO_PARENT && other.pageId == tree.rootPageId();
        }
        return other.pageId == nextPageId
                && other.frame == nextFrame
                && (pageId == NO_PAGE
                        ? other.parentFrame == NO_PARENT
                        : other.parentFrame == frame && other.parentVersion == version);
    }

    /** As {@link #descend}, into a node that another walk has {@linkplain #canEnterBehind entered}. */
    protected final int enterBehind(TreeDescent other) {
        parentFrame = other.parentFrame;
        parentVersion = other.parentVersion;
        childIndex = nextChildIndex;
        pageId = other.pageId;
        frame = other.frame;
        version = other.version;
        page = other.page;
        nextPageId = NO_PAGE;
        if (Node.level(memory, page) <= targetLevel) {
            return CONTINUE;
        }
        return other.nextPageId != NO_PAGE && !below && !other.below && isNotBelow(other)
                ? findChildFrom(other)
                : findChild();
    }

    /**
     * Takes another's child where this one's key, which is not below the other's, is not above that child's range. What
     * is read for that is of a later moment than what the other has validated, and is validated at once: who goes
     * {@linkplain #enterBehind behind another} into the child asks no more.
     */
    private int findChildFrom(TreeDescent other) {
        int index = other.nextChildIndex;
        if (index < Node.slotCount(memory, page) && Node.compareSlot(memory, page, index, key, keyBytes) <= 0) {
            return findChild();
        }
        double shareOfChild = Node.shareOfChild(memory, page, index, key, keyBytes);
        if (!validate()) {
            return restart();
        }
        share = shareOfChild;
        nextChildIndex = index;
        nextPageId = other.nextPageId;
        nextFrame = other.nextFrame;
        return CONTINUE;
    }

    private int findChild() {
        int found = share == Node.SHARE_UNKNOWN
                ? Node.find(memory, page, key, keyBytes)
                : Node.findFrom(memory, page, key, keyBytes, Node.slotAt(memory, page, share));
        int index = below ? Node.childIndexBelow(found) : Node.childIndex(found);
        int child = Node.child(memory, page, index);
        double shareOfChild = Node.shareOfChild(memory, page, index, key, keyBytes);
        if (!latches.validateAcquire(frame, version)) {
            return restart();
        }
        nextChildIndex = index;
        share = shareOfChild;
        if (!lookUp(child)) {
            return LOAD_PAGE;
        }
        if (alone && Node.level(memory, page) == targetLevel + 1) {
            touched = latches.touch(nextFrame) + NodeLines.touchFirstSlots(memory, BufferPool.address(nextFrame));
        }
        return CONTINUE;
    }

    /** Makes a page the next one to enter; begins anew at the root where it has to be loaded first. */
    private boolean lookUp(int next) {
        int found = pool.residentFrameAcquire(next);
        if (found < 0) {
            neededPageId = next;
            pageId = NO_PAGE;
            nextPageId = NO_PAGE;
            share = Node.SHARE_UNKNOWN;
            return false;
        }
        nextPageId = next;
        nextFrame = found;
        return true;
    }

    /**
     * Says what the next stage will read first, to have it on its way from memory while others work.
     *
     * @param prefetch takes the lines
     */
    public void addNextLines(GroupPrefetch prefetch) {
        if (nextPageId == NO_PAGE) {
            addLinesOfArrival(prefetch);
            return;
        }
        long next = BufferPool.address(nextFrame);
        prefetch.addLatch(nextFrame);
        if (hinted && hintedSlot >= 0) {
            NodeLines.addSlotLines(prefetch, next, hintedSlot);
            if (tree.touchesFences()) {
                NodeLines.addLowerFenceLine(prefetch, next);
            }
        } else if (hinted) {
            NodeLines.addFirstLines(prefetch, next);
        } else {
            NodeLines.addHeaderLines(prefetch, next);
        }
    }

    /** Says which lines tell whether a record is where it was seen: of the latch, the header and the slot. */
    protected static void addPlaceLines(GroupPrefetch prefetch, int seenFrame, int seenSlot) {
        prefetch.addLatch(seenFrame);
        NodeLines.addSlotLines(prefetch, BufferPool.address(seenFrame), seenSlot);
    }

    /** The header of the node where the walk has arrived came with the stage before; it tells where the key may be. */
    private void addLinesOfArrival(GroupPrefetch prefetch) {
        if (pageId == NO_PAGE || hinted) {
            return;
        }
        if (share == Node.SHARE_UNKNOWN) {
            NodeLines.addFirstSlotLines(prefetch, memory, page);
        } else {
            NodeLines.addGuessLines(prefetch, page, Node.slotAt(memory, page, share));
        }
    }

    /** Reads what the next stage will read first, for a walk that is alone; see {@link #addNextLines}. */
    private long touch() {
        long next = BufferPool.address(nextFrame);
        long sum = latches.touch(nextFrame);
        if (tree.touchesFences()) {
            sum += NodeLines.touchLowerFence(memory, next);
        }
        return sum
                + (hintedSlot < 0 ? NodeLines.touchSlots(memory, next) : NodeLines.touchSlot(memory, next, hintedSlot));
    }

    /** Whether nothing of the node has changed since the walk reached it. */
    protected final boolean validate() {
        return latches.validateAcquire(frame, version);
    }
}
