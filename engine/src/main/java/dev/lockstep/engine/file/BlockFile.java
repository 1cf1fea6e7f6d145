package dev.lockstep.engine.file;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open file, read and written at positions.
 *
 * <p>What was written is certain to survive a crash of the machine only after {@link #force}. Until then any part of it
 * may survive, in any order.
 *
 * <p>Thread-safety: all methods may be called by any thread at any time; concurrent writes to the same bytes leave
 * either in place, and reads beside them see a mixture. An interrupt of the caller neither ends a call nor closes the
 * file.
 */
public interface BlockFile extends AutoCloseable {
    /**
     * What begins and ends at multiples of it can be written by {@link #writeUncached}: a block of most file systems.
     */
    int BLOCK_BYTES = 4096;

    /** Returns the path that the file was opened with. */
    Path path();

    /**
     * Reads until the buffer is full or the file ends.
     *
     * @param target where to, from its position to its limit; direct buffers are copied once less
     * @param position offset in the file, in bytes
     * @return number of bytes read, less than asked for only at the end of the file, never negative
     * @throws dev.lockstep.engine.StorageException if the system refuses
     */
    int read(ByteBuffer target, long position);

    /**
     * Writes the whole buffer, growing the file as needed.
     *
     * @param source what to write, from its position to its limit
     * @param position offset in the file, in bytes
     * @throws dev.lockstep.engine.DiskFullException if there is no room; an unknown part was written
     * @throws dev.lockstep.engine.StorageException if the system refuses; an unknown part was written
     */
    void write(ByteBuffer source, long position);

    /**
     * Writes the whole buffer like {@link #write}, past the cache of the operating system where that is possible: for
     * what will hardly be read soon. Only a direct buffer can be written so, and only if its address, its length and
     * the position are multiples of {@link #BLOCK_BYTES}; any other is written in the usual way, as long as the system
     * does not know better.
     *
     * @param source what to write, from its position to its limit
     * @param position offset in the file, in bytes
     * @throws dev.lockstep.engine.DiskFullException if there is no room; an unknown part was written
     * @throws dev.lockstep.engine.StorageException if the system refuses; an unknown part was written
     */
    default void writeUncached(ByteBuffer source, long position) {
        write(source, position);
    }

    /**
     * Whether {@link #writeUncached} goes past the cache of the operating system, as far as is known: that the system
     * refuses it may show at the first write only.
     */
    default boolean writesUncached() {
        return false;
    }

    /**
     * Returns when everything written before is on the medium. After a failure nobody knows what is, and a second
     * attempt proves nothing (the system may have dropped the data): the caller must not go on as if it had been
     * written.
     *
     * @param metadata whether length and times must be on the medium too; the length always is where it is needed to
     *     read the data back
     * @throws dev.lockstep.engine.StorageException if the system refuses, for lack of room as well: a full disk may be
     *     tried again, a force may not
     */
    void force(boolean metadata);

    /** Returns the length of the file, in bytes. */
    long size();

    /**
     * Cuts the file off.
     *
     * @param sizeBytes the new length; nothing happens if the file is shorter already
     */
    void truncate(long sizeBytes);

    /** Closes the file without forcing it. A second call does nothing. */
    @Override
    void close();
}
