package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.KeyBytes;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.memory.NativeMemory;

/**
 * Finds the lock name of the first key, ghosts included, from a given key on: from the fence at the end of a leaf, or
 * from the upper bound of a scan, the key whose lock covers the gap in front of it. It takes no latch, so it may run
 * while the caller holds the latch of the leaf to the left.
 */
final class NextKeyFinder extends TreeDescent {
    /**
     * The end of a tree has a lock name of its own, that of the empty key, which no record can have.
     */
    private static final byte[] END_OF_TREE = new byte[0];

    private byte[] keyFound = new byte[KeyBytes.ROOM_BYTES_INITIAL];
    private long name;

    static long endOfTree(BTree tree) {
        return LockName.ofKey(tree.treeId(), END_OF_TREE, 0, 0);
    }

    long name() {
        return name;
    }

    void setToEndOf(BTree tree) {
        name = endOfTree(tree);
    }

    /**
     * Looks for the key behind a gap of a leaf that the caller has latched.
     *
     * @param successor the slot behind the gap; the number of slots where the gap reaches to the end of the leaf
     * @return false when {@link #neededPageId()} has to be loaded first
     */
    boolean findBehind(BTree tree, long leaf, int successor) {
        NativeMemory pages = tree.environment().memory();
        if (successor < Node.slotCount(pages, leaf)) {
            name = nameOfSlot(tree, leaf, successor);
            return true;
        }
        if (!Node.hasUpperFence(pages, leaf)) {
            setToEndOf(tree);
            return true;
        }
        return findFrom(tree, Node.upperFence(pages, leaf));
    }

    /** The lock name of a slot of a leaf that the caller has latched. */
    long nameOfSlot(BTree tree, long leaf, int slot) {
        NativeMemory pages = tree.environment().memory();
        keyFound = KeyBytes.room(keyFound, Node.keyBytes(pages, leaf, slot));
        int length = Node.copyKey(pages, leaf, slot, keyFound);
        return LockName.ofKey(tree.treeId(), tree.leadingBytes(), keyFound, 0, length);
    }

    /**
     * Looks for the first key not below {@code from}.
     *
     * @return false when {@link #neededPageId()} has to be loaded first
     */
    boolean findFrom(BTree source, byte[] from) {
        aim(source, from, from.length, 0);
        // Ends: each restart means that another thread has changed a node on the way, and the walk to the right ends
        // at the leaf without an upper fence.
        while (true) {
            if (!arrived()) {
                if (descend() == LOAD_PAGE) {
                    return false;
                }
                continue;
            }
            int found = Node.find(memory, page, key, keyBytes);
            int slot = found >= 0 ? found : -found - 1;
            if (slot < Node.slotCount(memory, page)) {
                keyFound = KeyBytes.room(keyFound, Node.keyBytes(memory, page, slot));
                int length = Node.copyKey(memory, page, slot, keyFound);
                name = LockName.ofKey(tree.treeId(), tree.leadingBytes(), keyFound, 0, length);
                if (validate()) {
                    return true;
                }
                restart();
            } else if (!Node.hasUpperFence(memory, page)) {
                name = endOfTree(tree);
                if (validate()) {
                    return true;
                }
                restart();
            } else {
                byte[] upper = Node.upperFence(memory, page);
                if (validate()) {
                    requireLeadsOn(upper, upper.length, key, keyBytes, false);
                    aim(source, upper, upper.length, 0);
                } else {
                    restart();
                }
            }
        }
    }
}
