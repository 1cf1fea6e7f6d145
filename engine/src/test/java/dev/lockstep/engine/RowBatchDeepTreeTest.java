package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyColumn;
import dev.lockstep.engine.type.RawRecord;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Rows fetched side by side from a tree with inner nodes below its root, whose separators tell where in its leaf a row
 * may be: at rest, and with leaves split and merged between the stages.
 */
class RowBatchDeepTreeTest {
    private static final int SEEDS = 2;

    /** A dozen rows a leaf, some three hundred leaves an inner node. */
    private static final int NAME_LENGTH = 600;

    private static final int IDS = 20_000;
    private static final int BATCH = 16;

    /** In most of these nobody has left a hint to a leaf yet. */
    private static final int BATCHES = 1_500;

    private static final int FETCHES = 800;

    /** Fetched side by side, from so many ids that follow each other: a few leaves. */
    private static final int TOGETHER = 4;

    private static final int IDS_NEAR = 64;

    /** So few ids that hints are right about as often as they are missing or wrong. */
    private static final int IDS_HINTED = 500;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** Some twenty leaves, which are merged when most of their rows go and split when they come back. */
    private static final int RUN_IDS = 250;

    /** Of eight ids that follow each other, one has a row, one has none, and the others have theirs now and then. */
    private enum Presence {
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

    private static String name(int id) {
        return String.valueOf((char) ('a' + id % 26)).repeat(NAME_LENGTH);
    }

    private static Table filled(Database database, boolean isDescending) {
        Table table = database.createTable(TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(NAME_LENGTH))
                .primaryKey(isDescending ? KeyColumn.descending("id") : KeyColumn.ascending("id"))
                .build());
        Record row = table.newRecord();
        database.run(transaction -> {
            for (int id = 0; id < IDS; id++) {
                if (Presence.of(id) != Presence.NEVER) {
                    insert(transaction, table, row, id);
                }
            }
        });
        assertTrue(rootLevel(database) >= 2, "a tree with inner nodes below its root");
        return table;
    }

    private static void insert(Transaction transaction, Table table, Record row, int id) {
        row.clear();
        row.setInt(0, id);
        row.setString(1, name(id));
        transaction.insert(table, row);
    }

    private static int rootLevel(Database database) {
        BTree tree = database.instance().catalog().find("thing").state().tree();
        BufferPool pool = tree.environment().pool();
        return Node.level(pool.memory(), BufferPool.address(pool.residentFrameAcquire(tree.rootPageId())));
    }

    private static void fetchAll(Database database, Table table, Random random) {
        RowBatch batch = table.newBatch(BATCH);
        TransactionOptions options = database.transactionOptions().withIsolation(Isolation.READ_COMMITTED);
        int[] ids = new int[BATCH];
        for (int round = 0; round < BATCHES; round++) {
            batch.clear();
            for (int i = 0; i < BATCH; i++) {
                ids[i] = random.nextInt(IDS);
                batch.addKey().add(ids[i]);
            }
            database.run(options, transaction -> {
                transaction.fetch(table, batch);
                for (int i = 0; i < BATCH; i++) {
                    requireFetched(batch, i, ids[i]);
                }
            });
        }
    }

    private static void requireFetched(RowBatch batch, int index, int id) {
        if (Presence.of(id) != Presence.AT_TIMES) {
            assertEquals(Presence.of(id) == Presence.ALWAYS, batch.found(index), "id=" + id);
        }
        if (batch.found(index)) {
            assertEquals(id, batch.record(index).getInt(0));
            assertEquals(name(id), batch.record(index).getString(1), "id=" + id);
        }
    }

