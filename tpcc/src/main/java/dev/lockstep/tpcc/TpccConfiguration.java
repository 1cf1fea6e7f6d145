package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.workload.Terminal;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * What to run. Made by {@link #builder}.
 *
 * @param scale the size of the database
 * @param terminals emulated users in all, at least one; spread over the warehouses in turn
 * @param threads threads, each with a session, that serve the terminals in turn; at most {@code terminals}
 * @param mix which transactions
 * @param think whether terminals wait for keying and think times; needs a thread for each terminal
 * @param warmUp how long to run before measuring, where {@code transactions} is 0
 * @param duration how long to measure, where {@code transactions} is 0
 * @param warmUpTransactions how many to run before measuring, where {@code transactions} is not 0
 * @param transactions how many to measure, or 0 to go by time
 * @param atLeast how long to measure at least, where {@code transactions} is not 0: more transactions if need be
 * @param seed of everything random
 * @param round which run it is on a database that serves several, from 0: each draws other transactions
 * @param date what the wall clock shows when the run begins: dates of rows depend on it; {@code null} for the machine's
 * @param load whether to load the database first; otherwise it must hold one of this scale and seed
 * @param loadThreads threads that load, cut down to what the engine allows
 * @param check whether to check the consistency conditions and the tally
 * @param stallLimit how long nothing may end before the run is given up
 * @param dumpDirectory where a thread dump goes when that happens
 */
public record TpccConfiguration(
        TpccScale scale,
        int terminals,
        int threads,
        TransactionMix mix,
        boolean think,
        Duration warmUp,
        Duration duration,
        long warmUpTransactions,
        long transactions,
        Duration atLeast,
        long seed,
        int round,
        Instant date,
        boolean load,
        int loadThreads,
        boolean check,
        Duration stallLimit,
        Path dumpDirectory) {
    /** Terminals of each warehouse by the specification (clause 4.2.1). */
    public static final int TERMINALS_PER_WAREHOUSE = 10;

    /** How long nothing may end before a run is given up, unless said otherwise. */
    public static final Duration STALL_LIMIT = Duration.ofSeconds(30);

    /** Checks the relations between the parameters. */
    public TpccConfiguration {
        if (terminals < 1 || terminals > Terminal.TERMINALS_MAX) {
            throw new IllegalArgumentException("terminals=" + terminals + " outside 1 to " + Terminal.TERMINALS_MAX);
        }
        if (threads < 1 || threads > terminals) {
            throw new IllegalArgumentException("threads=" + threads + " outside 1 to terminals=" + terminals);
        }
        if (think && threads != terminals) {
            throw new IllegalArgumentException(
                    "think times need a thread for each terminal threads=" + threads + " terminals=" + terminals);
        }
        if (transactions < 0 || warmUpTransactions < 0 || loadThreads < 1) {
            throw new IllegalArgumentException("negative count transactions=" + transactions + " warmUpTransactions="
                    + warmUpTransactions + " loadThreads=" + loadThreads);
        }
        if (round < 0) {
            throw new IllegalArgumentException("negative round=" + round);
        }
        if (atLeast.isNegative() || (!atLeast.isZero() && transactions == 0)) {
            throw new IllegalArgumentException("not a lower bound of a number of transactions atLeast=" + atLeast
                    + " transactions=" + transactions);
        }
        if (warmUp.isNegative() || duration.isNegative() || stallLimit.isNegative() || stallLimit.isZero()) {
            throw new IllegalArgumentException(
                    "negative time warmUp=" + warmUp + " duration=" + duration + " stallLimit=" + stallLimit);
        }
    }

    /** What the wall clock shows now, where the run begins, in milliseconds since 1970. */
    long nowMillis() {
        return date == null ? System.currentTimeMillis() : date.toEpochMilli();
    }

    /** A builder that starts from the specification's values for a number of warehouses. */
    public static Builder builder(int warehouses) {
        return new Builder(TpccScale.standard(warehouses));
    }

    /** A builder for a database of another scale. */
    public static Builder builder(TpccScale scale) {
        return new Builder(scale);
    }

    /** Collects the parameters. */
    public static final class Builder {
        private final TpccScale scale;
        private int terminals;
        private int threads;
        private TransactionMix mix = TransactionMix.STANDARD;
        private boolean think;
        private Duration warmUp = Duration.ofSeconds(5);
        private Duration duration = Duration.ofSeconds(10);
        private long warmUpTransactions;
        private long transactions;
        private Duration atLeast = Duration.ZERO;
        private long seed = 1;
        private int round;
        private Instant date;
        private boolean load = true;
        private int loadThreads = 1;
        private boolean check = true;
        private Duration stallLimit = STALL_LIMIT;
        private Path dumpDirectory = Path.of(System.getProperty("java.io.tmpdir"));

        private Builder(TpccScale scale) {
            this.scale = scale;
            this.terminals = scale.warehouses() * TERMINALS_PER_WAREHOUSE;
        }

        /** Emulated users in all; ten for each warehouse unless said otherwise. */
        public Builder terminals(int value) {
            terminals = value;
            return this;
        }

        /** Threads that serve them; one for each terminal unless said otherwise. */
        public Builder threads(int value) {
            threads = value;
            return this;
        }

        /** Which transactions; the standard mix unless said otherwise. */
        public Builder mix(TransactionMix value) {
            mix = value;
            return this;
        }

        /** Whether to wait for keying and think times; not unless said otherwise. */
        public Builder think(boolean value) {
            think = value;
            return this;
        }

        /** How long to run before measuring; 5 seconds unless said otherwise. */
        public Builder warmUp(Duration value) {
            warmUp = value;
            return this;
        }

        /** How long to measure; 10 seconds unless said otherwise. */
        public Builder duration(Duration value) {
            duration = value;
            return this;
        }

        /** Measures a number of transactions in place of a time. */
        public Builder transactions(long warmUpValue, long value) {
            warmUpTransactions = warmUpValue;
            transactions = value;
            return this;
        }

        /** With a number of transactions: goes on until this time is over too; not unless said otherwise. */
        public Builder atLeast(Duration value) {
            atLeast = value;
            return this;
        }

        /** The date on which the run begins, by which runs load and write the same rows; the machine's if null. */
        public Builder date(Instant value) {
            date = value;
            return this;
        }

        /** Of everything random; 1 unless said otherwise. */
        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** Which run it is on a database that serves several, from 0; 0 unless said otherwise. */
        public Builder round(int value) {
            round = value;
            return this;
        }

        /** Whether to load the database first; so unless said otherwise. */
        public Builder load(boolean value) {
            load = value;
            return this;
        }

        /** Threads that load; 1 unless said otherwise. */
        public Builder loadThreads(int value) {
            loadThreads = value;
            return this;
        }

        /** Whether to check the result; so unless said otherwise. */
        public Builder check(boolean value) {
            check = value;
            return this;
        }

        /** How long nothing may end; 30 seconds unless said otherwise. */
        public Builder stallLimit(Duration value) {
            stallLimit = value;
            return this;
        }

        /** Where a thread dump goes; the directory for temporary files unless said otherwise. */
        public Builder dumpDirectory(Path value) {
            dumpDirectory = value;
            return this;
        }

        /**
         * Makes the configuration.
         *
         * @throws IllegalArgumentException if parameters contradict each other
         */
        public TpccConfiguration build() {
            return new TpccConfiguration(
                    scale,
                    terminals,
                    threads == 0 ? terminals : threads,
                    mix,
                    think,
                    warmUp,
                    duration,
                    warmUpTransactions,
                    transactions,
                    atLeast,
                    seed,
                    round,
                    date,
                    load,
                    loadThreads,
                    check,
                    stallLimit,
                    dumpDirectory);
        }
    }
}
