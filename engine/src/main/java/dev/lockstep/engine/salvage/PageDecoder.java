package dev.lockstep.engine.salvage;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Inspection.PageView;
import dev.lockstep.engine.Inspection.Slot;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.util.ArrayList;
import java.util.List;

/** Shows a page. Not thread-safe. */
final class PageDecoder {
    private final KnownTrees trees;

    PageDecoder(KnownTrees trees) {
        this.trees = trees;
    }

    /** What a page is, by its type. */
    static String kind(NativeMemory page) {
        int type = PageLayout.type(page, 0);
        return switch (type) {
            case PageLayout.TYPE_NONE -> "never written";
            case PageLayout.TYPE_NODE -> Node.level(page, 0) == 0 ? "leaf" : "inner node";
            case PageLayout.TYPE_OVERFLOW -> "overflow page";
            case PageLayout.TYPE_FREE -> "freed page";
            default -> "type " + type;
        };
    }

    /** Shows a page, whatever it holds. */
    PageView view(int pageId, PageState state, NativeMemory page, long lsnAtLeast) {
        int treeId = PageLayout.treeId(page, 0);
        boolean isNode = Node.isNode(page, 0);
        String broken = "";
        List<Slot> slots = List.of();
        String lower = "";
        String upper = "";
        if (isNode) {
            String rule = TreeSurvey.broken(page, pageId);
            broken = rule == null ? "" : rule;
            // A page that keeps the rules, whatever its checksum says, can be shown; of others nothing is certain.
            if (rule == null) {
                slots = slots(page, treeId);
                lower = fence(treeId, Node.lowerFence(page, 0));
                upper = Node.hasUpperFence(page, 0) ? fence(treeId, Node.upperFence(page, 0)) : "";
            }
        }
        return new PageView(
                pageId,
                state.words(),
                state == PageState.SOUND || state == PageState.NEVER_WRITTEN,
                kind(page),
                PageLayout.pageId(page, 0),
                treeId,
                trees.name(treeId),
                PageLayout.lsn(page, 0),
                lsnAtLeast,
                Integer.toHexString(PageLayout.checksum(page, 0)),
                isNode ? Node.level(page, 0) : 0,
                lower,
                upper,
                isNode ? Node.freeBytes(page, 0) : 0,
                nextPageId(page),
                slots,
                broken);
    }

    private String fence(int treeId, byte[] key) {
        return key.length == 0 ? "" : trees.key(treeId, key);
    }

    private static int nextPageId(NativeMemory page) {
        return switch (PageLayout.type(page, 0)) {
            case PageLayout.TYPE_NODE -> Node.level(page, 0) == 0 ? 0 : Node.rightmostChild(page, 0);
            case PageLayout.TYPE_OVERFLOW -> TreeSurvey.nextOverflowPage(page);
            default -> 0;
        };
    }

    private List<Slot> slots(NativeMemory node, int treeId) {
        List<Slot> slots = new ArrayList<>();
        boolean isLeaf = Node.level(node, 0) == 0;
        for (int i = 0; i < Node.slotCount(node, 0); i++) {
            int flags = Node.slotFlags(node, 0, i);
            byte[] key = Node.key(node, 0, i);
            slots.add(new Slot(
                    describe(treeId, key),
                    key.length,
                    isLeaf ? Node.valueBytes(node, 0, i) : 0,
                    isLeaf ? Node.version(node, 0, i) : 0,
                    isLeaf ? 0 : Node.child(node, 0, i),
                    TreeShape.isGhost(flags),
                    TreeShape.isOverflow(flags)));
        }
        return slots;
    }

    private String describe(int treeId, byte[] key) {
        try {
            return trees.key(treeId, key);
        } catch (CorruptionException notOfThisTree) {
            return notOfThisTree.getMessage();
        }
    }
}
