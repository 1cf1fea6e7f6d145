package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.check.DatabaseTotals;
import dev.lockstep.tpcc.check.TallyCheck;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.InputGenerator;
import dev.lockstep.tpcc.workload.NonUniformConstants;
import dev.lockstep.tpcc.workload.Population;
import dev.lockstep.tpcc.workload.Tally;
import dev.lockstep.tpcc.workload.TpccRandom;
import dev.lockstep.tpcc.workload.TpccTransactions;
import dev.lockstep.tpcc.workload.TransactionDeck;
import dev.lockstep.tpcc.workload.TransactionInput;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The standard mix of TPC-C by one terminal on a very small database, with checkpoints and ends of the process now and
 * then. Loading is not part of it. What each transaction must have changed is counted outside the database; the counts
 * are those of the first run, since all runs are the same.
 */
final class TpccWorkload implements Workload {
    private static final TpccScale SCALE = new TpccScale(1, 60, 6, 2);
    private static final int STEPS = 160;
    private static final int STEPS_PER_CHECKPOINT = 23;
    private static final int STEPS_PER_COPY = 47;
    private static final int STEPS_PER_COMPACTION = 71;
    private static final int STEPS_PER_END = 61;

    /** Some moment; nothing depends on which. */
    private static final long NOW_MILLIS = 1_700_000_000_000L;

    /** Depends on the number of steps, which the tally tells. */
    private static final int DELIVERIES_CONDITION = 11;

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final long seed;
    private final List<TransactionInput> inputs = new ArrayList<>();

    /** Of all transactions up to a step, by step; filled by the first run. */
    private final List<Tally> tallies = new ArrayList<>();

    private final DiskImage loaded;
    private final DatabaseTotals totalsBefore;

    TpccWorkload(long seed) {
        this.seed = seed;
        InputGenerator generator =
                new InputGenerator(SCALE, NonUniformConstants.ofRun(seed), TpccRandom.seed(seed, 1), 1, 1, 1L << 40);
        TransactionDeck deck = new TransactionDeck(TransactionMix.STANDARD, generator.random());
        for (int i = 0; i < STEPS; i++) {
            TransactionInput input = new TransactionInput();
            generator.next(deck.draw(), NOW_MILLIS, input);
            inputs.add(input);
        }
        tallies.add(new Tally(1, 1));
        SimulatedDisk disk = new SimulatedDisk(new DiskImage(), false);
        try (Host host = new Host(disk, this, Flaw.NONE)) {
            host.open();
            // Without a wait for the disk, so that the log is written once, at the end, and the same in every run.
            LockstepAdapter adapter = new LockstepAdapter(host.database(), null, Durability.NONE, TIMEOUT);
            try (TpccLoader loader = adapter.openLoader()) {
                for (Population.Part part : new Population(SCALE, seed, NOW_MILLIS).parts()) {
                    part.load(loader, rows -> {});
                }
            }
            adapter.loaded();
            totalsBefore = totals(adapter, 0);
            host.closeDatabase();
        }
        loaded = disk.afterCrash(Fault.KEPT, null);
    }

    private static LockstepAdapter adapter(Database database) {
        return new LockstepAdapter(database, null, Durability.SYNC, TIMEOUT);
    }

    private DatabaseTotals totals(LockstepAdapter adapter, int steps) {
        Tally tally = tallies.get(steps);
        TpccScanner scanner = adapter.openScanner();
        ConsistencyCheck.Report report =
                ConsistencyCheck.check(SCALE, scanner, (w, d) -> SCALE.deliveredPerDistrict() + tally.deliveries(w, d));
        for (Map.Entry<Integer, String> verdict : report.conditions().entrySet()) {
            if (verdict.getKey() != DELIVERIES_CONDITION && !verdict.getValue().equals(ConsistencyCheck.OK)) {
                throw new MismatchException("condition " + verdict.getKey() + " of TPC-C: " + verdict.getValue());
            }
        }
        return report.totals();
    }

