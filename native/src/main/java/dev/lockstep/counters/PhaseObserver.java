package dev.lockstep.counters;

/**
 * Hears of the phases that its process marks, whether the process is simulated or not: by one, a control on the
 * machine's processor samples what the simulated run measures. Called by the thread that marks; what it throws reaches
 * that thread.
 */
public interface PhaseObserver {
    /**
     * A phase is about to begin: the simulator is told when this has returned.
     *
     * @param phase 1 to {@link Markers#PHASE_MAX}
     */
    void begins(int phase);

    /**
     * A phase has ended: the simulator has been told.
     *
     * @param phase 1 to {@link Markers#PHASE_MAX}
     */
    void ended(int phase);
}
