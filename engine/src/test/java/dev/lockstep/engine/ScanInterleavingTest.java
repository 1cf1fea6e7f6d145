package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.instance.Instance;
import dev.lockstep.engine.instance.OperationDriver;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.operation.ScanOperation;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.RecordTarget;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A scan between whose stages, and in the middle of whose runs, other transactions change the leaves that it reads:
 * what threads do to each other by chance, on one thread and by a seed.
 */
class ScanInterleavingTest {
    private static final int SEEDS = 60;
    private static final int IDS = 300;

    /** Some twenty rows fill a leaf. */
    private static final int NAME_LENGTH = 350;

    /** More than a leaf keeps inline. */
    private static final int LARGE_NAME_LENGTH = 5_000;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** Lets others in while a scan copies a row. */
    private static final class Target implements RecordTarget {
        private final IntConsumer between;
        private byte[] key = new byte[16];
        private byte[] value = new byte[16];
        private int keyLength;

        Target(IntConsumer between) {
            this.between = between;
        }

        @Override
        public byte[] ensureKeyCapacity(int bytes) {
            key = bytes > key.length ? Arrays.copyOf(key, bytes) : key;
            return key;
        }

        @Override
        public void setKeyLength(int bytes) {
            keyLength = bytes;
        }

        @Override
        public byte[] ensureValueCapacity(int bytes) {
            between.accept(ByteBuffer.wrap(key).getInt() ^ Integer.MIN_VALUE);
            value = bytes > value.length ? Arrays.copyOf(value, bytes) : value;
            return value;
        }

        @Override
        public void setValueLength(int bytes) {
            assertTrue(bytes <= value.length);
        }

        @Override
        public void setPosition(int pageId, int frame, int slot, long version, int treeStamp, long lockStamp) {
            assertTrue(slot >= 0);
        }

        String key() {
            return HexFormat.of().formatHex(key, 0, keyLength);
        }
    }

    /** One table, one session that changes it in small transactions, one that scans. */
    private static final class Schedule {
        private final Random random;
        private final Table table;
        private final Session writer;
        private final SessionCore reader;
        private final ScanOperation scan;
        private final Record row;
        private final TreeSet<Integer> ids = new TreeSet<>();
        private final Target[] targets = new Target[8];
        private int changesLeft;

        /** The id that the scan has read last: what happens there is what it may miss. */
        private int lastRead;

        /** Ids that have been there since the scan began. */
        private TreeSet<Integer> always = new TreeSet<>();

        /** Ids that have been there at any time since the scan began. */
        private final TreeSet<Integer> ever = new TreeSet<>();

        Schedule(Database database, long seed) {
            random = new Random(seed);
            table = database.createTable(TableDefinition.named("thing")
                    .column("id", ColumnType.int32())
                    .column("name", ColumnType.string(NAME_LENGTH))
                    .primaryKey("id")
                    .build());
            row = table.newRecord();
            writer = database.openSession();
            Instance instance = database.instance();
            reader = instance.newSession();
            scan = new ScanOperation(instance.locks(), instance.transactions(), reader.context());
            Arrays.setAll(targets, i -> new Target(this::read));
        }

        void fill() {
            for (int i = 0; i < IDS / 2; i++) {
                changesLeft = 1;
                change();
            }
        }

        private void read(int id) {
            lastRead = id;
            sometimesChange();
        }

        private void sometimesChange() {
            if (random.nextInt(6) == 0) {
                change();
            }
        }

        /** Inserts or deletes a row, unless that is locked or would go into a locked gap. */
        private void change() {
            if (changesLeft == 0) {
                return;
            }
            changesLeft--;
            int id = random.nextBoolean() ? random.nextInt(IDS) : Math.floorMod(lastRead + random.nextInt(9) - 4, IDS);
            Transaction transaction = writer.begin(TransactionOptions.of(DatabaseOptions.defaults())
                    .withIsolation(Isolation.SERIALIZABLE)
                    .withLockTimeout(Duration.ZERO));
            try {
                if (ids.contains(id)) {
                    assertTrue(transaction.delete(table, table.newKey().add(id)));
                } else {
                    row.clear();
                    row.setInt(0, id);
                    row.setString(1, "n".repeat(NAME_LENGTH));
                    transaction.insert(table, row);
                }
                transaction.commit();
                ever.add(id);
                if (!ids.add(id)) {
                    ids.remove(id);
                    always.remove(id);
                }
            } catch (LockTimeoutException locked) {
                transaction.rollback();
            }
        }

        private byte[] bound(int id) {
            Key key = table.newKey().add(id);
            byte[] bytes = new byte[key.length()];
            key.copyTo(bytes, 0);
            return bytes;
        }

