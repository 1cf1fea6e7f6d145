package dev.lockstep.engine.btree;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.util.Arrays;

/** What must hold of a tree node by itself, given its place in the tree. Without state. */
final class NodeRules {
    private NodeRules() {}

    /**
     * The first rule that a node breaks, in words; null if it keeps all. A node may hold anything: what leads outside
     * the page is a broken rule too.
     *
     * @param node a private copy of the page
     * @param lower the separator left of it in its parent; empty at the left edge of the tree
     * @param upper the separator right of it; null at the right edge
     */
    static String broken(NativeMemory node, int pageId, int treeId, int level, byte[] lower, byte[] upper) {
        try {
            String broken = brokenIdentity(node, pageId, treeId, level);
            broken = broken == null ? brokenFences(node, lower, upper) : broken;
            broken = broken == null ? brokenSpace(node, lower, upper) : broken;
            return broken == null ? brokenKeys(node) : broken;
        } catch (IndexOutOfBoundsException | NegativeArraySizeException | CorruptionException e) {
            return "offsets and lengths stay within the page";
        }
    }

    private static String brokenIdentity(NativeMemory node, int pageId, int treeId, int level) {
        if (PageLayout.type(node, 0) != PageLayout.TYPE_NODE) {
            return "the page is a node";
        }
        if (PageLayout.pageId(node, 0) != pageId) {
            return "the page knows its id";
        }
        if (PageLayout.treeId(node, 0) != treeId) {
            return "the page belongs to the tree";
        }
        return Node.level(node, 0) == level ? null : "all leaves have the same depth";
    }

    private static String brokenFences(NativeMemory node, byte[] lower, byte[] upper) {
        if (!Arrays.equals(Node.lowerFence(node, 0), lower)) {
            return "the lower fence is the parent's separator";
        }
        return Arrays.equals(Node.upperFence(node, 0), upper) ? null : "the upper fence is the parent's separator";
    }

    private static String brokenSpace(NativeMemory node, byte[] lower, byte[] upper) {
        int prefix = upper == null ? 0 : KeyBytes.commonPrefix(lower, lower.length, upper, upper.length);
        if (Node.prefixBytes(node, 0) > prefix) {
            return "the fences share the prefix";
        }
        int used = 0;
        int header = Node.cellHeaderBytes(node, 0);
        for (int i = 0; i < Node.slotCount(node, 0); i++) {
            int cellBytes = header + Node.suffixBytes(node, 0, i) + Node.valueBytes(node, 0, i);
            used += cellBytes;
            long cell = Node.cell(node, 0, i);
            if (cell < Node.heapStart(node, 0) || cell + cellBytes > PageLayout.PAGE_BYTES) {
                return "cells lie in the heap";
            }
        }
        if (Node.contiguousFreeBytes(node, 0) < 0) {
            return "slots and heap do not overlap";
        }
        return Node.cellBytes(node, 0) == used ? null : "dead bytes are what no cell uses";
    }

    private static String brokenKeys(NativeMemory node) {
        byte[] previous = null;
        for (int i = 0; i < Node.slotCount(node, 0); i++) {
            byte[] key = Node.key(node, 0, i);
            if (!Node.covers(node, 0, key, key.length)) {
                return "keys lie within the fences";
            }
            if (Node.find(node, 0, key, key.length) != i) {
                return "a search finds every key";
            }
            if (previous != null && KeyBytes.compare(previous, previous.length, key, key.length) >= 0) {
                return "keys ascend";
            }
            previous = key;
        }
        return null;
    }
}
