package dev.lockstep.engine.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A second way to write a file, past the cache of the operating system. What is written so takes no memory of the
 * system, no copy, and none of the pages of files that others have in its cache.
 *
 * <p>The system asks for positions, lengths and addresses that are multiples of a block; and not every file system does
 * it at all. So a write that is not fit, or that is refused, is for the caller to do in the usual way. Both ways may be
 * used in turns: the system writes back what it has cached of a block before the block is written past its cache, and
 * drops it.
 *
 * <p>Thread-safety: all methods may be called by any thread.
 */
class UncachedChannel implements AutoCloseable {
    /** Null in a runtime image without the module jdk.unsupported, and in a JVM that does not know it. */
    private static final OpenOption UNCACHED_OR_NULL = findOption();

    private final FileChannel channel;
    private final int blockBytes;
    private volatile boolean hasWritten;
    private volatile boolean isRefused;

    /**
     * Only for tests that bring their own channel along: see {@link #openOrNull}.
     *
     * @param blockBytes a power of two
     */
    UncachedChannel(FileChannel channel, int blockBytes) {
        this.channel = channel;
        this.blockBytes = blockBytes;
    }

    /**
     * Opens a file that exists.
     *
     * @return the channel, or null where the system has none, or one that asks for blocks larger than a page's
     */
    static UncachedChannel openOrNull(Path path) {
        if (UNCACHED_OR_NULL == null) {
            return null;
        }
        try {
            long blockBytes = Files.getFileStore(path).getBlockSize();
            return blockBytes > BlockFile.BLOCK_BYTES
                    ? null
                    : new UncachedChannel(
                            FileChannel.open(path, StandardOpenOption.WRITE, UNCACHED_OR_NULL), (int) blockBytes);
        } catch (IOException | UnsupportedOperationException refused) {
            // By the file system, or by the platform. Whoever writes in the usual way meets what else is wrong.
            return null;
        }
    }

    /** By name, because javac warns of the class, which is supported by the JDK but no part of Java. */
    private static OpenOption findOption() {
        try {
            return Arrays.stream(
                            Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
                    .map(OpenOption.class::cast)
                    .filter(option -> option.toString().equals("DIRECT"))
                    .findFirst()
                    .orElse(null);
        } catch (ClassNotFoundException absent) {
            return null;
        }
    }

    /**
     * Writes the whole buffer, unless it is not fit or the system refuses. Where already the first write is refused,
     * the next calls answer false at once. Later refusals are those of the disk, as when it is full, and what the
     * caller then does in the usual way tells them.
     *
     * @param source what to write, from its position to its limit; its position stays where this returns false
     * @param position offset in the file, in bytes
     * @return whether everything was written; else an unknown part was
     */
    boolean tryWrite(ByteBuffer source, long position) {
        if (isRefused || !isFit(source, position)) {
            return false;
        }
        int start = source.position();
        try {
            // Ends because a write writes at least one block or throws.
            while (source.hasRemaining()) {
                channel.write(source, position + (source.position() - start));
                hasWritten = true;
                if (source.hasRemaining() && !isFit(source, position + (source.position() - start))) {
                    break;
                }
            }
        } catch (IOException | UnsupportedOperationException e) {
            isRefused = !hasWritten;
        }
        boolean isDone = !source.hasRemaining();
        if (!isDone) {
            source.position(start);
        }
        return isDone;
    }

    /** Whether the system has refused the first write, so that no further one is tried. */
    boolean isRefused() {
        return isRefused;
    }

    private boolean isFit(ByteBuffer source, long position) {
        return source.isDirect()
                && source.hasRemaining()
                && position % blockBytes == 0
                && source.remaining() % blockBytes == 0
                && source.alignmentOffset(source.position(), blockBytes) == 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
