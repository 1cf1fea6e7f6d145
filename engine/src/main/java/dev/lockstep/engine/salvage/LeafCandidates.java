package dev.lockstep.engine.salvage;

import dev.lockstep.engine.SalvageReport.UnknownTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.Checkpoint;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The leaves of a file to which no tree leads, by the tree that they say they belong to. A page that the checkpoint
 * knows to be free, and that was not changed since, is none: it was given back and holds what was there before.
 */
final class LeafCandidates {
    /** Trees of no catalog that are told apart; a file of nonsense has no more than it has pages. */
    private static final int UNKNOWN_TREES_MAX = 1_000;

    /** A leaf; sound, or an old copy of itself. */
    record Candidate(int pageId, long lsn, boolean isSound) {}

    private final Map<Integer, List<Candidate>> byTree = new HashMap<>();
    private final Map<Integer, UnknownTree> unknown = new TreeMap<>();
    private final boolean isUseKnown;

    /**
     * Reads all pages.
     *
     * @param files tell which pages are in use: exactly, if the database was closed in order
     * @param wanted the trees whose leaves are asked for
     * @param known those that the catalog names
     * @param reached pages to which a tree leads
     */
    LeafCandidates(RedonePages pages, SourceFiles files, Set<Integer> wanted, Set<Integer> known, BitSet reached) {
        Checkpoint checkpointOrNull = files.checkpointOrNull();
        isUseKnown = checkpointOrNull != null && files.isBitmapExact();
        BitSet inUse = checkpointOrNull == null ? null : BitSet.valueOf(checkpointOrNull.pageBitmap());
        long redoScanLsn = checkpointOrNull == null ? 0 : checkpointOrNull.redoScanLsn();
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            for (int pageId = 1; pageId < pages.pageCount(); pageId++) {
                if (reached.get(pageId)) {
                    continue;
                }
                PageState state = pages.read(pageId, page);
                boolean isFree = inUse != null && !inUse.get(pageId) && PageLayout.lsn(page, 0) < redoScanLsn;
                if (!state.isWhole() || isFree || !TreeSurvey.isLeaf(page) || TreeSurvey.broken(page, pageId) != null) {
                    continue;
                }
                int treeId = PageLayout.treeId(page, 0);
                if (wanted.contains(treeId)) {
                    byTree.computeIfAbsent(treeId, ignored -> new ArrayList<>())
                            .add(new Candidate(pageId, PageLayout.lsn(page, 0), state == PageState.SOUND));
                } else if (!known.contains(treeId)) {
                    addUnknown(treeId, Node.slotCount(page, 0));
                }
            }
        }
    }

    private void addUnknown(int treeId, int recordCount) {
        if (unknown.size() < UNKNOWN_TREES_MAX || unknown.containsKey(treeId)) {
            unknown.merge(
                    treeId,
                    new UnknownTree(treeId, 1, recordCount),
                    (a, b) -> new UnknownTree(treeId, a.leafPages() + 1, a.records() + recordCount));
        }
    }

    /** Whether pages that were given up are known; else one of them may be among the leaves. */
    boolean isUseKnown() {
        return isUseKnown;
    }

    /** The leaves of a tree, the best first: sound ones before old copies, newer ones before older. */
    List<Candidate> of(int treeId) {
        List<Candidate> candidates = byTree.getOrDefault(treeId, new ArrayList<>());
        candidates.sort(Comparator.comparing(Candidate::isSound)
                .thenComparingLong(Candidate::lsn)
                .reversed());
        return candidates;
    }

    /** Leaves of trees that the catalog does not name. */
    List<UnknownTree> unknown() {
        return List.copyOf(unknown.values());
    }
}
