package dev.lockstep.bench.prove;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The child's end of a {@link KilledJvm}: frames on standard output, each an int with the number of its bytes and the
 * bytes. A frame is written by one call; the kernel keeps calls of up to 4,096 bytes whole. Thread-safe.
 */
public final class KilledJvmFrames {
    private final OutputStream out = new FileOutputStream(FileDescriptor.out);
    private final ReentrantLock lock = new ReentrantLock();

    /** For one child. */
    public KilledJvmFrames() {}

    /**
     * Says something. When this returns the parent will read it, whatever happens to this process.
     *
     * @param frame from its position to its limit
     * @throws IllegalStateException if the parent is gone, which ends the child
     */
    public void say(ByteBuffer frame) {
        byte[] bytes = new byte[Integer.BYTES + frame.remaining()];
        ByteBuffer.wrap(bytes).putInt(frame.remaining()).put(frame);
        lock.lock();
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException("the parent is gone", e);
        } finally {
            lock.unlock();
        }
    }
}
