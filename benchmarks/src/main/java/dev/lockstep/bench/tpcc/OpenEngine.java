package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;

/** An engine that was opened for one run, and the threads that the terminals run on. */
interface OpenEngine extends AutoCloseable {
    /** The engine. */
    TpccAdapter adapter();

    /** The kind of thread for the terminals. */
    TerminalThreads threads();

    /** Called when the measured phase begins: what was counted before does not count. */
    default void measurementBegins() {}

    /** What the engine counted since the measured phase began. */
    default EngineFigures figures() {
        return EngineFigures.NONE;
    }

    /** Whether teams may form from now on, where the engine was opened to form some. */
    default void allowTeams(boolean allowed) {}

    /** Writes a checkpoint now, of all pages that are dirty then, and waits for it, if the engine has such. */
    default void checkpoint() {}

    /** Whether a checkpoint is being written, or due, so that the engine works on where no terminal does. */
    default boolean writesCheckpoint() {
        return false;
    }

    /** Whether whole tables may be scanned while terminals run. */
    default boolean scansBeside() {
        return false;
    }

    /** Closes the engine and its threads. */
    @Override
    void close();
}
