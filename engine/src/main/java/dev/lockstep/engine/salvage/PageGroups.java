package dev.lockstep.engine.salvage;

import dev.lockstep.engine.Inspection.PageGroup;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts pages by tree and kind. Not thread-safe. */
final class PageGroups {
    /** Kinds of trees that are told apart, beyond which files are of no database: as many as it has trees and kinds. */
    private static final int GROUPS_MAX = 10_000;

    private static final String OTHERS = "of further kinds";

    private final KnownTrees trees;
    private final Map<String, Group> groups = new TreeMap<>();

    private static final class Group {
        private final String tree;
        private final String kind;
        private int count;
        private long recordCount;
        private long ghostCount;
        private double fillSum;

        Group(String tree, String kind) {
            this.tree = tree;
            this.kind = kind;
        }
    }

    PageGroups(KnownTrees trees) {
        this.trees = trees;
    }

    /** Counts a page that can be used. */
    void add(NativeMemory page, PageState state) {
        if (state == PageState.NEVER_WRITTEN) {
            group("", "never written").count++;
            return;
        }
        String kind = PageDecoder.kind(page);
        boolean isFree = PageLayout.type(page, 0) == PageLayout.TYPE_FREE;
        Group group = group(isFree ? "" : trees.describe(PageLayout.treeId(page, 0)), kind);
        group.count++;
        if (!Node.isNode(page, 0)) {
            return;
        }
        group.fillSum += TreeShape.fill(page);
        if (TreeSurvey.isLeaf(page)) {
            TreeSurvey.visitRecords(page, (key, flags, stored) -> {
                group.recordCount += TreeShape.isGhost(flags) ? 0 : 1;
                group.ghostCount += TreeShape.isGhost(flags) ? 1 : 0;
            });
        }
    }

    /** Counts a page that cannot be used. */
    void addDamaged() {
        group("", "damaged").count++;
    }

    private Group group(String tree, String kind) {
        String name = tree + "\n" + kind;
        Group group = groups.get(name);
        if (group == null) {
            boolean fits = groups.size() < GROUPS_MAX;
            group = groups.computeIfAbsent(
                    fits ? name : OTHERS, ignored -> fits ? new Group(tree, kind) : new Group("", OTHERS));
        }
        return group;
    }

    /** All groups, by tree and kind. */
    List<PageGroup> list() {
        List<PageGroup> list = new ArrayList<>();
        for (Group group : groups.values()) {
            list.add(new PageGroup(
                    group.tree,
                    group.kind,
                    group.count,
                    group.recordCount,
                    group.ghostCount,
                    group.count == 0 ? 0 : group.fillSum / group.count));
        }
        return list;
    }
}