        void run(Isolation isolation, boolean backward) {
            reader.begin(isolation, Durability.ASYNC, 0, Long.MAX_VALUE);
            reader.open(table.reference(), LockMode.IS);
            int low = random.nextInt(IDS);
            int high = low + 1 + random.nextInt(IDS - low);
            always = new TreeSet<>(ids.subSet(low, high));
            ever.clear();
            ever.addAll(ids);
            changesLeft = 1 + random.nextInt(20);
            List<String> first = scan(low, high, backward);
            assertEquals(first.stream().distinct().toList(), first);
            if (isolation == Isolation.SERIALIZABLE) {
                // Now everything in the range is locked: what others change they change elsewhere.
                changesLeft = 20;
                assertEquals(expected(low, high, backward), first);
                assertEquals(first, scan(low, high, backward));
            } else {
                // What was there all the time is found, and nothing that never was.
                List<String> stayed = always.stream().map(this::hex).toList();
                assertTrue(first.containsAll(stayed), () -> first + " lacks some of " + stayed);
                assertTrue(
                        ever.subSet(low, high).stream().map(this::hex).toList().containsAll(first));
                assertEquals(
                        backward
                                ? first.stream().sorted().toList().reversed()
                                : first.stream().sorted().toList(),
                        first);
            }
            reader.commit();
        }

        private String hex(int id) {
            return HexFormat.of().formatHex(bound(id));
        }

        private List<String> expected(int low, int high, boolean backward) {
            List<String> expected =
                    ids.subSet(low, high).stream().map(this::hex).toList();
            return backward ? expected.reversed() : expected;
        }

        /** Scans stage by stage. */
        private List<String> scan(int low, int high, boolean backward) {
            List<String> found = new ArrayList<>();
            byte[] from = bound(low);
            byte[] to = bound(high);
            scan.start(
                    table.reference().state().tree(), from, from.length, to, to.length, backward, LockMode.KEY_S, null);
            int count;
            do {
                int wanted = 1 + random.nextInt(targets.length);
                scan.next(targets, 0, wanted);
                int result;
                do {
                    result = scan.step();
                    assertTrue(result == TreeDescent.CONTINUE || result == TreeDescent.DONE, "result=" + result);
                    sometimesChange();
                } while (result == TreeDescent.CONTINUE);
                count = scan.filled();
                for (int i = 0; i < count; i++) {
                    found.add(targets[i].key());
                }
            } while (count > 0);
            return found;
        }

        void close() {
            writer.close();
            reader.close();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Isolation.class,
            names = {"READ_UNCOMMITTED", "READ_COMMITTED", "SERIALIZABLE"})
    void readsWhatItsLevelPromises(Isolation isolation) {
        Seeds.each(SEEDS, seed -> {
            Database database = validated.inMemory();
            Schedule schedule = new Schedule(database, seed);
            schedule.fill();
            for (int i = 0; i < 10; i++) {
                schedule.run(isolation, i % 2 == 1);
            }
            schedule.close();
            validated.close(database);
        });
    }

    /** A large row that goes while it is copied leaves nothing of itself to the row before it. */
    @Test
    void aLargeRowThatGoesWhileItIsCopiedIsNotTakenForTheOneBefore() {
        Database database = validated.inMemory();
        Table table = DatabaseTest.filled(database, 2, "name");
        database.run(transaction ->
                DatabaseTest.put(transaction, table, table.newRecord(), 2, "x".repeat(LARGE_NAME_LENGTH), 2));
        SessionCore reader = database.instance().newSession();
        try (Session deleting = database.openSession()) {
            // A row that is deleted and not yet gone divides the step into two runs.
            Transaction deleter = deleting.begin();
            assertTrue(deleter.delete(table, table.newKey().add(1)));
            reader.begin(Isolation.READ_UNCOMMITTED, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
            RecordTarget[] targets = new RecordTarget[3];
            boolean[] gone = {false};
            Arrays.setAll(
                    targets,
                    i -> new Target(id -> {
                        if (id == 2 && !gone[0]) {
                            gone[0] = true;
                            database.run(transaction -> assertTrue(
                                    transaction.delete(table, table.newKey().add(2))));
                        }
                    }));
            Instance instance = database.instance();
            ScanOperation scan = new ScanOperation(instance.locks(), instance.transactions(), reader.context());
            scan.start(table.reference().state().tree(), null, 0, null, 0, false, LockMode.NONE, null);
            scan.next(targets, 0, targets.length);
            new OperationDriver(instance.pool(), instance.scheduler(), instance.locks(), reader.context())
                    .runPlain(scan);
            assertTrue(gone[0]);
            assertEquals(1, scan.filled());
            assertFalse(scan.isOverflow());
            reader.commit();
            deleter.rollback();
        } finally {
            reader.close();
        }
    }
}
