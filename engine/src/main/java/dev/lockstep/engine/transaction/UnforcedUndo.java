package dev.lockstep.engine.transaction;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * What transactions have replaced that had ended, but not durably, when a snapshot began: by record, the newest change
 * first.
 *
 * <p>Applied in that order to a record as the last of them has left it, or as any of them has found it, the changes
 * make the record that the first of them had found: each sets what was there before, and only a change of the whole
 * value changes its length.
 *
 * <p>Immutable but for {@link OverflowSource}. Used by one thread.
 */
final class UnforcedUndo {
    private final Map<Integer, NavigableMap<VersionKey, Step>> trees = new HashMap<>();

    /** What one transaction has done to a record, and what others had done before it. */
    private record Step(UndoCopy.Change newest, Step older) {}

    /**
     * @param oldestFirst the transactions, in the order in which they have changed what several have changed
     * @param wanted which of them count, by their ids
     */
    UnforcedUndo(List<UnforcedEnd> oldestFirst, LongPredicate wanted) {
        for (UnforcedEnd end : oldestFirst) {
            UndoCopy copy = wanted.test(end.transactionId()) ? end.copyOrNull() : null;
            if (copy != null) {
                copy.visit(this::add);
            }
        }
    }

    private void add(int treeId, VersionKey key, UndoCopy.Change newest) {
        NavigableMap<VersionKey, Step> records = trees.computeIfAbsent(treeId, id -> new TreeMap<>());
        records.put(key, new Step(newest, records.get(key)));
    }

    /** Makes of a record the one that the first of the transactions had found. */
    void takeBack(int treeId, VersionKey key, SnapshotRecord record) {
        NavigableMap<VersionKey, Step> records = trees.get(treeId);
        for (Step step = records == null ? null : records.get(key); step != null; step = step.older) {
            step.newest.takeBack(record);
        }
    }

    /** The records of a tree that were changed; null where there are none. */
    NavigableMap<VersionKey, ?> recordsOf(int treeId) {
        return trees.get(treeId);
    }
}
