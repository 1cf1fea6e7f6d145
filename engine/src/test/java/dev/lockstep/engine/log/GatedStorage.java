package dev.lockstep.engine.log;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/** A file system whose writes, forces and deletes of log segments wait, one by one, for the test's permission. */
final class GatedStorage extends DelegatingStorage {
    private static final int OPEN = 1 << 20;

    /** Permits for writes; plenty until a test drains them. */
    final Semaphore writes = new Semaphore(OPEN);

    /** Permits for forces; plenty until a test drains them. */
    final Semaphore forces = new Semaphore(OPEN);

    /** Permits for deletes of segments; plenty until a test drains them. */
    final Semaphore deletes = new Semaphore(OPEN);

    GatedStorage(Storage storage) {
        super(storage);
    }

    void openGates() {
        writes.release(OPEN);
        forces.release(OPEN);
        deletes.release(OPEN);
    }

    @Override
    public void delete(Path path) {
        if (LogSegmentLayout.startLsn(path).isPresent()) {
            deletes.acquireUninterruptibly();
        }
        super.delete(path);
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        return new GatedFile(super.open(path, mode));
    }

    private final class GatedFile extends DelegatingFile {
        GatedFile(BlockFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long position) {
            writes.acquireUninterruptibly();
            super.write(source, position);
        }

        @Override
        public void force(boolean metadata) {
            forces.acquireUninterruptibly();
            super.force(metadata);
        }
    }
}
