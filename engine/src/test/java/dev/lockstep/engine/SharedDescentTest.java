package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.operation.InsertOperation;
import dev.lockstep.engine.operation.RecordOperation;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetches for which nobody has left a hint: they descend from the root together, and visit each node once. */
class SharedDescentTest {
    private static final int SEEDS = 3;

    private static final int BATCH = 16;

    private static final int MEMBERS = 10;

    private static final int ROW_BYTES = 600;

    /** All of the table. */
    private static final long POOL_BYTES = 64 << 20;

    /** Ids among which those of a round lie: of some leaves, or of several inner nodes. */
    private static final int IDS_NEAR = 100;

    private static final int ROUNDS = 400;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @Test
    void aBatchVisitsEachNodeOnce() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            DeepTable deep = DeepTable.filled(database, seed % 2 == 0);
            Random random = new Random(seed);
            RowBatch batch = deep.table().newBatch(BATCH);
            int[] ids = random.ints(0, DeepTable.IDS).distinct().limit(BATCH).toArray();
            for (int id : ids) {
                batch.addKey().add(id);
            }
            long before = database.statistics().pageAccesses();
            database.run(transaction -> transaction.fetch(deep.table(), batch));
            long visits = database.statistics().pageAccesses() - before;
            for (int i = 0; i < BATCH; i++) {
                DeepTable.requireFetched(batch, i, ids[i]);
            }
            assertEquals(nodesOnTheWay(deep, ids), visits, "of " + BATCH * (deep.rootLevel() + 1));
            validated.close(database);
        });
    }

    /** Each member of a staged team fetches a row of its own; the first is alone. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aTeamVisitsEachNodeOnce(SThreadKind kind) throws InterruptedException {
        requireVisits(kind, 1, 0, (transaction, table, id) -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            assertEquals(DeepTable.name(id), row.getString(1));
        });
    }

    /**
     * Each deletes a row of its own, to which no read has led it, and no hint. The first is alone, one finds that its
     * leaf was changed by another and descends again, and each visits its leaf once more for the ghost.
     */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aTeamOfChangesVisitsEachNodeOnce(SThreadKind kind) throws InterruptedException {
        requireVisits(
                kind,
                2,
                3 + MEMBERS,
                (transaction, table, id) ->
                        assertTrue(transaction.delete(table, table.newKey().add(id))));
    }

    /** What one member of a team does. */
    @FunctionalInterface
    private interface Work {
        void run(Transaction transaction, Table table, int id);
    }

    /** Has a team do a work on rows that are always there, without hints, and counts the nodes that it visits. */
    private void requireVisits(SThreadKind kind, long seed, int more, Work work) throws InterruptedException {
        try (Scheduler scheduler = staged(kind)) {
            Database database = inMemory(scheduler);
            DeepTable deep = DeepTable.filled(database, false);
            int[] ids = new Random(seed)
                    .ints(0, DeepTable.IDS / 8)
                    .map(id -> id * 8)
                    .distinct()
                    .limit(MEMBERS)
                    .toArray();
            int nodes = nodesOnTheWay(deep, ids);
            int alone = deep.rootLevel() + 1;
            long before = database.statistics().pageAccesses();
            TeamsTest.runTogether(
                    scheduler,
                    members(ids, id -> database.run(transaction -> work.run(transaction, deep.table(), id))));
            long visits = database.statistics().pageAccesses() - before;
            assertTrue(visits <= nodes + alone + more, "visits=" + visits + " nodes=" + nodes);
            validated.close(database);
        }
    }

    private static Scheduler staged(SThreadKind kind) {
        return new Scheduler(SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(TeamExecution.STAGED));
    }

    private Database inMemory(Scheduler scheduler) {
        return validated.inMemory(
                DatabaseOptions.builder().poolBytes(POOL_BYTES).build(), scheduler);
    }

    private static List<Runnable> members(int[] ids, IntConsumer body) {
        return Arrays.stream(ids)
                .mapToObj(id -> (Runnable) () -> body.accept(id))
                .toList();
    }

    /** Pages that lie on the way from the root to at least one of the keys. */
    private static int nodesOnTheWay(DeepTable deep, int[] ids) {
        BTree tree = deep.tree();
        BufferPool pool = tree.environment().pool();
        Set<Integer> pageIds = new HashSet<>();
        for (int id : ids) {
            byte[] key = key(deep.table(), id);
            int pageId = tree.rootPageId();
            pageIds.add(pageId);
            long page = BufferPool.address(pool.residentFrameAcquire(pageId));
            while (Node.level(pool.memory(), page) > 0) {
                int child = Node.childIndex(pool.memory(), page, key, key.length);
                pageId = Node.child(pool.memory(), page, child);
                pageIds.add(pageId);
                page = BufferPool.address(pool.residentFrameAcquire(pageId));
            }
        }
        return pageIds.size();
    }

    private static byte[] key(Table table, int id) {
        byte[] key = new byte[Integer.BYTES];
        table.newKey().add(id).copyTo(key, 0);
        return key;
    }

    @Test
    void findsTheRowsWhileNodesAreSplitAndMergedBetweenTheStages() {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            DeepTable deep = DeepTable.filled(database, seed % 2 == 0);
            try (Descents descents = new Descents(database, deep, seed)) {
                for (int round = 0; round < ROUNDS; round++) {
                    descents.run(round % 4 == 0 ? DeepTable.IDS : IDS_NEAR);
                }
                assertTrue(descents.restarts() > ROUNDS / 8, "restarts=" + descents.restarts());
            }
            validated.close(database);
        });
    }

    /**
     * A walk behind another reads the node at a later moment than the other has validated it. It may not choose a child
     * by that, although two others enter the child from the node as it was.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChildIsChosenByWhatIsStillThere(boolean inserts) {
        Database database = validated.inMemory();
        Table table = ofTwoLevels(database);
        BTree tree = table.reference().state().tree();
        NativeMemory memory = tree.environment().memory();
        long root = BufferPool.address(tree.environment().pool().residentFrameAcquire(tree.rootPageId()));
        int low = id(Node.key(memory, root, 39));
        int middle = id(Node.key(memory, root, 40));
        int high = id(Node.key(memory, root, 41));
        // So that an insert finds room in either leaf.
        delete(database, table, low + 4, low + 8);
        delete(database, table, middle + 4, middle + 8);
        SessionCore session = database.instance().newSession();
        session.begin(Isolation.READ_COMMITTED, Durability.ASYNC, 0, Long.MAX_VALUE);
        FetchOperation first = fetch(database, session, table, low, new RawRecord());
        FetchOperation second = fetch(database, session, table, low + 2, new RawRecord());
        RawRecord row = new RawRecord();
        FetchOperation any = fetch(database, session, table, low, row);
        while (any.step() == TreeDescent.CONTINUE) {
            assertFalse(any.found());
        }
        int last = inserts ? high - 1 : high - 2;
        RecordOperation third = inserts
                ? insert(database, session, table, last, row)
                : fetch(database, session, table, last, new RawRecord());
        first.step();
        first.stepBehind(null);
        second.stepBehind(first);
        // Leaves to the left are merged: the separators of those behind move.
        int slotCount = Node.slotCount(memory, root);
        delete(database, table, 40, 400);
        assertTrue(Node.slotCount(memory, root) < slotCount);
        third.stepBehind(second);
        first.stepBehind(null);
        second.stepBehind(first);
        int result = third.stepBehind(second);
        while (result == TreeDescent.CONTINUE) {
            result = third.step();
        }
        assertEquals(TreeDescent.DONE, result);
        session.commit();
        session.close();
        database.run(transaction ->
                assertTrue(transaction.fetch(table, table.newKey().add(last), table.newRecord())));
        if (third instanceof FetchOperation fetch) {
            assertTrue(fetch.found());
        }
        validated.close(database);
    }

    /** Even ids, a dozen rows to a leaf. */
    private static Table ofTwoLevels(Database database) {
        Table table = database.createTable(TableDefinition.named("thing")
                .column("id", ColumnType.int32())
                .column("name", ColumnType.string(ROW_BYTES))
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 0; id < 2_000; id += 2) {
                row.clear();
                row.setInt(0, id);
                row.setString(1, "x".repeat(ROW_BYTES));
                transaction.insert(table, row);
            }
        });
        return table;
    }

    private static void delete(Database database, Table table, int from, int to) {
        database.run(transaction -> {
            for (int id = from; id < to; id += 2) {
                transaction.delete(table, table.newKey().add(id));
            }
        });
    }

    private static FetchOperation fetch(Database database, SessionCore session, Table table, int id, RawRecord into) {
        FetchOperation fetch = FetchOperation.besideOthers(
                database.instance().locks(), database.instance().transactions(), session.context());
        fetch.start(table.reference().state().tree(), key(table, id), Integer.BYTES, LockMode.NONE, false, into);
        return fetch;
    }

    /** An insert that has its lock and has found that its hint is of no use. */
    private static InsertOperation insert(Database database, SessionCore session, Table table, int id, RawRecord like) {
        InsertOperation insert = new InsertOperation(
                database.instance().locks(), database.instance().transactions(), session.context());
        insert.walkBesideOthers(true);
        byte[] value = Arrays.copyOf(like.valueBytes(), like.valueLength());
        insert.start(table.reference().state().tree(), key(table, id), Integer.BYTES, value, value.length, 0);
        insert.step();
        insert.step();
        while (!insert.isFromRoot()) {
            insert.step();
        }
        return insert;
    }

    private static int id(byte[] separator) {
        return ByteBuffer.wrap(Arrays.copyOf(separator, Integer.BYTES)).getInt() ^ Integer.MIN_VALUE;
    }

    /** What threads do to each other by chance, on one thread and by a seed. */
    private static final class Descents implements AutoCloseable {
        private final DeepTable deep;
        private final Random random;
        private final SessionCore reader;
        private final FetchOperation[] fetches = new FetchOperation[BATCH];
        private final RawRecord[] rows = new RawRecord[BATCH];
        private final int[] ids = new int[BATCH];

        Descents(Database database, DeepTable deep, long seed) {
            this.deep = deep;
            random = new Random(seed);
            reader = database.instance().newSession();
            for (int i = 0; i < BATCH; i++) {
                rows[i] = new RawRecord();
                fetches[i] = FetchOperation.besideOthers(
                        database.instance().locks(), database.instance().transactions(), reader.context());
            }
        }

        void run(int idsNear) {
            int first = random.nextInt(DeepTable.IDS - idsNear + 1);
            for (int i = 0; i < BATCH; i++) {
                ids[i] = first + random.nextInt(idsNear);
            }
            if (random.nextInt(4) != 0) {
                Arrays.sort(ids);
            }
            reader.begin(Isolation.READ_UNCOMMITTED, Durability.ASYNC, 0, Long.MAX_VALUE);
            for (int i = 0; i < BATCH; i++) {
                byte[] key = key(deep.table(), ids[i]);
                fetches[i].start(deep.tree(), key, key.length, LockMode.NONE, false, rows[i]);
            }
            boolean[] isDone = new boolean[BATCH];
            int left = BATCH;
            while (left > 0) {
                FetchOperation ahead = null;
                for (int i = 0; i < BATCH; i++) {
                    // Some stay behind, so that those of a round stand on nodes of all levels.
                    if (isDone[i] || random.nextInt(4) == 0) {
                        continue;
                    }
                    if (random.nextInt(BATCH) == 0) {
                        deep.toggleRunNear(ids[i], random);
                    }
                    int result = fetches[i].stepBehind(random.nextInt(4) == 0 ? other(i) : ahead);
                    ahead = fetches[i];
                    if (result == TreeDescent.DONE) {
                        deep.requireNow(ids[i], fetches[i].found());
                        isDone[i] = true;
                        left--;
                    } else {
                        assertEquals(TreeDescent.CONTINUE, result);
                    }
                }
            }
            reader.commit();
        }

        /** One before it, whether it is done or not, or none. */
        private FetchOperation other(int index) {
            return index == 0 ? null : fetches[random.nextInt(index)];
        }

        long restarts() {
            return Arrays.stream(fetches)
                    .mapToLong(FetchOperation::restartCount)
                    .sum();
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
