package dev.lockstep.engine.buffer;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/** A file system whose reads of pages wait, while the gate is closed, until it opens. */
final class GatedStorage extends DelegatingStorage {
    private final Semaphore gate = new Semaphore(Integer.MAX_VALUE / 2);
    private final Semaphore arrivals = new Semaphore(0);
    private int closedPermits;

    GatedStorage(Storage delegate) {
        super(delegate);
    }

    void closeGate() {
        arrivals.drainPermits();
        closedPermits = gate.drainPermits();
    }

    void openGate() {
        gate.release(closedPermits);
    }

    /** Waits until a read stands before the gate. */
    void awaitArrival() {
        arrivals.acquireUninterruptibly();
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        BlockFile file = super.open(path, mode);
        return path.equals(PoolFixture.PAGES) ? new GatedFile(file) : file;
    }

    private final class GatedFile extends DelegatingFile {
        GatedFile(BlockFile file) {
            super(file);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            arrivals.release();
            gate.acquireUninterruptibly();
            try {
                return super.read(target, position);
            } finally {
                gate.release();
            }
        }
    }
}
