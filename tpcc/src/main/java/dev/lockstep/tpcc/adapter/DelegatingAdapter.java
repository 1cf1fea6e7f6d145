package dev.lockstep.tpcc.adapter;

/**
 * An engine that hands everything to another one; a subclass changes what it watches. As thread-safe as the other,
 * which it closes.
 */
public class DelegatingAdapter implements TpccAdapter {
    private final TpccAdapter engine;

    /**
     * Makes an engine of another one.
     *
     * @param engine the other
     */
    protected DelegatingAdapter(TpccAdapter engine) {
        this.engine = engine;
    }

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
        return engine.openSession();
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
