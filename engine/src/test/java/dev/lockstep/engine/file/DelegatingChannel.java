package dev.lockstep.engine.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A channel that hands every call on, for tests that change one of them. */
class DelegatingChannel extends FileChannel {
    private final FileChannel target;

    DelegatingChannel(FileChannel target) {
        this.target = target;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return target.read(into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return target.read(into, offset, length);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return target.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return target.write(sources, offset, length);
    }

    @Override
    public long position() throws IOException {
        return target.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        target.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return target.size();
    }

    @Override
    public FileChannel truncate(long sizeBytes) throws IOException {
        target.truncate(sizeBytes);
        return this;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        target.force(metadata);
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
        return target.transferTo(position, count, to);
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
        return target.transferFrom(from, position, count);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return target.read(into, position);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        return target.write(source, position);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return target.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return target.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return target.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        target.close();
    }
}
