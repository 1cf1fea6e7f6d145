package dev.lockstep.engine.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LockNameTest {
    private static final long SEED = 20_001L;

    @Test
    void theSameBytesHaveTheSameNameWhereverTheyLie() {
        Random random = new Random(SEED);
        for (int length = 0; length < 70; length++) {
            byte[] key = new byte[length];
            random.nextBytes(key);
            byte[] shifted = new byte[length + 9];
            System.arraycopy(key, 0, shifted, 5, length);
            long name = LockName.ofKey(3, key, 0, length);
            assertEquals(name, LockName.ofKey(3, shifted, 5, length));
            int leadingBytes = random.nextInt(20);
            assertEquals(
                    LockName.ofKey(3, leadingBytes, key, 0, length),
                    LockName.ofKey(3, leadingBytes, shifted, 5, length));
            assertFalse(LockName.isTable(name));
        }
    }

    @Test
    void everyBitOfKeyLengthAndTreeCounts() {
        Random random = new Random(SEED);
        Set<Long> names = new HashSet<>();
        int made = 0;
        for (int length = 0; length < 40; length++) {
            byte[] key = new byte[length];
            random.nextBytes(key);
            names.add(LockName.ofKey(1, key, 0, length));
            names.add(LockName.ofKey(2, key, 0, length));
            names.add(LockName.ofKey(-1, key, 0, length));
            made += 3;
            for (int bit = 0; bit < 8 * length; bit++) {
                byte[] changed = Arrays.copyOf(key, length);
                changed[bit / 8] ^= (byte) (1 << bit % 8);
                names.add(LockName.ofKey(1, changed, 0, length));
                made++;
            }
            names.add(LockName.ofKey(5, new byte[length], 0, length));
            made++;
        }
        assertEquals(made, names.size());
    }

    @Test
    void tablesAreNoKeys() {
        Set<Long> names = new HashSet<>();
        for (int treeId = -1000; treeId < 1000; treeId++) {
            assertTrue(LockName.isTable(LockName.ofTable(treeId)));
            names.add(LockName.ofTable(treeId));
        }
        assertEquals(2000, names.size());
        assertTrue(LockName.toString(LockName.ofTable(4)).startsWith("table:"));
        assertEquals("key:0x000000000000002a", LockName.toString(42));
    }

    /**
     * Sequential keys, which real tables have, must spread over the bits that choose stripe, bucket, slot and place.
     */
    @Test
    void sequentialKeysSpreadOverEveryGroupOfBits() {
        int keys = 1 << 16;
        for (int shift : new int[] {0, 16, 34, 40}) {
            int[] counts = new int[256];
            byte[] key = new byte[8];
            for (int i = 0; i < keys; i++) {
                ByteBuffer.wrap(key).putInt(0, 7).putInt(4, i);
                counts[(int) (LockName.ofKey(9, key, 0, key.length) >>> shift) & 255]++;
            }
            double expected = keys / 256.0;
            double chiSquare = 0;
            for (int count : counts) {
                chiSquare += (count - expected) * (count - expected) / expected;
            }
            // 255 degrees of freedom: mean 255, standard deviation 22.6; the keys are fixed, so this never flickers.
            assertTrue(chiSquare < 255 + 5 * 22.6, "shift=" + shift + " chiSquare=" + chiSquare);
        }
        assertNotEquals(LockName.ofKey(9, new byte[8], 0, 8), LockName.ofKey(9, new byte[8], 0, 7));
    }

    @Test
    void keysThatBeginAlikeAreInOneGroupWhateverTheTreeAndTheRest() {
        Random random = new Random(SEED);
        for (int leadingBytes : new int[] {1, 2, 3, 4, 7, 8, 9, 16}) {
            byte[] key = new byte[leadingBytes + 9];
            random.nextBytes(key);
            int group = group(LockName.ofKey(1, leadingBytes, key, 0, key.length));
            Set<Integer> otherBits = new HashSet<>();
            for (int i = 0; i < 1000; i++) {
                byte[] other = Arrays.copyOf(key, leadingBytes + random.nextInt(9));
                for (int at = leadingBytes; at < other.length; at++) {
                    other[at] = (byte) random.nextInt();
                }
                long name = LockName.ofKey(i % 7, leadingBytes, other, 0, other.length);
                assertEquals(group, group(name));
                assertFalse(LockName.isTable(name));
                otherBits.add((int) name & (LockManager.STRIPES_PER_GROUP_MAX - 1));
            }
            assertTrue(otherBits.size() > 200, "the stripes of a group, of 256: " + otherBits.size());
        }
    }

    @Test
    void keysThatBeginOtherwiseSpreadOverTheGroups() {
        int[] counts = new int[64];
        for (int warehouse = 0; warehouse < 6400; warehouse++) {
            byte[] key = ByteBuffer.allocate(8).putInt(warehouse).putInt(5).array();
            counts[group(LockName.ofKey(1, 4, key, 0, 8)) & 63]++;
        }
        for (int count : counts) {
            assertTrue(count > 50 && count < 150, "of 6,400 in 64 groups: " + Arrays.toString(counts));
        }
    }

    @Test
    void rowsThatAreNumberedOneAfterTheOtherAreInOneGroup() {
        for (ColumnType type : new ColumnType[] {ColumnType.int32(), ColumnType.int64()}) {
            KeyFormat format = format(type);
            Set<Integer> groups = new HashSet<>();
            for (int number = 0; number < 4 * 256; number++) {
                Key key = new Key(format).add(number);
                groups.add(group(LockName.ofKey(1, format.leadingBytes(), key.bytes(), 0, key.length())));
            }
            assertEquals(4, groups.size());
        }
        assertEquals(0, format(ColumnType.int16()).leadingBytes(), "a few rows should not meet");
        assertEquals(0, format(ColumnType.string(20)).leadingBytes());
    }

    private static KeyFormat format(ColumnType type) {
        return new KeyFormat("K", new Column[] {new Column("id", type, false)}, new int[] {0}, new boolean[1]);
    }

    @Test
    void aKeyWithoutAllLeadingBytesIsNamedAsOneWithoutAny() {
        byte[] key = {1, 2, 3};
        assertEquals(LockName.ofKey(1, key, 0, 3), LockName.ofKey(1, 4, key, 0, 3));
        assertEquals(LockName.ofKey(1, key, 0, 0), LockName.ofKey(1, 4, key, 0, 0));
        assertEquals(LockName.ofKey(1, key, 0, 3), LockName.ofKey(1, 0, key, 0, 3));
    }

    private static int group(long name) {
        return (int) (name >>> LockName.GROUP_SHIFT) & (LockName.GROUPS_MAX - 1);
    }
}
