package dev.lockstep.engine.recovery;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.FileHeaderLayout;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes a checkpoint file ({@link CheckpointLayout}) from front to back, a piece at a time. The file grows with the
 * database; the memory outside of the heap that it takes to write it does not.
 *
 * <p>Invariant, between calls: the bytes of the file before {@code piecePosition} are written, those from there on are
 * the bytes of {@code piece} before its position, and {@code checksum} is that of everything between the file header
 * and byte {@code summedBytes} of the piece.
 *
 * <p>Belongs to one thread.
 */
final class CheckpointWriter implements AutoCloseable {
    /** The LSNs of 32,768 pages, 256 MB of them, go in one write. */
    static final int PIECE_BYTES = 1 << 18;

    private final BlockFile file;
    private final Arena arena = Arena.ofShared();
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer piece;
    private long piecePosition;
    private int summedBytes;

    /** Begins the file; nothing is written yet. */
    CheckpointWriter(BlockFile file, FileHeader header) {
        this.file = file;
        ByteBuffer encoded = header.encode(FileHeaderLayout.HEADER_BYTES);
        piece = arena.allocate(PIECE_BYTES + CheckpointLayout.CHECKSUM_BYTES, Long.BYTES)
                .asByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .limit(PIECE_BYTES)
                .put(encoded);
        summedBytes = piece.position();
    }

    void putLong(long value) {
        makeRoom(Long.BYTES);
        piece.putLong(value);
    }

    void putInt(int value) {
        makeRoom(Integer.BYTES);
        piece.putInt(value);
    }

    void putLongs(long[] values) {
        int done = 0;
        // Ends because there is room for at least one more each time.
        while (done < values.length) {
            makeRoom(Long.BYTES);
            int count = Math.min(piece.remaining() / Long.BYTES, values.length - done);
            piece.asLongBuffer().put(values, done, count);
            piece.position(piece.position() + count * Long.BYTES);
            done += count;
        }
    }

    /** Ends the file with its checksum. Everything is written on return, but not forced. */
    void finish() {
        sum();
        piece.limit(piece.capacity()).putInt((int) checksum.getValue());
        write();
    }

    private void makeRoom(int bytes) {
        if (piece.remaining() < bytes) {
            sum();
            write();
        }
    }

    private void sum() {
        checksum.update(piece.duplicate().limit(piece.position()).position(summedBytes));
        summedBytes = piece.position();
    }

    private void write() {
        int bytes = piece.position();
        file.write(piece.flip(), piecePosition);
        piecePosition += bytes;
        piece.clear().limit(PIECE_BYTES);
        summedBytes = 0;
    }

    /** Frees the memory; the file stays open. */
    @Override
    public void close() {
        arena.close();
    }
}
