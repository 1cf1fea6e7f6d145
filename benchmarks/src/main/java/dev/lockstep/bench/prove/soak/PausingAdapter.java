package dev.lockstep.bench.prove.soak;

import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.DelegatingSession;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.concurrent.locks.LockSupport;

/**
 * An engine whose sessions pause before each transaction, and of whose database a part lies in an archive, which its
 * scanners read as well. Leaves the engine and the archive open. As thread-safe as the engine; scanners only while
 * nothing comes into the archive.
 */
final class PausingAdapter extends DelegatingAdapter {
    private final RowArchive archive;
    private final long pauseNanos;

    PausingAdapter(TpccAdapter engine, RowArchive archive, long pauseNanos) {
        super(engine);
        this.archive = archive;
        this.pauseNanos = pauseNanos;
    }

    @Override
    public TpccSession openSession() {
        return new DelegatingSession(super.openSession()) {
            @Override
            public void begin(TransactionType type) {
                LockSupport.parkNanos(pauseNanos);
                super.begin(type);
            }
        };
    }

    @Override
    public TpccScanner openScanner() {
        return archive.beside(super.openScanner());
    }
}