    @Override
    public String name() {
        return "tpcc";
    }

    @Override
    public DiskImage before() {
        return loaded.copy();
    }

    @Override
    public int stepCount() {
        return STEPS;
    }

    private enum Kind {
        OPEN,
        TRANSACTION,
        CHECKPOINT,
        COPY,
        COMPACTION,
        END,
        RECOVER
    }

    private static Kind kind(int step) {
        if (step == 0) {
            return Kind.OPEN;
        }
        if (step % STEPS_PER_END == 0) {
            return Kind.RECOVER;
        }
        if ((step + 1) % STEPS_PER_END == 0) {
            return Kind.END;
        }
        if (step % STEPS_PER_CHECKPOINT == 0) {
            return Kind.CHECKPOINT;
        }
        if (step % STEPS_PER_COPY == 0) {
            return Kind.COPY;
        }
        return step % STEPS_PER_COMPACTION == 0 ? Kind.COMPACTION : Kind.TRANSACTION;
    }

    @Override
    public String describe(int step) {
        if (step >= STEPS) {
            return "the end";
        }
        Kind kind = kind(step);
        return "step " + step + " ("
                + (kind == Kind.TRANSACTION ? inputs.get(step).type : kind)
                        .toString()
                        .toLowerCase(Locale.ROOT)
                + ")";
    }

    @Override
    public boolean opens(int step) {
        return kind(step) == Kind.OPEN || kind(step) == Kind.RECOVER;
    }

    @Override
    public Path copyOrNull(int step) {
        return kind(step) == Kind.COPY ? Path.of("/copy-" + step) : null;
    }

    @Override
    public void apply(int step, Host host) {
        Tally tally = null;
        Kind kind = kind(step);
        host.disk()
                .activity(
                        switch (kind) {
                            case OPEN -> Activity.CLOSE;
                            case TRANSACTION, END -> Activity.TPCC;
                            case CHECKPOINT -> Activity.CHECKPOINT;
                            case COPY -> Activity.BACKUP;
                            case COMPACTION -> Activity.COMPACTION;
                            case RECOVER -> Activity.RECOVERY;
                        });
        switch (kind) {
            case OPEN, RECOVER -> host.open();
            case TRANSACTION -> tally = transact(step, host);
            case CHECKPOINT -> host.database().checkpoint();
            case COPY ->
                host.backup(copyOrNull(step), () -> {}, () -> host.database().checkpoint());
            case COMPACTION -> host.database().compact();
            case END -> host.kill();
        }
        if (tallies.size() == step + 1) {
            Tally sum = new Tally(1, 1);
            sum.add(tallies.get(step));
            if (tally != null) {
                sum.add(tally);
            }
            tallies.add(sum);
        }
    }

    private Tally transact(int step, Host host) {
        Tally tally = new Tally(1, 1);
        try (TpccSession session = adapter(host.database()).openSession()) {
            TpccTransactions transactions = new TpccTransactions(session);
            TransactionInput input = inputs.get(step);
            if (transactions.execute(input)) {
                tally.committed(input, transactions);
            }
        }
        return tally;
    }

    @Override
    public int stepsFound(Database database, int stepsMin, int stepsMax) {
        database.validate();
        DatabaseTotals totals = totals(adapter(database), stepsMin);
        List<String> differences = List.of();
        for (int taken = stepsMin; taken <= Math.min(stepsMax, STEPS); taken++) {
            List<String> its = TallyCheck.differences(totalsBefore, totals, tallies.get(taken));
            if (its.isEmpty()) {
                return taken;
            }
            differences = taken == stepsMin ? its : differences;
        }
        throw new MismatchException("the database is not as after " + stepsMin + " to " + stepsMax + " steps: "
                + String.join("; ", differences));
    }

    @Override
    public String toString() {
        return "TpccWorkload[seed=" + seed + "]";
    }
}
