package dev.lockstep.bench.codemap;

import dev.lockstep.tpcc.adapter.AbortReason;
import dev.lockstep.tpcc.adapter.CommitAnswer;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;

/** An engine whose sessions say which transaction is running. */
record MarkedAdapter(TpccAdapter engine) implements TpccAdapter {
    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public int sessionsMax() {
        return engine.sessionsMax();
    }

    @Override
    public String isolation(TransactionType type) {
        return engine.isolation(type);
    }

    @Override
    public AbortReason retryReason(RuntimeException failure) {
        return engine.retryReason(failure);
    }

    @Override
    public TpccSession openSession() {
        return new MarkedSession(engine.openSession());
    }

    @Override
    public CommitAnswer newAnswer() {
        return engine.newAnswer();
    }

    @Override
    public TpccLoader openLoader() {
        return engine.openLoader();
    }

    @Override
    public void loaded() {
        engine.loaded();
    }

    @Override
    public TpccScanner openScanner() {
        return engine.openScanner();
    }

    @Override
    public void close() {
        engine.close();
    }
}
