package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.ValidatedDatabase;
import dev.lockstep.engine.btree.PageAllocator;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.Waiter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lost pages are looked for step by step, and between any two steps transactions change the tree that is being walked.
 * At the end the bitmap has to be exact.
 */
class LostPagesTest {
    private static final Path HOME = Path.of("/database");
    private static final Path MARK = HOME.resolve(FixedPlaces.CLEAN_CLOSE_FILE);
    private static final int RECORDS = 80;

    /** So few of these find room in an inner node that the tree gets three levels. */
    private static final int KEY_BYTES = 900;

    private static final int INLINE_BYTES = 300;
    private static final int CHAIN_BYTES = 20_000;

    /** Keys that are in the tree at the crash are even. */
    private static byte[] key(int id) {
        return ByteBuffer.allocate(KEY_BYTES).putInt(id).array();
    }

    private static byte[] value(int bytes, int kind) {
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) (i / 97 + kind);
        }
        return value;
    }

    private static Instance open(FaultyStorage storage) {
        LogOptions log = LogOptions.sync()
                .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN)
                .withBufferBytes(LogOptions.BUFFER_BYTES_MIN);
        return new InstanceOpener(ValidatedDatabase.SMALLEST, null, log)
                .lookingLater()
                .open(storage, HOME);
    }

    /** A tree and what it has to hold. */
    private static final class Model {
        private final Instance instance;
        private final RawTree tree;
        private final Map<Integer, byte[]> records;

        Model(Instance instance, Map<Integer, byte[]> records) {
            this.instance = instance;
            this.records = new TreeMap<>(records);
            tree = new RawTree(instance);
        }

        void begin() {
            tree.begin(Isolation.READ_COMMITTED);
        }

        void put(int id, byte[] value) {
            boolean isThere = records.put(id, value) != null;
            assertTrue(isThere ? tree.update(key(id), value) : tree.insert(key(id), value), () -> "id=" + id);
        }

        void delete(int id) {
            records.remove(id);
            assertTrue(tree.delete(key(id)), () -> "id=" + id);
        }

        void rollback(Map<Integer, byte[]> before) {
            tree.rollback();
            records.clear();
            records.putAll(before);
        }

        void requireRecords() {
            tree.begin(Isolation.READ_COMMITTED);
            for (int id = 0; id < 2 * RECORDS; id++) {
                byte[] expected = records.get(id);
                byte[] found = tree.get(key(id));
                if (expected == null) {
                    assertNull(found);
                } else {
                    assertArrayEquals(expected, found);
                }
            }
            tree.commit();
        }

        void requireRecordsAndClose() {
            requireRecords();
            tree.close();
            instance.validate();
            instance.close();
        }
    }

    /** Fills a tree, has pages be lost in each way there is, and crashes. */
    private static Map<Integer, byte[]> crashed(FaultyStorage storage) {
        Instance instance = open(storage);
        Model model = new Model(instance, Map.of());
        instance.schema().createTable(small("dropped"));
        model.begin();
        for (int id = 0; id < 2 * RECORDS; id += 2) {
            model.put(id, value(id % 6 == 0 ? CHAIN_BYTES : INLINE_BYTES, id));
        }
        for (int id = 1; id < RECORDS; id += 2) {
            model.put(id, value(INLINE_BYTES, id));
        }
        model.tree.commit();
        instance.checkpoint();
        instance.schema().dropTable("dropped");
        model.begin();
        for (int id = 1; id < RECORDS; id += 2) {
            model.delete(id);
        }
        for (int id = 60; id < 72; id += 6) {
            model.put(id, value(CHAIN_BYTES, id + 1));
        }
        model.tree.commit();
        Map<Integer, byte[]> committed = new TreeMap<>(model.records);
        model.begin();
        model.put(72, value(CHAIN_BYTES, 73));
        model.put(2 * RECORDS, value(CHAIN_BYTES, 1));
        model.delete(78);
        instance.log().awaitDurable(instance.log().tailLsn() - 1, new Waiter());
        instance.abandon();
        storage.crash();
        return committed;
    }

    private static TableDefinition small(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.int32())
                .primaryKey("id")
                .build();
    }

    /** What happens beside the walk: something at its beginning or in the middle, and something later. */
    private enum Scenario {
        DELETE_ROLLED_BACK {
            @Override
            void begin(Model model) {
                model.begin();
                for (int id = 0; id < 2 * RECORDS; id += 6) {
                    model.delete(id);
                }
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.rollback(before);
            }
        },
        UPDATE_ROLLED_BACK {
            @Override
            void begin(Model model) {
                model.begin();
                for (int id = 0; id < 2 * RECORDS; id += 6) {
                    model.put(id, value(id % 12 == 0 ? INLINE_BYTES : CHAIN_BYTES / 2, 3));
                }
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.rollback(before);
            }
        },
        DELETED_AND_INSERTED_AGAIN_ROLLED_BACK {
            @Override
            void begin(Model model) {
                model.begin();
                for (int id = 0; id < 2 * RECORDS; id += 6) {
                    model.delete(id);
                    model.put(id, value(CHAIN_BYTES, id + 3));
                }
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.rollback(before);
            }
        },
        UPDATE_COMMITTED {
            @Override
            void begin(Model model) {
                model.begin();
                for (int id = 0; id < 2 * RECORDS; id += 6) {
                    model.put(id, value(id % 12 == 0 ? INLINE_BYTES : 2 * CHAIN_BYTES, 5));
                }
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.tree.commit();
            }
        },
        PAGES_USED_AGAIN {
            @Override
            void begin(Model model) {
                model.begin();
                for (int id = 0; id < 2 * RECORDS; id += 6) {
                    model.delete(id);
                }
                model.tree.commit();
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.begin();
                for (int id = 1; id < 2 * RECORDS; id += 6) {
                    model.put(id, value(CHAIN_BYTES, id));
                }
                model.tree.commit();
            }
        },
        SPLITS {
            @Override
            void begin(Model model) {
                insert(model, 1, RECORDS);
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                insert(model, RECORDS + 1, 2 * RECORDS);
            }
        },
        MERGES {
            @Override
            void begin(Model model) {
                remove(model, 0, RECORDS + 20);
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                remove(model, RECORDS + 20, 2 * RECORDS - 2);
            }
        },
        MERGES_AND_SPLITS {
            @Override
            void begin(Model model) {
                remove(model, 0, 2 * RECORDS - 2);
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                insert(model, 1, 2 * RECORDS);
            }
        },
        TABLES {
            @Override
            void begin(Model model) {
                model.instance.schema().createTable(small("made"));
                model.instance.schema().dropTable("kept");
            }

            @Override
            void end(Model model, Map<Integer, byte[]> before) {
                model.instance.schema().dropTable("made");
                model.instance.schema().createTable(small("made again"));
            }
        };

        abstract void begin(Model model);

        abstract void end(Model model, Map<Integer, byte[]> before);

        static void insert(Model model, int from, int to) {
            model.begin();
            for (int id = from; id < to; id += 2) {
                model.put(id, value(id % 10 == 1 ? CHAIN_BYTES : INLINE_BYTES, id));
            }
            model.tree.commit();
        }

        static void remove(Model model, int from, int to) {
            model.begin();
            for (int id = from; id < to; id += 2) {
                model.delete(id);
            }
            model.tree.commit();
        }
    }

    /** Number of steps that the walk takes if nobody changes anything. */
    private static int stepCount(FaultyStorage storage) {
        crashed(storage);
        Instance instance = open(storage);
        int steps = 1;
        while (instance.lostPagesOrNull().step()) {
            steps++;
        }
        instance.validate();
        instance.close();
        return steps;
    }

    @ParameterizedTest
    @EnumSource
    void changesBesideTheWalkAreSeen(Scenario scenario) {
        int steps = stepCount(new FaultyStorage(1));
        Seeds.each(15, seed -> {
            Random random = new Random(seed);
            int first = random.nextInt(steps);
            int second = random.nextInt(first, steps);
            run(new FaultyStorage(seed), scenario, first, second);
        });
    }

    private static void run(FaultyStorage storage, Scenario scenario, int first, int second) {
        if (scenario == Scenario.TABLES) {
            Instance instance = open(storage);
            instance.schema().createTable(small("kept"));
            instance.close();
        }
        Map<Integer, byte[]> committed = crashed(storage);
        Instance instance = open(storage);
        Model model = new Model(instance, committed);
        LostPages lostPages = instance.lostPagesOrNull();
        for (int step = 0; step < first; step++) {
            assertTrue(lostPages.step());
        }
        scenario.begin(model);
        // May end here where the tree has become small: changes of a running transaction are told all the same.
        boolean goesOn = true;
        for (int step = first; step < second && goesOn; step++) {
            goesOn = lostPages.step();
        }
        scenario.end(model, committed);
        while (goesOn) {
            goesOn = lostPages.step();
        }
        model.requireRecordsAndClose();
        Instance again = open(storage);
        assertNull(again.lostPagesOrNull());
        again.validate();
        again.close();
    }

    @Test
    void allThatIsLostIsFound() {
        FaultyStorage storage = new FaultyStorage(1);
        Map<Integer, byte[]> committed = crashed(storage);
        Instance instance = open(storage);
        PageAllocator allocator = instance.environment().allocator();
        int before = allocator.allocatedCount();
        while (instance.lostPagesOrNull().step()) {
            assertEquals(before, allocator.allocatedCount());
        }
        // At least the chains of what is rolled back, which took the pages of others that were given back.
        int lost = before - allocator.allocatedCount();
        assertTrue(lost >= 2 * (CHAIN_BYTES / PageLayout.PAGE_BYTES + 1), () -> "lost=" + lost);
        new Model(instance, committed).requireRecordsAndClose();
    }

    /** Whoever needs the exact bitmap waits for it; a crash before its end leaves nothing behind. */
    @Test
    void aCrashInTheMiddleIsOneMore() {
        FaultyStorage storage = new FaultyStorage(1);
        int steps = stepCount(storage);
        FaultyStorage other = new FaultyStorage(2);
        Map<Integer, byte[]> committed = crashed(other);
        for (int at = 0; at < steps; at += 3) {
            Instance instance = open(other);
            for (int step = 0; step < at; step++) {
                assertTrue(instance.lostPagesOrNull().step());
            }
            instance.abandon();
            other.crash();
        }
        Instance instance = open(other);
        Model model = new Model(instance, committed);
        model.requireRecords();
        model.tree.close();
        assertTrue(instance.environment().allocator().isSuperset());
        instance.compact((stage, done, total) -> {});
        assertFalse(instance.environment().allocator().isSuperset());
        instance.validate();
        instance.close();
    }

    @Test
    void aCloseWaitsForTheEnd() {
        FaultyStorage storage = new FaultyStorage(1);
        crashed(storage);
        open(storage).close();
        Instance again = open(storage);
        assertNull(again.lostPagesOrNull());
        again.validate();
        again.close();
    }

    /** A mark of an earlier close that comes back does not make the bitmap of a later checkpoint an exact one. */
    @Test
    void anOldMarkOfACleanCloseDoesNotTakeTheBitmapForExact() {
        FaultyStorage storage = new FaultyStorage(1);
        open(storage).close();
        FileHeader header;
        try (BlockFile mark = storage.open(MARK, Storage.OpenMode.READ_ONLY)) {
            header = FileHeader.read(mark, FileFormat.CLEAN_CLOSE, null);
        }
        Map<Integer, byte[]> committed = crashed(storage);
        Instance recovered = open(storage);
        recovered.checkpoint();
        recovered.abandon();
        try (BlockFile mark = storage.open(MARK, Storage.OpenMode.CREATE)) {
            header.write(mark);
            mark.force(true);
        }
        storage.crash();
        Instance instance = open(storage);
        assertTrue(instance.environment().allocator().isSuperset());
        new Model(instance, committed).requireRecordsAndClose();
    }

    /** A page that cannot be read keeps nobody from closing, and the next open begins anew. */
    @Test
    void whatCannotBeFoundIsLookedForByTheNextOpen() {
        FaultyStorage storage = new FaultyStorage(1);
        Map<Integer, byte[]> committed = crashed(storage);
        Instance instance = open(storage);
        storage.failReads(PageFile.PAGES_FILE, 1);
        assertThrows(StorageException.class, instance::validate);
        instance.close();
        storage.heal();
        DatabaseOptions readOnly = ValidatedDatabase.SMALLEST.toBuilder()
                .createIfMissing(false)
                .readOnly(true)
                .build();
        Instance reading = new InstanceOpener(readOnly, null).open(storage, HOME);
        reading.validate();
        reading.close();
        instance = open(storage);
        assertNull(instance.recoveryReport());
        assertTrue(instance.environment().allocator().isSuperset());
        new Model(instance, committed).requireRecordsAndClose();
        Instance again = open(storage);
        assertNull(again.lostPagesOrNull());
        again.close();
    }

    /** A page that is announced is not given back a second time, nor one that is taken. */
    @Test
    void whatIsTouchedIsNotLost() {
        PageAllocator allocator = new PageAllocator();
        allocator.loadSuperset(new long[] {0b111111});
        allocator.leaves(1);
        allocator.free(2);
        assertEquals(2, allocator.allocate());
        allocator.free(3);
        assertEquals(3, allocator.allocateBelow(4));
        assertTrue(allocator.isSuperset());
        assertEquals(1, allocator.settle(new long[] {0b10001}));
        assertFalse(allocator.isSuperset());
        assertEquals(0b011111, allocator.bitmap()[0]);
        assertEquals(5, allocator.allocatedCount());
        allocator.free(1);
        assertThrows(CorruptionException.class, () -> allocator.free(5));
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(allocator.allocate());
        }
        assertEquals(List.of(1, 5, 6), taken);
    }
}
