package dev.lockstep.engine.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * A file of the operating system.
 *
 * <p>Invariant: the channel is used by engine threads only (see {@link EngineThread}), so no interrupt closes it.
 */
final class DiskBlockFile implements BlockFile {
    private final Path path;
    private final FileChannel channel;
    private final UncachedChannel uncachedOrNull;
    private final DiskFailures.UsableSpace space;

    DiskBlockFile(Path path, FileChannel channel, UncachedChannel uncachedOrNull) {
        this(path, channel, uncachedOrNull, directory -> Files.getFileStore(directory)
                .getUsableSpace());
    }

    DiskBlockFile(Path path, FileChannel channel, UncachedChannel uncachedOrNull, DiskFailures.UsableSpace space) {
        this.path = path;
        this.channel = channel;
        this.uncachedOrNull = uncachedOrNull;
        this.space = space;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public int read(ByteBuffer target, long position) {
        return ForeignCalls.run(() -> {
            int start = target.position();
            try {
                // Ends because every turn but the last reads at least one byte of a bounded buffer.
                while (target.hasRemaining()) {
                    int count = channel.read(target, position + (target.position() - start));
                    if (count < 0) {
                        break;
                    }
                }
            } catch (IOException e) {
                throw DiskFailures.of("Cannot read", path, message -> message.with("position", position), e);
            }
            return target.position() - start;
        });
    }

    @Override
    public void write(ByteBuffer source, long position) {
        ForeignCalls.run(() -> {
            int start = source.position();
            try {
                // Ends because a write writes at least one byte or throws.
                while (source.hasRemaining()) {
                    channel.write(source, position + (source.position() - start));
                }
            } catch (IOException e) {
                throw DiskFailures.ofWrite(
                        path,
                        message -> message.with("position", position).with("lengthBytes", source.limit() - start),
                        source.remaining(),
                        space,
                        e);
            }
            return null;
        });
    }

    @Override
    public void writeUncached(ByteBuffer source, long position) {
        boolean isDone = uncachedOrNull != null && ForeignCalls.run(() -> uncachedOrNull.tryWrite(source, position));
        if (!isDone) {
            write(source, position);
        }
    }

    @Override
    public boolean writesUncached() {
        return uncachedOrNull != null && !uncachedOrNull.isRefused();
    }

    @Override
    public void force(boolean metadata) {
        ForeignCalls.run(() -> {
            try {
                channel.force(metadata);
            } catch (IOException e) {
                throw DiskFailures.ofForce("Cannot force to the medium", path, e);
            }
            return null;
        });
    }

    @Override
    public long size() {
        return ForeignCalls.run(() -> {
            try {
                return channel.size();
            } catch (IOException e) {
                throw DiskFailures.of("Cannot read the length", path, UnaryOperator.identity(), e);
            }
        });
    }

    @Override
    public void truncate(long sizeBytes) {
        ForeignCalls.run(() -> {
            try {
                channel.truncate(sizeBytes);
            } catch (IOException e) {
                throw DiskFailures.of("Cannot truncate", path, message -> message.with("sizeBytes", sizeBytes), e);
            }
            return null;
        });
    }

    @Override
    public void close() {
        ForeignCalls.run(() -> {
            try {
                if (uncachedOrNull != null) {
                    uncachedOrNull.close();
                }
            } catch (IOException e) {
                throw cannotClose(e);
            } finally {
                closeChannel();
            }
            return null;
        });
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            throw cannotClose(e);
        }
    }

    private RuntimeException cannotClose(IOException cause) {
        return DiskFailures.of("Cannot close", path, UnaryOperator.identity(), cause);
    }
}
