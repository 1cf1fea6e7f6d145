package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.jdbc.JdbcAdapter;
import dev.lockstep.tpcc.ordered.OrderedAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import dev.lockstep.tpcc.workload.TerminalThreads;
import java.nio.file.Path;

/** Opens the engine that a specification names. */
final class Engines {
    /** Names the server of PostgreSQL in the environment of a child, where no list of processes shows it. */
    static final String POSTGRESQL_URL = "LOCKSTEP_POSTGRESQL_URL";

    private Engines() {}

    /**
     * Opens it; its files, if it has any, go into a directory of the run.
     *
     * @throws UnavailableException if its server cannot be used
     */
    static OpenEngine open(RunSpec spec, Path directory) {
        IsolationLevel isolation = isolation(spec);
        EngineName name = spec.engineName();
        return switch (name) {
            case LOCKSTEP -> LockstepEngine.open(spec, directory);
            case PLAIN -> new OnPlatformThreads(new PlainAdapter(spec.scale()));
            case ORDERED -> new OnPlatformThreads(new OrderedAdapter());
            case H2, HSQLDB, DERBY, SQLITE -> new OnPlatformThreads(JdbcAdapter.inMemory(name.peer(), isolation));
            case POSTGRESQL -> new OnPlatformThreads(server(isolation));
        };
    }

    private static TpccAdapter server(IsolationLevel isolation) {
        try {
            return JdbcAdapter.postgresql(System.getenv(POSTGRESQL_URL), isolation);
        } catch (IllegalStateException e) {
            String said = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
            throw new UnavailableException("the server of --url cannot be used: " + said, e);
        }
    }

    /** An engine outside this program is not to be had; the message is a sentence for the user. */
    static final class UnavailableException extends RuntimeException {
        UnavailableException(String sentence, Throwable cause) {
            super(sentence, cause);
        }
    }

    /** The level of all transactions, or {@code null} for those that TPC-C requires. */
    static IsolationLevel isolation(RunSpec spec) {
        return spec.isolation().equals(RunSpec.ISOLATION_TPCC)
                ? null
                : Spelling.parse(IsolationLevel.class, spec.isolation());
    }

    /** An engine whose sessions are used by ordinary threads. */
    private record OnPlatformThreads(TpccAdapter adapter) implements OpenEngine {
        @Override
        public TerminalThreads threads() {
            return TerminalThreads.platform();
        }

        @Override
        public void close() {
            adapter.close();
        }
    }
}
