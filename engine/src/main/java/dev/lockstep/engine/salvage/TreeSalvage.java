package dev.lockstep.engine.salvage;

import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * Takes the records of one tree: first those in the leaves to which its root leads, in key order; then, for each range
 * of keys that this has left out, those in leaves to which nothing leads, the newest first.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code holes} are the ranges of keys of which no leaf was taken yet. Each key is taken from one leaf, so no
 *       record comes twice, and an older copy of a leaf gives nothing that a newer one covers.
 *   <li>{@code reached} are the pages that the walks of all trees have met, taken leaves included.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class TreeSalvage {
    private final RedonePages pages;
    private final LogReplay log;
    private final BitSet reached;
    private final int treeId;
    private final KeyRanges holes = new KeyRanges();
    private int pagesLost;

    /** Where a record comes from. */
    enum Origin {
        /** A leaf to which the root leads. */
        WALK,
        /** A leaf to which nothing leads, and that is known to be in use. */
        SCAN,
        /** A leaf that is older than it was written, or may have been given up. */
        PERHAPS_OLD
    }

    /** Receives what is found. */
    interface Sink {
        /** A record that is not deleted: its key and its whole value. */
        void record(byte[] key, byte[] value, Origin origin);

        /** A record that cannot be read. */
        void lost(byte[] key, String why);

        /** Something that is wrong with the tree. */
        void damage(int pageId, String why);
    }

    TreeSalvage(RedonePages pages, LogReplay log, BitSet reached, int treeId) {
        this.pages = pages;
        this.log = log;
        this.reached = reached;
        this.treeId = treeId;
    }

    /** The number of the tree. */
    int treeId() {
        return treeId;
    }

    /** Takes what the root leads to. */
    void walk(int rootPageId, Sink sink) {
        new TreeSurvey(pages::readSound, treeId, new TreeSurvey.Visitor() {
                    @Override
                    public boolean named(int pageId) {
                        return pageId >= pages.pageCount() || !reached.get(pageId);
                    }

                    @Override
                    public void inner(int pageId, int level, NativeMemory node) {
                        reached.set(pageId);
                    }

                    @Override
                    public void leaf(int pageId, NativeMemory leaf) {
                        reached.set(pageId);
                        takeRecords(leaf, null, Origin.WALK, sink);
                    }

                    @Override
                    public void lost(int pageId, int level, byte[] lower, byte[] upperOrNull, String why) {
                        pagesLost++;
                        holes.add(lower, upperOrNull, "page " + pageId + ": " + why);
                        sink.damage(pageId, why);
                    }
                })
                .run(rootPageId);
    }

    /** Takes what else there is for the keys that are missing. */
    void scan(LeafCandidates candidates, Sink sink) {
        if (holes.isEmpty()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory leaf = TreeSurvey.pageMemory(arena);
            for (LeafCandidates.Candidate candidate : candidates.of(treeId)) {
                pages.read(candidate.pageId(), leaf);
                Origin origin = candidate.isSound() && candidates.isUseKnown() ? Origin.SCAN : Origin.PERHAPS_OLD;
                for (KeyRanges.Range range : holes.take(Node.lowerFence(leaf, 0), Node.upperFence(leaf, 0))) {
                    reached.set(candidate.pageId());
                    takeRecords(leaf, range, origin, sink);
                }
            }
        }
    }

    private void takeRecords(NativeMemory leaf, KeyRanges.Range rangeOrNull, Origin origin, Sink sink) {
        long leafLsn = PageLayout.lsn(leaf, 0);
        TreeSurvey.visitRecords(leaf, (key, flags, stored) -> {
            if (rangeOrNull == null || rangeOrNull.holds(key)) {
                take(key, leafLsn, flags, stored, origin, sink);
            }
        });
    }

    private void take(byte[] key, long leafLsn, int flags, byte[] stored, Origin origin, Sink sink) {
        LogReplay.Stored committed = log.committed(treeId, key, leafLsn, flags, stored);
        if (committed == null) {
            sink.lost(key, "the change of a transaction that did not commit cannot be taken back");
            return;
        }
        if (TreeShape.isGhost(committed.flags())) {
            return;
        }
        byte[] value = committed.bytes();
        if (TreeShape.isOverflow(committed.flags())) {
            // An old leaf of LSN 0 does not tell which chains were its own.
            long lsnMax = origin == Origin.PERHAPS_OLD ? leafLsn : pages.chainLsnMax(leafLsn);
            value = TreeSurvey.chain(pages::readSound, treeId, value, lsnMax);
        }
        if (value == null) {
            sink.lost(key, "a part of its value lay in overflow pages that are lost");
        } else {
            sink.record(key, value, origin);
        }
    }

    /** Whether keys are missing. */
    boolean hasHoles() {
        return !holes.isEmpty();
    }

    /** The ranges of keys that are missing. */
    KeyRanges holes() {
        return holes;
    }

    /** Pages to which the tree leads and that cannot be used. */
    int pagesLost() {
        return pagesLost;
    }
}
