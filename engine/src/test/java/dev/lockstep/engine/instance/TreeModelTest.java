package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.file.DiskStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random work on one tree, compared with a {@link TreeMap} step by step. */
class TreeModelTest {
    private static final int KEY_BYTES_MAX = 900;
    private static final int VALUE_BYTES_MAX = 3_000;
    /**
     * File header, catalog, root, and what the last removals could not merge: a root with one child waits for the next
     * removal.
     */
    private static final int PAGES_OF_EMPTY_MAX = 6;

    private static final long MEMORY_BYTES = 16 << 20;
    private static final Isolation[] LEVELS = Isolation.values();

    @TempDir
    Path directory;

    @Test
    void agreesWithTheModelInMemory() {
        Seeds.each(20, seed -> {
            Instance instance = new InstanceOpener(
                            DatabaseOptions.builder().poolBytes(MEMORY_BYTES).build(), null)
                    .openInMemory();
            run(instance, seed, 6, 500);
        });
    }

    /** The pool holds an eighth of the tree, so every walk meets pages that are not there. */
    @Test
    void agreesWithTheModelWhileMostOfTheTreeIsOnDisk() {
        Seeds.each(2, seed -> {
            DatabaseOptions options = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .durability(Durability.ASYNC)
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .build();
            Path own = Files.createDirectory(directory.resolve("seed" + seed));
            Instance instance = new InstanceOpener(options, null).open(DiskStorage.INSTANCE, own);
            run(instance, seed, 4, 1_500);
        });
    }

    /** Ascending keys cut a full leaf at its end, where the new fence may be longer than the room that is left. */
    @Test
    void findsRoomForALongSeparator() {
        for (int prefixBytes = 700; prefixBytes < KEY_BYTES_MAX - 1; prefixBytes += 37) {
            Instance instance = new InstanceOpener(
                            DatabaseOptions.builder().poolBytes(MEMORY_BYTES).build(), null)
                    .openInMemory();
            RawTree tree = new RawTree(instance);
            tree.begin(Isolation.SERIALIZABLE);
            for (int i = 0; i < 100; i++) {
                byte[] key = new byte[prefixBytes + 1];
                key[prefixBytes] = (byte) i;
                assertTrue(tree.insert(key, new byte[i]));
            }
            tree.commit();
            tree.validate();
            tree.close();
            instance.close();
        }
    }

    /**
     * A leaf keeps the prefix that it had, none here, where a split behind its last key only gives it a new fence; one
     * that is written anew gets the longer one of both fences. Rows of one size leave the same rest in each leaf, and
     * some of these sizes leave less than a fence takes.
     */
    @Test
    void splitsBehindTheLastKeyMoveNothing() {
        Instance instance = new InstanceOpener(
                        DatabaseOptions.builder().poolBytes(2 * MEMORY_BYTES).build(), null)
                .openInMemory();
        for (int valueBytes = 60; valueBytes < 140; valueBytes++) {
            RawTree tree = new RawTree(instance, "values" + valueBytes);
            tree.begin(Isolation.SERIALIZABLE);
            for (int i = 0; i < 1_000; i++) {
                assertTrue(tree.insert(new byte[] {1, 1, (byte) (i >> 8), (byte) i}, new byte[valueBytes]));
            }
            tree.commit();
            List<Integer> prefixes = tree.prefixesOfLeaves();
            assertTrue(prefixes.size() > 5, prefixes::toString);
            // The first leaf was a root once, and was written when that was split.
            assertTrue(prefixes.stream().filter(prefix -> prefix > 0).count() <= 1, prefixes::toString);
            tree.close();
        }
        RawTree last = new RawTree(instance);
        last.validate();
        last.close();
        instance.close();
    }

    private static void run(Instance instance, long seed, int phases, int stepsOfPhase) {
        RawTree tree = new RawTree(instance);
        Work work = new Work(tree, seed);
        for (int phase = 0; phase < phases; phase++) {
            // Growing, then churning, then shrinking.
            work.phase(phase % 3, stepsOfPhase);
        }
        work.clear();
        tree.close();
        instance.close();
    }

    /** The model, the random numbers and what they decide. */
    private static final class Work {
        private final RawTree tree;
        private final SplittableRandom random;
        private final byte[][] prefixes = new byte[6][];
        private NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        private long sequence;

        Work(RawTree tree, long seed) {
            this.tree = tree;
            random = new SplittableRandom(seed);
            for (int i = 0; i < prefixes.length; i++) {
                prefixes[i] = bytes(random.nextInt(i < 3 ? 12 : KEY_BYTES_MAX - 60));
            }
        }

        void phase(int kind, int steps) {
            int insertPercent = kind == 0 ? 70 : kind == 1 ? 35 : 10;
            int deletePercent = kind == 0 ? 5 : kind == 1 ? 30 : 70;
            int done = 0;
            while (done < steps) {
                int transactionSteps = 1 + random.nextInt(60);
                transaction(transactionSteps, insertPercent, deletePercent);
                done += transactionSteps;
                compareScans();
                if (random.nextInt(4) == 0) {
                    requireValid();
                }
            }
        }

        private void transaction(int steps, int insertPercent, int deletePercent) {
            NavigableMap<byte[], byte[]> before = new TreeMap<>(model);
            tree.begin(LEVELS[random.nextInt(LEVELS.length)]);
            int savepoint = -1;
            NavigableMap<byte[], byte[]> atSavepoint = null;
            for (int i = 0; i < steps; i++) {
                step(insertPercent, deletePercent);
                int dice = random.nextInt(30);
                if (dice == 0) {
                    savepoint = tree.savepoint();
                    atSavepoint = new TreeMap<>(model);
                } else if (dice == 1 && atSavepoint != null) {
                    tree.rollbackTo(savepoint);
                    model = new TreeMap<>(atSavepoint);
                }
            }
            if (random.nextInt(5) == 0) {
                tree.rollback();
                model = before;
            } else {
                tree.commit();
            }
        }

