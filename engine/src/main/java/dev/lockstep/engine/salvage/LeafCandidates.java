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
 * knows to be free, and that was not changed since, is none: it was given back and holds what was there before. After a
 * use without a log that did not end in order nobody knows whether it was changed, and a page without an LSN is newer
 * than any that the log had before.
 */
final class LeafCandidates {
    /** Trees of no catalog that are told apart; a file of nonsense has no more than it has pages. */
    private static final int UNKNOWN_TREES_MAX = 1_000;

    /** Of a page that was last changed without a log. */
    private static final long NO_LSN = 0;

    /** A leaf; sound, or an old copy of itself. */
    record Candidate(int pageId, long lsn, boolean isSound) {}

    private final Map<Integer, List<Candidate>> byTree = new HashMap<>();
    private final Map<Integer, UnknownTree> unknown = new TreeMap<>();
    private final boolean isUseKnown;
    private final SourceFiles files;

    /**
     * Reads all pages.
     *
     * @param files tell which pages are in use: exactly, if the database was closed in order
     * @param wanted the trees whose leaves are asked for
     * @param known those that the catalog names
     * @param reached pages to which a tree leads
     */
    LeafCandidates(RedonePages pages, SourceFiles files, Set<Integer> wanted, Set<Integer> known, BitSet reached) {
        this.files = files;
        Checkpoint checkpointOrNull = files.checkpointOrNull();
        isUseKnown = checkpointOrNull != null && files.isBitmapExact();
        boolean isFreeKnown = checkpointOrNull != null && !files.leftUnlogged();
        BitSet inUse = isFreeKnown ? BitSet.valueOf(checkpointOrNull.pageBitmap()) : null;
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            for (int pageId = 1; pageId < pages.pageCount(); pageId++) {
                if (reached.get(pageId)) {
                    continue;
                }
                PageState state = pages.read(pageId, page);
                boolean isFree = inUse != null && !inUse.get(pageId) && PageLayout.lsn(page, 0) < files.redoScanLsn();
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
                .thenComparingLong(this::changedAt)
                .reversed());
        return candidates;
    }

    private long changedAt(Candidate candidate) {
        boolean isUnlogged = files.leftUnlogged() && candidate.lsn() == NO_LSN;
        return isUnlogged ? files.redoScanLsn() : candidate.lsn();
    }

    /** Leaves of trees that the catalog does not name. */
    List<UnknownTree> unknown() {
        return List.copyOf(unknown.values());
    }
}
