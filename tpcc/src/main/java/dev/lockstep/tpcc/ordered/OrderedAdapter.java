package dev.lockstep.tpcc.ordered;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;

/** The engine {@code ordered}. For one thread. */
public final class OrderedAdapter implements TpccAdapter {
    /** The engine's name on the command line. */
    public static final String NAME = "ordered";

    private final OrderedDatabase db = new OrderedDatabase();

    /** The tables, for tests that break them. */
    OrderedDatabase database() {
        return db;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int sessionsMax() {
        return 1;
    }

    @Override
    public String isolation(TransactionType type) {
        return "none";
    }

    @Override
    public TpccSession openSession() {
        return new OrderedSession(db);
    }

    @Override
    public TpccLoader openLoader() {
        return new OrderedLoader(db);
    }

    @Override
    public void loaded() {
        // The maps need no statistics.
    }

    @Override
    public TpccScanner openScanner() {
        return new OrderedScanner(db);
    }

    @Override
    public void close() {
        // The maps go with this object.
    }
}