        private void step(int insertPercent, int deletePercent) {
            int dice = random.nextInt(100);
            if (dice < insertPercent) {
                byte[] key = random.nextInt(4) == 0 ? existingKey() : newKey();
                byte[] value = bytes(valueBytes());
                assertEquals(model.putIfAbsent(key, value) == null, tree.insert(key, value), () -> hex(key));
            } else if (dice < insertPercent + deletePercent) {
                byte[] key = random.nextInt(8) == 0 ? newKey() : existingKey();
                assertEquals(model.remove(key) != null, tree.delete(key), () -> hex(key));
            } else if (dice % 2 == 0) {
                byte[] key = random.nextInt(8) == 0 ? newKey() : existingKey();
                byte[] value = bytes(valueBytes());
                assertEquals(model.replace(key, value) != null, tree.update(key, value), () -> hex(key));
            } else {
                byte[] key = random.nextInt(3) == 0 ? newKey() : existingKey();
                assertArrayEquals(model.get(key), tree.get(key), () -> hex(key));
            }
        }

        private int valueBytes() {
            return switch (random.nextInt(8)) {
                case 0 -> random.nextInt(VALUE_BYTES_MAX);
                case 1, 2 -> random.nextInt(700);
                default -> random.nextInt(60);
            };
        }

        private byte[] existingKey() {
            byte[] near = newKey();
            byte[] key = model.ceilingKey(near);
            if (key == null) {
                key = model.floorKey(near);
            }
            return key == null ? near : key;
        }

        /** Shared prefixes, ascending runs, bytes at the ends of their range, single bytes. */
        private byte[] newKey() {
            byte[] prefix = prefixes[random.nextInt(prefixes.length)];
            return switch (random.nextInt(6)) {
                case 0 -> bytes(1 + random.nextInt(3));
                case 1 -> bytes(1 + random.nextInt(KEY_BYTES_MAX));
                case 2 -> {
                    byte[] key = Arrays.copyOf(prefix, prefix.length + Long.BYTES);
                    long next = sequence += 1 + random.nextInt(3);
                    for (int i = 0; i < Long.BYTES; i++) {
                        key[key.length - 1 - i] = (byte) (next >>> (Byte.SIZE * i));
                    }
                    yield key;
                }
                default -> {
                    byte[] tail = bytes(1 + random.nextInt(40));
                    byte[] key = Arrays.copyOf(prefix, prefix.length + tail.length);
                    System.arraycopy(tail, 0, key, prefix.length, tail.length);
                    yield key;
                }
            };
        }

        private byte[] bytes(int length) {
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                int dice = random.nextInt(10);
                bytes[i] = (byte) (dice < 3 ? 0 : dice < 6 ? 0xFF : dice < 8 ? random.nextInt(3) : random.nextInt(256));
            }
            return bytes;
        }

        private void compareScans() {
            tree.begin(LEVELS[random.nextInt(LEVELS.length)]);
            compareScan(null, null, random.nextBoolean(), random.nextInt(4) == 0 ? Integer.MAX_VALUE : 100);
            for (int i = 0; i < 4; i++) {
                byte[] low = random.nextInt(5) == 0 ? null : random.nextBoolean() ? newKey() : existingKey();
                byte[] high = random.nextInt(5) == 0 ? null : random.nextBoolean() ? newKey() : existingKey();
                compareScan(low, high, random.nextBoolean(), 1 + random.nextInt(200));
            }
            tree.commit();
        }

        private void compareScan(byte[] low, byte[] high, boolean backward, int countMax) {
            NavigableMap<byte[], byte[]> range = model;
            if (low != null && high != null && Arrays.compareUnsigned(low, high) >= 0) {
                range = new TreeMap<>(Arrays::compareUnsigned);
            } else {
                range = low == null ? range : range.tailMap(low, true);
                range = high == null ? range : range.headMap(high, false);
            }
            range = backward ? range.descendingMap() : range;
            Iterator<Map.Entry<byte[], byte[]>> expected = range.entrySet().iterator();
            int[] count = new int[1];
            tree.scan(low, high, backward, (key, value) -> {
                assertTrue(expected.hasNext(), () -> "beyond the range: " + hex(key));
                Map.Entry<byte[], byte[]> entry = expected.next();
                assertArrayEquals(entry.getKey(), key, () -> "expected " + hex(entry.getKey()) + " was " + hex(key));
                assertArrayEquals(entry.getValue(), value, () -> "value of " + hex(key));
                return ++count[0] < countMax;
            });
            assertEquals(count[0] < countMax && expected.hasNext(), false, "the scan ended early");
        }

        private void requireValid() {
            Validation.Report report = tree.validate();
            // The catalog has one record, for this table.
            assertEquals(model.size() + 1, report.records());
        }

        /** Deletes everything: the tree has to shrink with it. */
        void clear() {
            requireValid();
            while (!model.isEmpty()) {
                tree.begin(Isolation.SERIALIZABLE);
                for (int i = 0; i < 100 && !model.isEmpty(); i++) {
                    byte[] key = existingKey();
                    assertTrue(tree.delete(key));
                    model.remove(key);
                }
                tree.commit();
            }
            compareScans();
            requireValid();
            int pages = tree.validate().pages();
            assertTrue(pages <= PAGES_OF_EMPTY_MAX, () -> "pages=" + pages);
        }

        private static String hex(byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
    }
}
