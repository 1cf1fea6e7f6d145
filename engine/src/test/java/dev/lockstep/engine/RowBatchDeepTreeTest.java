package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.GroupPrefetch;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.HintedFetches;
import dev.lockstep.engine.type.RawRecord;
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

    private static final int IDS = DeepTable.IDS;
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

    private static void fetchAll(Database database, DeepTable deep, Random random) {
        Table table = deep.table();
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
                    DeepTable.requireFetched(batch, i, ids[i]);
                }
            });
        }
    }

    @Test
    void findsTheRowsOfAllLeaves() throws Exception {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            fetchAll(database, DeepTable.filled(database, seed % 2 == 0), new Random(seed));
            validated.close(database);
        });
    }

    /**
     * Hints lead to the leaf; where there were none, a fetch alone would visit as many nodes as the tree has levels.
     */
    @Test
    void aFetchVisitsHardlyMoreThanItsLeaf(TestReporter reporter) {
        Database database = validated.inMemory();
        DeepTable deep = DeepTable.filled(database, false);
        RowBatch batch = deep.table().newBatch(BATCH);
        for (int id = 0; id < IDS; id += 8) {
            int near = id;
            batch.clear();
            batch.addKey().add(near);
            database.run(transaction -> assertEquals(1, transaction.fetch(deep.table(), batch)));
        }
        Random random = new Random(2);
        long before = database.statistics().pageAccesses();
        for (int round = 0; round < BATCHES; round++) {
            batch.clear();
            for (int i = 0; i < BATCH; i++) {
                batch.addKey().add(random.nextInt(IDS / 8) * 8);
            }
            database.run(transaction -> assertEquals(BATCH, transaction.fetch(deep.table(), batch)));
        }
        double visits = (database.statistics().pageAccesses() - before) / (double) (BATCHES * BATCH);
        reporter.publishEntry("visits", Double.toString(visits));
        assertTrue(visits < 1.1, "visits=" + visits);
        validated.close(database);
    }

    @Test
    void findsThemWhileNodesAreSplitAndMergedBetweenTheStages() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            try (Interleaving interleaving = new Interleaving(database, DeepTable.filled(database, false), seed)) {
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
            try (Interleaving interleaving = new Interleaving(database, DeepTable.filled(database, false), seed)) {
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
        private final DeepTable deep;
        private final Table table;
        private final SessionCore reader;
        private final FetchOperation fetch;
        private final GroupPrefetch prefetch = new GroupPrefetch();
        private final RawRecord into = new RawRecord();
        private final HintedFetches together;
        private final Key[] keys = new Key[TOGETHER];
        private final Record[] rows = new Record[TOGETHER];

        Interleaving(Database database, DeepTable deep, long seed) {
            this.deep = deep;
            table = deep.table();
            random = new Random(seed);
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
                    deep.toggleRunNear(id, random);
                }
                result = fetch.step();
                assertTrue(result == TreeDescent.CONTINUE || result == TreeDescent.DONE, "result=" + result);
            } while (result == TreeDescent.CONTINUE);
            reader.commit();
            DeepTable.requirePossible(id, fetch.found());
            if (fetch.found()) {
                assertEquals(DeepTable.name(id).charAt(0), into.valueBytes()[into.valueLength() - 1], "id=" + id);
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
                deep.toggleRunNear(first, random);
            }
            assertTrue(together.enterLeaves(prefetch), "nobody locks");
            if (random.nextInt(16) == 0) {
                deep.toggleRunNear(first, random);
            }
            int left = together.copyRecords();
            reader.commit();
            int leftCount = 0;
            for (int i = 0; i < TOGETHER; i++) {
                leftCount += together.isLeft(i) ? 1 : 0;
                if (together.isLeft(i)) {
                    fetch(ids[i], 0);
                } else {
                    deep.requireNow(ids[i], together.found(i));
                    if (together.found(i)) {
                        assertEquals(ids[i], rows[i].getInt(0));
                        assertEquals(DeepTable.name(ids[i]), rows[i].getString(1), "id=" + ids[i]);
                    }
                }
            }
            assertEquals(leftCount, left);
            return left;
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