    @Test
    void findsTheRowsOfAllLeaves() throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            fetchAll(database, filled(database, seed % 2 == 0), new Random(seed));
            validated.close(database);
        });
    }

    /**
     * What sorted keys that descend together could save: the visits of a fetch above its leaf. There are hardly any,
     * since hints lead to the leaf; where there were none, a fetch would visit as many nodes as the tree has levels.
     */
    @Test
    void aFetchVisitsHardlyMoreThanItsLeaf(TestReporter reporter) {
        Database database = validated.inMemory();
        Table table = filled(database, false);
        RowBatch batch = table.newBatch(BATCH);
        int levels = rootLevel(database) + 1;
        double withoutHints = visits(database, table, batch, new Random(1), 1);
        assertEquals(levels, withoutHints, 1.0, "visits where nobody left a hint");
        for (int id = 0; id < IDS; id += 8) {
            int near = id;
            batch.clear();
            batch.addKey().add(near);
            database.run(transaction -> assertEquals(1, transaction.fetch(table, batch)));
        }
        double visits = visits(database, table, batch, new Random(2), BATCHES);
        reporter.publishEntry(Map.of(
                "levels", Integer.toString(levels),
                "visitsWithoutHints", Double.toString(withoutHints),
                "visits", Double.toString(visits)));
        assertTrue(visits < 1.1, "visits=" + visits);
        validated.close(database);
    }

    /** Nodes that a fetch of an existing row visits on average. */
    private static double visits(Database database, Table table, RowBatch batch, Random random, int batches) {
        long before = database.statistics().pageAccesses();
        for (int round = 0; round < batches; round++) {
            batch.clear();
            for (int i = 0; i < BATCH; i++) {
                batch.addKey().add(random.nextInt(IDS / 8) * 8);
            }
            database.run(transaction -> assertEquals(BATCH, transaction.fetch(table, batch)));
        }
        return (database.statistics().pageAccesses() - before) / (double) (batches * BATCH);
    }

    @Test
    void findsThemWhileNodesAreSplitAndMergedBetweenTheStages() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            Table table = filled(database, false);
            try (Interleaving interleaving = new Interleaving(database, table, seed)) {
                for (int i = 0; i < FETCHES; i++) {
                    interleaving.fetch();
                }
            }
            validated.close(database);
        });
    }

    @Test
    void findsThemWhereHintsSayOrLeavesThem() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            Table table = filled(database, false);
            try (Interleaving interleaving = new Interleaving(database, table, seed)) {
                int left = 0;
                for (int i = 0; i < FETCHES; i++) {
                    left += interleaving.fetchTogether();
                }
                assertTrue(left > FETCHES / 2 && left < FETCHES * (TOGETHER - 1), "both kinds: left=" + left);
            }
            validated.close(database);
        });
    }

    /** What threads do to each other by chance, on one thread and by a seed. */
    private static final class Interleaving implements AutoCloseable {
        private final Random random;
        private final Database database;
        private final Table table;
        private final Record row;
        private final SessionCore reader;
        private final FetchOperation fetch;
        private final GroupPrefetch prefetch = new GroupPrefetch();
        private final RawRecord into = new RawRecord();
        private final HintedFetches together;
        private final Key[] keys = new Key[TOGETHER];
        private final Record[] rows = new Record[TOGETHER];
        private final boolean[] isAway = new boolean[IDS / RUN_IDS];

        Interleaving(Database database, Table table, long seed) {
            this.database = database;
            this.table = table;
            random = new Random(seed);
            row = table.newRecord();
            reader = database.instance().newSession();
            fetch = FetchOperation.besideOthers(
                    database.instance().locks(), database.instance().transactions(), reader.context());
            together = HintedFetches.ofOne(database.instance().locks(), reader.context());
            for (int i = 0; i < TOGETHER; i++) {
                keys[i] = table.newKey();
                rows[i] = table.newRecord();
            }
        }

        void fetch() {
            fetch(random.nextInt(IDS), 8);
        }

        /** @param turnsPerToggle 0 is never */
        private void fetch(int id, int turnsPerToggle) {
            byte[] key = new byte[Integer.BYTES];
            table.newKey().add(id).copyTo(key, 0);
            reader.begin(Isolation.READ_UNCOMMITTED, Durability.ASYNC, 0, Long.MAX_VALUE);
            fetch.start(table.reference().state().tree(), key, key.length, LockMode.NONE, false, into);
            int result;
            do {
                fetch.addNextLines(prefetch);
                if (turnsPerToggle > 0 && random.nextInt(turnsPerToggle) == 0) {
                    toggleRunNear(id);
                }
                result = fetch.step();
                assertTrue(result == TreeDescent.CONTINUE || result == TreeDescent.DONE, "result=" + result);
            } while (result == TreeDescent.CONTINUE);
            reader.commit();
            if (Presence.of(id) != Presence.AT_TIMES) {
                assertEquals(Presence.of(id) == Presence.ALWAYS, fetch.found(), "id=" + id);
            }
            if (fetch.found()) {
                assertEquals(name(id).charAt(0), into.valueBytes()[into.valueLength() - 1], "id=" + id);
            }
        }

        /**
         * Fetches some that are near each other, each a second time by itself where it was left.
         *
         * @return how many were left
         */
        int fetchTogether() {
            int[] ids = new int[TOGETHER];
            int first = random.nextInt(IDS_HINTED);
            for (int i = 0; i < TOGETHER; i++) {
                int id = first + random.nextInt(IDS_NEAR);
                // The slot of a group's first id is what its hint says; gaps between ids make it err on the others.
                ids[i] = random.nextBoolean() ? id & -8 : id;
                keys[i].reset().add(ids[i]);
            }
            reader.begin(Isolation.READ_UNCOMMITTED, Durability.ASYNC, 0, Long.MAX_VALUE);
            BTree tree = table.reference().state().tree();
            together.start(tree, keys, rows, 0, TOGETHER, LockMode.NONE, false);
            together.findHints();
            together.touchHints();
            together.followHints(prefetch);
            if (random.nextInt(16) == 0) {
                toggleRunNear(first);
            }
            assertTrue(together.enterLeaves(prefetch), "nobody locks");
            if (random.nextInt(16) == 0) {
                toggleRunNear(first);
            }
            int left = together.copyRecords();
            reader.commit();
            int leftCount = 0;
            for (int i = 0; i < TOGETHER; i++) {
                leftCount += together.isLeft(i) ? 1 : 0;
                if (together.isLeft(i)) {
                    fetch(ids[i], 0);
                } else {
                    requireNow(ids[i], together.found(i));
                    if (together.found(i)) {
                        assertEquals(ids[i], rows[i].getInt(0));
                        assertEquals(name(ids[i]), rows[i].getString(1), "id=" + ids[i]);
                    }
                }
            }
            assertEquals(leftCount, left);
            return left;
        }

        /** What was validated last is how it is: nobody changes anything behind that. */
        private void requireNow(int id, boolean found) {
            boolean isThere = Presence.of(id) == Presence.ALWAYS
                    || (Presence.of(id) == Presence.AT_TIMES && !isAway[id / RUN_IDS]);
            assertEquals(isThere, found, "id=" + id);
        }

        /** Removes most rows of a run, or puts them back: its leaves are merged or split. */
        private void toggleRunNear(int id) {
            int run = Math.clamp(id / RUN_IDS + random.nextInt(5) - 2L, 0, isAway.length - 1);
            int first = run * RUN_IDS;
            database.run(transaction -> {
                for (int changed = first; changed < first + RUN_IDS; changed++) {
                    if (Presence.of(changed) != Presence.AT_TIMES) {
                        continue;
                    }
                    if (isAway[run]) {
                        insert(transaction, table, row, changed);
                    } else {
                        transaction.delete(table, table.newKey().add(changed));
                    }
                }
            });
            isAway[run] = !isAway[run];
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
