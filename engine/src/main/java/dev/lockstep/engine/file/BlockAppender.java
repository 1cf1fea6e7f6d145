package dev.lockstep.engine.file;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;

/**
 * Writes a file from front to back in whole blocks, as a write past the system's cache needs them. The last block, of
 * which not all bytes are there yet, is filled up with zeros, and written again with what comes behind. A crash in the
 * middle of that leaves of each sector the old content or the new, both of which begin with the same bytes.
 *
 * <p>Invariant, between calls: the first {@code tailBytes} of {@code blocks} are the bytes of the file from
 * {@code blockPosition} on, a multiple of {@link BlockFile#BLOCK_BYTES}, and less than a block of them.
 *
 * <p>Belongs to one thread.
 */
public final class BlockAppender implements AutoCloseable {
    /** Bytes outside the heap: what the log hands over at a time, and a block in front of it and one behind. */
    public static final int NATIVE_BYTES = (1 << 20) + 2 * BlockFile.BLOCK_BYTES;

    private final Arena arena = Arena.ofShared();
    private final ByteBuffer blocks =
            arena.allocate(NATIVE_BYTES, BlockFile.BLOCK_BYTES).asByteBuffer();
    private BlockFile file;
    private long endBytes;
    private long blockPosition;
    private int tailBytes;

    /**
     * Begins to write a file.
     *
     * @param target the file
     * @param position where the first byte goes, a multiple of {@link BlockFile#BLOCK_BYTES}
     * @param limitBytes the length beyond which the file must not be filled up with zeros
     */
    public void begin(BlockFile target, long position, long limitBytes) {
        if (position % BlockFile.BLOCK_BYTES != 0) {
            throw new IllegalArgumentException("not the begin of a block: position=" + position);
        }
        file = target;
        endBytes = limitBytes;
        blockPosition = position;
        tailBytes = 0;
    }

    /**
     * Writes what follows.
     *
     * @param source what to write, from its position to its limit
     * @throws dev.lockstep.engine.DiskFullException if there is no room; an unknown part was written
     * @throws dev.lockstep.engine.StorageException if the system refuses; an unknown part was written
     */
    public void append(ByteBuffer source) {
        // Ends because every turn takes at least the bytes of a block out of the source, or all that is left.
        while (source.hasRemaining()) {
            int bytes = Math.min(source.remaining(), NATIVE_BYTES - BlockFile.BLOCK_BYTES - tailBytes);
            blocks.put(tailBytes, source, source.position(), bytes);
            source.position(source.position() + bytes);
            write(tailBytes + bytes);
        }
    }

    /** Writes the first bytes of the buffer, filled up to a whole block, and keeps those of the last block. */
    private void write(int bytes) {
        int whole = bytes & -BlockFile.BLOCK_BYTES;
        int filled = bytes == whole ? whole : whole + BlockFile.BLOCK_BYTES;
        filled = (int) Math.max(bytes, Math.min(filled, endBytes - blockPosition));
        for (int at = bytes; at < filled; at++) {
            blocks.put(at, (byte) 0);
        }
        file.writeUncached(blocks.limit(filled).position(0), blockPosition);
        blocks.clear();
        tailBytes = bytes - whole;
        blocks.put(0, blocks, whole, tailBytes);
        blockPosition += whole;
    }

    /** Frees the memory; the file stays open. A second call does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
