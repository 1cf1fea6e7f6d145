package dev.lockstep.bench.prove.disk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a file. Copies share blocks until one of them writes, so that a copy of a whole disk costs next to
 * nothing. Not thread-safe.
 */
public final class FileImage {
    private static final int BLOCK_SHIFT = 13;
    private static final int BLOCK_BYTES = 1 << BLOCK_SHIFT;
    private static final byte[] ZEROS = new byte[BLOCK_BYTES];

    private byte[][] blocks = new byte[0][];

    /** Whether nobody else has the block. */
    private boolean[] owned = new boolean[0];

    private long sizeBytes;

    /** An empty file. */
    public FileImage() {}

    /** A file with these bytes, which are copied. */
    public static FileImage of(byte[] bytes) {
        FileImage image = new FileImage();
        image.write(0, bytes, 0, bytes.length);
        return image;
    }

    /** A copy that changes apart from this. */
    public FileImage copy() {
        FileImage copy = new FileImage();
        copy.blocks = blocks.clone();
        copy.owned = new boolean[blocks.length];
        copy.sizeBytes = sizeBytes;
        Arrays.fill(owned, false);
        return copy;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    public int read(ByteBuffer target, long position) {
        int count = (int) Math.max(0, Math.min(target.remaining(), sizeBytes - position));
        int done = 0;
        while (done < count) {
            long at = position + done;
            int within = (int) (at & (BLOCK_BYTES - 1));
            int length = Math.min(count - done, BLOCK_BYTES - within);
            target.put(blocks[(int) (at >>> BLOCK_SHIFT)], within, length);
            done += length;
        }
        return count;
    }

    /** Writes {@code data[from, to)}, whose first byte {@code data[0]} belongs at {@code position}. */
    public void write(long position, byte[] data, int from, int to) {
        extend(Math.max(sizeBytes, position + to));
        int done = from;
        while (done < to) {
            long at = position + done;
            int within = (int) (at & (BLOCK_BYTES - 1));
            int length = Math.min(to - done, BLOCK_BYTES - within);
            System.arraycopy(data, done, own((int) (at >>> BLOCK_SHIFT)), within, length);
            done += length;
        }
    }

    /** Makes the file shorter or, with zeros, longer. */
    public void resize(long newSizeBytes) {
        if (newSizeBytes >= sizeBytes) {
            extend(newSizeBytes);
            return;
        }
        int blockCount = (int) ((newSizeBytes + BLOCK_BYTES - 1) >>> BLOCK_SHIFT);
        blocks = Arrays.copyOf(blocks, blockCount);
        owned = Arrays.copyOf(owned, blockCount);
        int within = (int) (newSizeBytes & (BLOCK_BYTES - 1));
        if (within > 0) {
            Arrays.fill(own(blockCount - 1), within, BLOCK_BYTES, (byte) 0);
        }
        sizeBytes = newSizeBytes;
    }

    private void extend(long toSizeBytes) {
        int before = blocks.length;
        int blockCount = (int) ((toSizeBytes + BLOCK_BYTES - 1) >>> BLOCK_SHIFT);
        if (blockCount > before) {
            blocks = Arrays.copyOf(blocks, blockCount);
            owned = Arrays.copyOf(owned, blockCount);
            Arrays.fill(blocks, before, blockCount, ZEROS);
        }
        sizeBytes = Math.max(sizeBytes, toSizeBytes);
    }

    private byte[] own(int block) {
        if (!owned[block]) {
            blocks[block] = blocks[block].clone();
            owned[block] = true;
        }
        return blocks[block];
    }
}
