package dev.lockstep.engine;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A file system whose forces of the log, or whose reads of pages, can be held back. */
final class HeldStorage extends DelegatingStorage {
    private static final CountDownLatch OPEN = new CountDownLatch(0);

    private volatile CountDownLatch logForce = OPEN;
    private volatile CountDownLatch pageRead = OPEN;

    HeldStorage(Storage storage) {
        super(storage);
    }

    void holdLogForces() {
        logForce = new CountDownLatch(1);
    }

    void holdPageReads() {
        pageRead = new CountDownLatch(1);
    }

    void release() {
        logForce.countDown();
        pageRead.countDown();
    }

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError("an engine's thread was interrupted", e);
        }
    }

    @Override
    public BlockFile open(Path path, OpenMode mode) {
        BlockFile file = super.open(path, mode);
        String name = path.getFileName().toString();
        return new HeldFile(file, name.startsWith("log-"), name.startsWith("pages"));
    }

    private final class HeldFile extends DelegatingFile {
        private final boolean isLog;
        private final boolean isPages;

        HeldFile(BlockFile file, boolean isLog, boolean isPages) {
            super(file);
            this.isLog = isLog;
            this.isPages = isPages;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            if (isPages) {
                pass(pageRead);
            }
            return super.read(target, position);
        }

        @Override
        public void force(boolean metadata) {
            if (isLog) {
                pass(logForce);
            }
            super.force(metadata);
        }
    }
}
