package dev.lockstep.bench.codemap;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.tpcc.adapter.DelegatingSession;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;

/** A session that says which transaction is running. */
final class MarkedSession extends DelegatingSession {
    private static final int[] CONTEXTS = contexts();

    MarkedSession(TpccSession session) {
        super(session);
    }

    private static int[] contexts() {
        TransactionType[] types = TransactionType.values();
        int[] contexts = new int[types.length];
        for (TransactionType type : types) {
            contexts[type.ordinal()] = OperationMarkers.context(Spelling.of(type));
        }
        return contexts;
    }

    @Override
    public void begin(TransactionType type) {
        OperationMarkers.enter(CONTEXTS[type.ordinal()]);
        super.begin(type);
    }

    @Override
    public void commit() {
        try {
            super.commit();
        } finally {
            OperationMarkers.enter(0);
        }
    }

    @Override
    public void rollback() {
        try {
            super.rollback();
        } finally {
            OperationMarkers.enter(0);
        }
    }
}
