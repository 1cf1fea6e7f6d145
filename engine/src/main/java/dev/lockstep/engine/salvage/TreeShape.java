package dev.lockstep.engine.salvage;

import dev.lockstep.engine.Inspection.TreeLevel;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.NodeLayout;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;

/** Counts what a survey of a tree meets. Not thread-safe. */
abstract class TreeShape implements TreeSurvey.Visitor {
    /** Bytes of a node that slots, keys and values can have. */
    private static final double ROOM_BYTES = PageLayout.PAGE_BYTES - NodeLayout.SLOTS;

    private final int pageCount;
    private final BitSet named = new BitSet();
    private final TreeMap<Integer, Level> levels = new TreeMap<>();
    private long recordCount;
    private long ghostCount;
    private long overflowCount;

    private static final class Level {
        private int nodeCount;
        private long slotCount;
        private double fillSum;
    }

    /**
     * @param pageCount pages of the file; those behind are read all the same, and are missing
     */
    TreeShape(int pageCount) {
        this.pageCount = pageCount;
    }

    static boolean isGhost(int slotFlags) {
        return (slotFlags & NodeLayout.SLOT_GHOST) != 0;
    }

    static boolean isOverflow(int slotFlags) {
        return (slotFlags & NodeLayout.SLOT_OVERFLOW) != 0;
    }

    /** How much of a node's room is used, 0 to 1. */
    static double fill(NativeMemory node) {
        return Math.clamp(1 - Node.freeBytes(node, 0) / ROOM_BYTES, 0, 1);
    }

    @Override
    public boolean named(int pageId) {
        if (pageId < pageCount) {
            if (named.get(pageId)) {
                return false;
            }
            named.set(pageId);
        }
        return true;
    }

    @Override
    public void inner(int pageId, int level, NativeMemory node) {
        count(level, node);
    }

    @Override
    public void leaf(int pageId, NativeMemory leaf) {
        count(0, leaf);
        TreeSurvey.visitRecords(leaf, (key, flags, stored) -> {
            recordCount += isGhost(flags) ? 0 : 1;
            ghostCount += isGhost(flags) ? 1 : 0;
            overflowCount += !isGhost(flags) && isOverflow(flags) ? 1 : 0;
        });
    }

    private void count(int level, NativeMemory node) {
        Level counts = levels.computeIfAbsent(level, ignored -> new Level());
        counts.nodeCount++;
        counts.slotCount += Node.slotCount(node, 0);
        counts.fillSum += fill(node);
    }

    /** The levels met, from the root down. */
    List<TreeLevel> levels() {
        List<TreeLevel> list = new ArrayList<>();
        levels.descendingMap()
                .forEach((level, counts) -> list.add(
                        new TreeLevel(level, counts.nodeCount, counts.slotCount, counts.fillSum / counts.nodeCount)));
        return list;
    }

    /** Records that are not deleted. */
    long recordCount() {
        return recordCount;
    }

    /** Deleted records that wait for their removal. */
    long ghostCount() {
        return ghostCount;
    }

    /** Records that are not deleted and whose values lie in overflow pages. */
    long overflowCount() {
        return overflowCount;
    }
}
