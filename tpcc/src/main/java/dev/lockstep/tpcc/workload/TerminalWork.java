package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TpccSession;

/**
 * What it takes to run one transaction after another: a session of the engine, the rows of the five transactions and
 * the input. It belongs to no terminal; who serves a terminal borrows it from a {@link TerminalWorkPool}. Used by one
 * thread at a time.
 */
final class TerminalWork implements AutoCloseable {
    private final TpccSession session;
    private final TpccTransactions transactions;
    private final TransactionInput input = new TransactionInput();

    /** @param session closed with this work */
    TerminalWork(TpccSession session) {
        this.session = session;
        this.transactions = new TpccTransactions(session);
    }

    TpccSession session() {
        return session;
    }

    TpccTransactions transactions() {
        return transactions;
    }

    TransactionInput input() {
        return input;
    }

    @Override
    public void close() {
        session.close();
    }
}
