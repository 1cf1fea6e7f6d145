package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyColumn;
import java.util.Random;

/**
 * A table of long rows by an id, in a tree with inner nodes below its root: a dozen rows a leaf, some three hundred
 * leaves an inner node. Rows that come and go at times have leaves merged and split. For one thread.
 */
final class DeepTable {
    static final int IDS = 20_000;

    private static final int NAME_LENGTH = 600;

    /** Some twenty leaves, which are merged when most of their rows go and split when they come back. */
    private static final int RUN_IDS = 250;

    /** Of eight ids that follow each other, one has a row, one has none, and the others have theirs now and then. */
    enum Presence {
        ALWAYS,
        NEVER,
        AT_TIMES;

        static Presence of(int id) {
            return switch (id % 8) {
                case 0 -> ALWAYS;
                case 1 -> NEVER;
                default -> AT_TIMES;
            };
        }
    }

    private final Database database;
    private final Table table;
    private final Record row;
    private final boolean[] isAway = new boolean[IDS / RUN_IDS];

    private DeepTable(Database database, Table table) {
        this.database = database;
        this.table = table;
        row = table.newRecord();
    }

    static DeepTable filled(Database database, boolean isDescending) {
        DeepTable deep = new DeepTable(
                database,
                database.createTable(TableDefinition.named("thing")
                        .column("id", ColumnType.int32())
                        .column("name", ColumnType.string(NAME_LENGTH))
                        .primaryKey(isDescending ? KeyColumn.descending("id") : KeyColumn.ascending("id"))
                        .build()));
        database.run(transaction -> {
            for (int id = 0; id < IDS; id++) {
                if (Presence.of(id) != Presence.NEVER) {
                    deep.insert(transaction, id);
                }
            }
        });
        assertTrue(deep.rootLevel() >= 2, "a tree with inner nodes below its root");
        return deep;
    }

    static String name(int id) {
        return String.valueOf((char) ('a' + id % 26)).repeat(NAME_LENGTH);
    }

    Table table() {
        return table;
    }

    BTree tree() {
        return table.reference().state().tree();
    }

    int rootLevel() {
        BufferPool pool = tree().environment().pool();
        return Node.level(pool.memory(), BufferPool.address(pool.residentFrameAcquire(tree().rootPageId())));
    }

    private void insert(Transaction transaction, int id) {
        row.clear();
        row.setInt(0, id);
        row.setString(1, name(id));
        transaction.insert(table, row);
    }

    static void requireFetched(RowBatch batch, int index, int id) {
        requirePossible(id, batch.found(index));
        if (batch.found(index)) {
            assertEquals(id, batch.record(index).getInt(0));
            assertEquals(name(id), batch.record(index).getString(1), "id=" + id);
        }
    }

    /** What may be while rows come and go. */
    static void requirePossible(int id, boolean found) {
        if (Presence.of(id) != Presence.AT_TIMES) {
            assertEquals(Presence.of(id) == Presence.ALWAYS, found, "id=" + id);
        }
    }

    /** What was validated last is how it is: nobody changes anything behind that. */
    void requireNow(int id, boolean found) {
        assertEquals(isThere(id), found, "id=" + id);
    }

    private boolean isThere(int id) {
        return Presence.of(id) == Presence.ALWAYS || (Presence.of(id) == Presence.AT_TIMES && !isAway[id / RUN_IDS]);
    }

    /** Removes most rows of a run, or puts them back: its leaves are merged or split. */
    void toggleRunNear(int id, Random random) {
        int run = Math.clamp(id / RUN_IDS + random.nextInt(5) - 2L, 0, isAway.length - 1);
        int first = run * RUN_IDS;
        database.run(transaction -> {
            for (int changed = first; changed < first + RUN_IDS; changed++) {
                if (Presence.of(changed) != Presence.AT_TIMES) {
                    continue;
                }
                if (isAway[run]) {
                    insert(transaction, changed);
                } else {
                    transaction.delete(table, table.newKey().add(changed));
                }
            }
        });
        isAway[run] = !isAway[run];
    }
}
