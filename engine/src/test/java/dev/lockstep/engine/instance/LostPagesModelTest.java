package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Crashes again and again, and after each has threads change large and small values, and make and drop tables, while
 * lost pages are looked for. Where the machine did not stop in between, the database is examined at rest before the
 * next crash. Each thread knows what its keys have to hold; of a transaction that the crash met, all or nothing.
 */
class LostPagesModelTest {
    private static final Path HOME = Path.of("/database");
    private static final int CRASHES = 60;
    private static final int WRITERS = 2;
    private static final int IDS = 40;
    private static final int TABLES_MAX = 4;

    /** Transactions of a writer between two crashes. */
    private static final int TRANSACTIONS_MAX = 30;

    private static final int KEY_BYTES = 900;

    private static Instance open(FaultyStorage storage) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN)
                .withRecycledBytes(0);
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null, log)
                .lookingLater()
                .open(storage, HOME);
    }

    private static byte[] value(Random random) {
        int bytes =
                switch (random.nextInt(3)) {
                    case 0 -> random.nextInt(400);
                    case 1 -> 3_000 + random.nextInt(30_000);
                    default -> 1_000 + random.nextInt(100_000);
                };
        byte[] value = new byte[bytes];
        int kind = random.nextInt();
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) (i / 97 + kind);
        }
        return value;
    }

    /** The walk, which goes on a step now and then between the changes of whoever is at work, and beside the others. */
    private static final class Walk {
        private final ReentrantLock stepping = new ReentrantLock();
        private final LostPages lostPages;
        private final BooleanSupplier isPending;
        private final AtomicInteger steps;
        private boolean goesOn = true;

        Walk(Instance instance, AtomicInteger steps) {
            lostPages = instance.lostPagesOrNull();
            isPending = instance.environment().allocator()::isSuperset;
            this.steps = steps;
        }

        void goOn(Random random) {
            if (random.nextInt(3) > 0 || !stepping.tryLock()) {
                return;
            }
            try {
                if (goesOn && isPending.getAsBoolean()) {
                    goesOn = lostPages.step();
                    steps.incrementAndGet();
                }
            } finally {
                stepping.unlock();
            }
        }
    }

    /** Runs transactions on its own keys; knows what they hold if the last transaction has committed, and if not. */
    private static final class Writer {
        private final int number;
        private final Random random;
        private Map<Integer, byte[]> before = new TreeMap<>();
        private Map<Integer, byte[]> after = new TreeMap<>();

        Writer(int number, long seed) {
            this.number = number;
            random = new Random(seed);
        }

        private byte[] key(int id) {
            return ByteBuffer.allocate(KEY_BYTES).putInt(id).putInt(number).array();
        }

        void run(Instance instance, Walk walk, int transactions) {
            RawTree tree = new RawTree(instance);
            for (int i = 0; i < transactions; i++) {
                transact(tree, walk);
            }
            tree.close();
        }

        private void transact(RawTree tree, Walk walk) {
            before = after;
            after = new TreeMap<>(before);
            tree.begin(Isolation.READ_COMMITTED, Durability.SYNC);
            change(tree, walk, 1 + random.nextInt(10));
            Map<Integer, byte[]> atSavepoint = new TreeMap<>(after);
            int savepoint = tree.savepoint();
            change(tree, walk, random.nextInt(6));
            if (random.nextInt(4) == 0) {
                tree.rollbackTo(savepoint);
                after = atSavepoint;
            }
            if (random.nextInt(3) == 0) {
                after = before;
                tree.rollback();
            } else {
                tree.commit();
            }
            walk.goOn(random);
            before = after;
        }

        private void change(RawTree tree, Walk walk, int count) {
            for (int i = 0; i < count; i++) {
                walk.goOn(random);
                int id = random.nextInt(IDS);
                if (!after.containsKey(id)) {
                    byte[] value = value(random);
                    assertTrue(tree.insert(key(id), value));
                    after.put(id, value);
                } else if (random.nextInt(3) == 0) {
                    byte[] value = value(random);
                    assertTrue(tree.update(key(id), value));
                    after.put(id, value);
                } else {
                    assertTrue(tree.delete(key(id)));
                    after.remove(id);
                }
            }
        }

        /** Finds out how the last transaction has ended. */
        void requireState(Instance instance) {
            RawTree tree = new RawTree(instance);
            tree.begin(Isolation.READ_COMMITTED);
            Map<Integer, byte[]> found = new TreeMap<>();
            for (int id = 0; id < IDS; id++) {
                byte[] value = tree.get(key(id));
                if (value != null) {
                    found.put(id, value);
                }
            }
            tree.commit();
            tree.close();
            Map<Integer, byte[]> expected = isSame(found, before) ? before : after;
            assertTrue(found.keySet().equals(expected.keySet()), () -> "found=" + found.keySet());
            found.forEach((id, value) -> assertArrayEquals(expected.get(id), value, () -> "id=" + id));
            before = expected;
            after = expected;
        }

        private static boolean isSame(Map<Integer, byte[]> a, Map<Integer, byte[]> b) {
            return a.keySet().equals(b.keySet())
                    && a.keySet().stream().allMatch(id -> Arrays.equals(a.get(id), b.get(id)));
        }
    }

    /** Makes tables with large values, and drops them. */
    private static void changeSchema(Instance instance, Walk walk, Random random, int changes) {
        for (int i = 0; i < changes; i++) {
            walk.goOn(random);
            List<String> names = new ArrayList<>(instance.catalog().names());
            names.removeIf(name -> !name.startsWith("table"));
            if (names.size() < TABLES_MAX && random.nextBoolean()) {
                RawTree tree = new RawTree(instance, "table" + random.nextInt());
                tree.begin(Isolation.READ_COMMITTED);
                for (int id = 0; id < 8; id++) {
                    tree.insert(ByteBuffer.allocate(KEY_BYTES).putInt(id).array(), value(random));
                }
                tree.commit();
                tree.close();
            } else if (!names.isEmpty()) {
                instance.schema().dropTable(names.get(random.nextInt(names.size())));
            }
        }
    }

    /** Work of a thread; a crash may end it. */
    private static Thread start(FaultyStorage storage, List<Throwable> failures, Runnable work) {
        return Thread.ofPlatform().start(() -> {
            try {
                work.run();
            } catch (LockstepException met) {
                if (!storage.isCrashed()) {
                    failures.add(met);
                }
            } catch (Throwable failure) {
                failures.add(failure);
            }
        });
    }

    @Test
    void theBitmapIsExactWhateverHappensBesideTheWalk(TestReporter reporter) {
        AtomicInteger examined = new AtomicInteger();
        AtomicInteger steps = new AtomicInteger();
        Seeds.each(2, seed -> {
            Random random = new Random(seed);
            FaultyStorage storage = new FaultyStorage(seed);
            List<Writer> writers = new ArrayList<>();
            for (int number = 0; number < WRITERS; number++) {
                writers.add(new Writer(number, seed * WRITERS + number));
            }
            Instance created = open(storage);
            new RawTree(created).close();
            created.abandon();
            storage.crash();
            for (int crash = 0; crash < CRASHES; crash++) {
                if (round(storage, random, writers, steps)) {
                    examined.incrementAndGet();
                }
            }
        });
        reporter.publishEntry(Map.of("examined", examined.toString(), "steps", steps.toString()));
        assertTrue(examined.get() > 0);
        assertTrue(steps.get() > 0);
    }

    /** Opens, has everybody work beside the walk, and crashes; whether the database was examined before that. */
    private static boolean round(FaultyStorage storage, Random random, List<Writer> writers, AtomicInteger steps)
            throws InterruptedException {
        Instance instance = open(storage);
        writers.forEach(writer -> writer.requireState(instance));
        boolean stops = random.nextInt(3) == 0;
        if (stops) {
            storage.crashAtChange(1 + random.nextInt(200));
        }
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        Walk walk = new Walk(instance, steps);
        int transactions = random.nextInt(TRANSACTIONS_MAX);
        for (Writer writer : writers) {
            threads.add(start(storage, failures, () -> writer.run(instance, walk, transactions)));
        }
        long schemaSeed = random.nextLong();
        threads.add(
                start(storage, failures, () -> changeSchema(instance, walk, new Random(schemaSeed), transactions / 3)));
        for (Thread thread : threads) {
            thread.join();
        }
        storage.crashAtChange(Integer.MAX_VALUE);
        if (!failures.isEmpty()) {
            throw new AssertionError("beside the walk", failures.getFirst());
        }
        boolean examines = !storage.isCrashed();
        if (examines) {
            instance.validate();
            writers.forEach(writer -> writer.requireState(instance));
            if (random.nextBoolean()) {
                instance.checkpoint();
            }
            writers.forEach(writer -> writer.run(instance, walk, random.nextInt(4)));
        }
        instance.abandon();
        storage.crash();
        return examines;
    }
}
