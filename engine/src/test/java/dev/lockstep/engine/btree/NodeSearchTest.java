package dev.lockstep.engine.btree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Seeds;
import dev.lockstep.engine.buffer.BufferPool;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The search in a node against one that looks at every slot, for keys of many shapes; and in pages full of nonsense,
 * as a reader without a latch may meet them: there it may find anything, but it ends and stays inside the memory.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeSearchTest {
    private static final int SEEDS = 10;
    private static final int NODES_PER_SEED = 60;
    private static final int TORN_PAGES_PER_SEED = 300;
    private static final int SEARCHES_PER_TORN_PAGE = 20;
    private static final byte[] NO_VALUE = new byte[0];

    /** How the keys of a node look behind the prefix that they share. */
    private enum Shape {
        DENSE {
            @Override
            byte[] suffix(Random random, int index) {
                return bigEndian(1_000_000L + index, 4);
            }
        },
        DENSE_WITH_GAPS {
            @Override
            byte[] suffix(Random random, int index) {
                return bigEndian(index * 3L + random.nextInt(3), 8);
            }
        },
        /** A few far away from all others, which leads every guess astray. */
        CLUSTERED {
            @Override
            byte[] suffix(Random random, int index) {
                return bigEndian(random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(500), 8);
            }
        },
        /** Differences begin behind the eight bytes that a slot holds. */
        EQUAL_HEADS {
            @Override
            byte[] suffix(Random random, int index) {
                byte[] suffix = new byte[8 + random.nextInt(12)];
                Arrays.fill(suffix, (byte) 7);
                for (int i = 8; i < suffix.length; i++) {
                    suffix[i] = (byte) random.nextInt(3);
                }
                return suffix;
            }
        },
        /** One is the beginning of the other, zeros included, which a head is padded with. */
        BEGINNINGS {
            @Override
            byte[] suffix(Random random, int index) {
                byte[] suffix = new byte[random.nextInt(20)];
                for (int i = 0; i < suffix.length; i++) {
                    suffix[i] = (byte) (random.nextInt(4) == 0 ? 0xFF : 0);
                }
                return suffix;
            }
        },
        RANDOM {
            @Override
            byte[] suffix(Random random, int index) {
                byte[] suffix = new byte[1 + random.nextInt(30)];
                random.nextBytes(suffix);
                return suffix;
            }
        },
        /** The least and the largest heads at once: their distance does not fit a signed number. */
        EXTREMES {
            @Override
            byte[] suffix(Random random, int index) {
                long edge = random.nextBoolean() ? 0 : -1;
                return bigEndian(edge ^ random.nextInt(1 << random.nextInt(1, 20)), 8);
            }
        };

        abstract byte[] suffix(Random random, int index);

        private static byte[] bigEndian(long number, int bytes) {
            byte[] result = new byte[bytes];
            for (int i = 0; i < bytes; i++) {
                result[bytes - 1 - i] = (byte) (number >>> (8 * i));
            }
            return result;
        }
    }

    @Test
    void findsWhatALinearSearchFinds() throws Exception {
        Seeds.each(SEEDS, seed -> {
            Random random = new Random(seed);
            for (int round = 0; round < NODES_PER_SEED; round++) {
                Shape shape = Shape.values()[round % Shape.values().length];
                // Tiny nodes, and as many keys as fit.
                int wanted = random.nextInt(3) == 0 ? random.nextInt(12) : 1 + random.nextInt(500);
                searchNode(random, shape, wanted, random.nextBoolean() ? 0 : 1);
            }
        });
    }

    private static void searchNode(Random random, Shape shape, int wanted, int level) {
        byte[] prefix = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(200)];
        random.nextBytes(prefix);
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < wanted; i++) {
            keys.add(concat(prefix, shape.suffix(random, i)));
        }
        NativeMemory page = NativeMemory.checked(MemorySegment.ofArray(new byte[PageLayout.PAGE_BYTES]));
        // Fences that have exactly this prefix in common; without one, the upper fence is missing.
        byte[] upper = prefix.length == 0 ? null : concat(prefix, upperTail());
        NodeEditor.format(page, 0, 1, 1, level, prefix, upper, 0);
        byte[][] stored = new byte[keys.size()][];
        int count = 0;
        for (byte[] key : keys) {
            if (Node.freeBytes(page, 0) < NodeLayout.SLOT_BYTES + 8 + key.length) {
                break;
            }
            if (level == 0) {
                NodeEditor.insertRecord(page, 0, count, key, key.length, NO_VALUE, 0, 0, 0, 1);
            } else {
                NodeEditor.insertSeparator(page, 0, count, key, key.length, count + 2);
            }
            stored[count++] = key;
        }
        assertEquals(count, Node.slotCount(page, 0));
        for (int i = 0; i < count; i++) {
            requireFound(shape, page, stored, count, stored[i]);
            requireCopied(page, i, stored[i]);
        }
        for (int i = 0; i < 60; i++) {
            requireFound(shape, page, stored, count, concat(prefix, shape.suffix(random, i)));
            Shape other = Shape.values()[random.nextInt(Shape.values().length)];
            requireFound(shape, page, stored, count, concat(prefix, other.suffix(random, random.nextInt(500))));
        }
        requireFound(shape, page, stored, count, prefix);
    }

    /** The key arrives whole, in room for no byte more, and what has no room is cut off. */
    private static void requireCopied(NativeMemory page, int slot, byte[] key) {
        assertTrue(Node.hasKey(page, 0, slot, key, key.length));
        for (int i = 0; i < key.length; i++) {
            key[i] ^= 1;
            assertFalse(Node.hasKey(page, 0, slot, key, key.length));
            key[i] ^= 1;
        }
        byte[] copy = new byte[key.length];
        assertEquals(key.length, Node.copyKey(page, 0, slot, copy));
        assertArrayEquals(key, copy);
        int room = key.length / 2;
        byte[] cut = new byte[room];
        assertEquals(room, Node.copyKey(page, 0, slot, cut));
        assertArrayEquals(Arrays.copyOf(key, room), cut);
    }

    /** Above every suffix that a shape makes. */
    private static byte[] upperTail() {
        byte[] tail = new byte[40];
        Arrays.fill(tail, (byte) 0xFF);
        return tail;
    }

    private static byte[] concat(byte[] prefix, byte[] suffix) {
        byte[] key = Arrays.copyOf(prefix, prefix.length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.length, suffix.length);
        return key;
    }

    private static void requireFound(Shape shape, NativeMemory page, byte[][] stored, int count, byte[] key) {
        int expected = -count - 1;
        for (int i = 0; i < count; i++) {
            int order = Arrays.compareUnsigned(stored[i], key);
            if (order >= 0) {
                expected = order == 0 ? i : -i - 1;
                break;
            }
        }
        assertEquals(
                expected,
                Node.find(page, 0, key, key.length),
                () -> "shape=" + shape + " count=" + count + " key=" + Arrays.toString(key));
        for (int guess = 0; guess <= count; guess++) {
            int from = guess;
            assertEquals(
                    expected,
                    Node.findFrom(page, 0, key, key.length, guess),
                    () -> "shape=" + shape + " count=" + count + " guess=" + from + " key=" + Arrays.toString(key));
        }
    }

    /** Separators 0, 1,000, 2,000 and so on, of eight bytes behind a prefix that all have. */
    @Test
    void aKeyLiesInAChildAsFarAsBetweenItsSeparators() {
        int separators = 9;
        NativeMemory memory = NativeMemory.checked(MemorySegment.ofArray(new byte[PageLayout.PAGE_BYTES]));
        NodeEditor.format(memory, 0, 1, 1, 1, NO_VALUE, null, 0);
        for (int i = 0; i < separators; i++) {
            byte[] key = number(1_000L * i);
            NodeEditor.insertSeparator(memory, 0, i, key, key.length, i);
        }
        for (long number = 0; number < 1_000L * (separators - 1); number += 7) {
            byte[] key = number(number);
            int child = Node.childIndex(memory, 0, key, key.length);
            double share = Node.shareOfChild(memory, 0, child, key, key.length);
            // Heads are halved, so that they are positive.
            assertEquals(number % 1_000 / 1_000.0, share, 1 / 500.0, "number=" + number);
        }
        for (int child : new int[] {0, separators}) {
            assertEquals(Node.SHARE_UNKNOWN, Node.shareOfChild(memory, 0, child, number(0), Long.BYTES));
        }
    }

    /** Heads that differ by less than a leaf may have slots tell nothing of where in it a key is. */
    @Test
    void separatorsThatHardlyDifferTellNothing() {
        NativeMemory memory = NativeMemory.checked(MemorySegment.ofArray(new byte[PageLayout.PAGE_BYTES]));
        NodeEditor.format(memory, 0, 1, 1, 1, NO_VALUE, null, 0);
        NodeEditor.insertSeparator(memory, 0, 0, number(5), Long.BYTES, 0);
        NodeEditor.insertSeparator(memory, 0, 1, number(6), Long.BYTES, 0);
        assertEquals(Node.SHARE_UNKNOWN, Node.shareOfChild(memory, 0, 1, number(5), Long.BYTES));
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    /** Counts and lengths, heads and offsets: anything. Memory outside the segment would be an exception. */
    @Test
    void endsInsideTheMemoryWhateverThePageHolds() throws Exception {
        Seeds.each(SEEDS, seed -> {
            Random random = new Random(seed);
            try (Arena arena = Arena.ofConfined()) {
                NativeMemory memory = NativeMemory.allocate(
                        arena, PageLayout.PAGE_BYTES + BufferPool.GUARD_BYTES, PageLayout.PAGE_BYTES);
                for (int round = 0; round < TORN_PAGES_PER_SEED; round++) {
                    tear(random, memory, round);
                    for (int i = 0; i < SEARCHES_PER_TORN_PAGE; i++) {
                        byte[] key = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(NodeLayout.KEY_BYTES_MAX)];
                        random.nextBytes(key);
                        searchTorn(random, memory, key);
                    }
                }
            }
        });
    }

    private static void tear(Random random, NativeMemory memory, int round) {
        byte[] bytes = new byte[PageLayout.PAGE_BYTES];
        switch (round % 4) {
            case 0 -> random.nextBytes(bytes);
            case 1 -> Arrays.fill(bytes, (byte) 0xFF);
            default -> {
                // A node of which some bytes are those of another moment.
                NativeMemory node = NativeMemory.checked(MemorySegment.ofArray(bytes));
                NodeEditor.format(node, 0, 1, 1, 0, NO_VALUE, null, 0);
                for (int i = 0; i < 150; i++) {
                    byte[] key = Shape.DENSE.suffix(random, i);
                    NodeEditor.insertRecord(node, 0, i, key, key.length, NO_VALUE, 0, 0, 0, 1);
                }
                for (int i = 0; i < 1 + round; i++) {
                    int from = random.nextBoolean() ? NodeLayout.SLOT_COUNT : NodeLayout.SLOTS;
                    bytes[random.nextInt(from, from == NodeLayout.SLOTS ? bytes.length : NodeLayout.SLOTS)] =
                            (byte) random.nextInt();
                }
            }
        }
        memory.copyFrom(bytes, 0, 0, bytes.length);
    }

    private static void searchTorn(Random random, NativeMemory memory, byte[] key) {
        int count = Node.slotCount(memory, 0);
        int found = Node.find(memory, 0, key, key.length);
        assertTrue(found >= -count - 1 && found < Math.max(count, 1), () -> "found=" + found + " count=" + count);
        double share = Node.shareOfChild(memory, 0, random.nextInt(NodeLayout.SLOT_COUNT_MAX), key, key.length);
        assertTrue(share == Node.SHARE_UNKNOWN || (share >= 0 && share <= 1), () -> "share=" + share);
        int from = Node.findFrom(memory, 0, key, key.length, Node.slotAt(memory, 0, random.nextDouble()));
        assertTrue(from >= -count - 1 && from < Math.max(count, 1), () -> "found=" + from + " count=" + count);
        Node.childIndex(memory, 0, key, key.length);
        assertTrue(Node.childIndexBelow(found) <= Node.childIndex(found), () -> "found=" + found);
        if (count > 0) {
            int slot = random.nextInt(count);
            Node.hasKey(memory, 0, slot, key, key.length);
            Node.child(memory, 0, slot);
            Node.version(memory, 0, slot);
            Node.copyKey(memory, 0, slot, new byte[NodeLayout.KEY_BYTES_MAX]);
            int valueBytes = Node.valueBytes(memory, 0, slot);
            Node.copyOut(memory, Node.valueAddress(memory, 0, slot), new byte[valueBytes], 0, valueBytes);
        }
        Node.covers(memory, 0, key, key.length);
        Node.copyLowerFence(memory, 0, new byte[NodeLayout.KEY_BYTES_MAX]);
        Node.copyUpperFence(memory, 0, new byte[NodeLayout.KEY_BYTES_MAX]);
    }

    /** A page that another thread rewrites while it is searched: the two looks at a head need not agree. */
    @Test
    void endsWhileThePageIsRewritten() throws Exception {
        Seeds.each(1, seed -> {
            Random random = new Random(seed);
            try (Arena arena = Arena.ofShared()) {
                NativeMemory memory = NativeMemory.allocate(
                        arena, PageLayout.PAGE_BYTES + BufferPool.GUARD_BYTES, PageLayout.PAGE_BYTES);
                FutureTask<Void> rewriting = new FutureTask<>(
                        () -> {
                            Random own = new Random(~seed);
                            for (int round = 0; !Thread.currentThread().isInterrupted(); round++) {
                                tear(own, memory, round % 100);
                            }
                        },
                        null);
                Thread writer = Thread.ofPlatform().start(rewriting);
                for (int i = 0; i < 50_000; i++) {
                    byte[] key = Shape.DENSE.suffix(random, random.nextInt(200));
                    int found = Node.find(memory, 0, key, key.length);
                    assertTrue(
                            found >= -NodeLayout.SLOT_COUNT_MAX - 1 && found < NodeLayout.SLOT_COUNT_MAX,
                            () -> "found=" + found);
                    int from = Node.findFrom(memory, 0, key, key.length, random.nextInt(200));
                    assertTrue(
                            from >= -NodeLayout.SLOT_COUNT_MAX - 1 && from < NodeLayout.SLOT_COUNT_MAX,
                            () -> "found=" + from);
                }
                writer.interrupt();
                rewriting.get();
            }
        });
    }
}
