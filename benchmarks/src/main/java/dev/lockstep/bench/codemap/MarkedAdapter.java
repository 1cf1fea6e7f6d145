package dev.lockstep.bench.codemap;

import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;

/** An engine whose sessions say which transaction is running. As thread-safe as the engine. */
public final class MarkedAdapter extends DelegatingAdapter {
    /** Around an engine. */
    public MarkedAdapter(TpccAdapter engine) {
        super(engine);
    }

    @Override
    public TpccSession openSession() {
        return new MarkedSession(super.openSession());
    }
}
