package dev.lockstep.bench.indexfetch;

import dev.lockstep.engine.TeamFetch;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Executes rounds: in each, every member of a team has one operation. A member's transaction has some operations and is
 * then followed by another. Used by one thread, which owns the table's scheduler.
 */
final class FetchRounds implements AutoCloseable {
    private static final String SCHEDULER_NAME = "indexfetch";

    private final FetchKind kind;
    private final RowOperation operation;
    private final int operationsEach;

    /** One for each run: else each would find the rows of the last one in the caches. */
    private final SplittableRandom seeds;

    private final Scheduler scheduler;
    private final FetchTable table;

    /** Of members that are no S-threads; {@link OperationPadding} has that of the others. */
    private final PaddingCode padding;

    private long left;

    /**
     * Makes the table.
     *
     * @param directory where files go, which is there
     */
    FetchRounds(FetchSpec spec, Path directory) {
        kind = spec.kind();
        operation = spec.operation();
        operationsEach = spec.operationsEach();
        seeds = new SplittableRandom(spec.seed());
        scheduler = kind.usesSThreads() ? scheduler(spec) : null;
        Path files = operation.isLogged() ? directory.resolve("database") : null;
        padding = new PaddingCode(kind.usesSThreads() ? 0 : spec.paddingBytes());
        table = new FetchTable(files, scheduler, spec.rows(), operation.indexes());
    }

    private static Scheduler scheduler(FetchSpec spec) {
        return new Scheduler(SchedulerOptions.defaults()
                .withName(SCHEDULER_NAME)
                .withCarriers(spec.kind().carriers())
                .withKind(spec.kind().sThreadKind())
                .withTeamMode(TeamMode.ON)
                .withTeamLimit(spec.membersMax())
                .withTeamExecution(spec.kind().teamExecution())
                .withBarriersOn(spec.kind() == FetchKind.BARRIER)
                .withSwitchPointsOn(spec.kind() != FetchKind.INSERTED && spec.kind() != FetchKind.PARALLEL));
    }

    /** Executes {@code transactions} of each member, on rows that are drawn anew. */
    void run(int members, long transactions, RoundListener listener) throws InterruptedException {
        left = 0;
        long seed = seeds.nextLong();
        if (scheduler != null) {
            runSThreads(members, transactions, seed, listener);
            return;
        }
        List<FetchMember> team = new ArrayList<>();
        try {
            for (int i = 0; i < members; i++) {
                team.add(new FetchMember(table, operation, i, members, seed));
            }
            runHere(team, transactions, listener);
        } finally {
            team.forEach(FetchMember::close);
        }
    }

    private void runHere(List<FetchMember> members, long transactions, RoundListener listener) {
        TeamFetch team = table.table().newTeamFetch(members.size());
        for (long i = 0; i < transactions; i++) {
            members.forEach(FetchMember::begin);
            for (int round = 0; round < operationsEach; round++) {
                listener.roundBegins();
                if (kind == FetchKind.STAGED) {
                    stagedRound(members, team);
                } else {
                    members.forEach(this::operateAlone);
                }
            }
            members.forEach(FetchMember::commit);
        }
        members.forEach(member -> left += member.left());
    }

    private void operateAlone(FetchMember member) {
        padding.runAll();
        member.operate();
    }

    private void stagedRound(List<FetchMember> members, TeamFetch team) {
        for (int piece = 0; piece < padding.pieces(); piece++) {
            for (int i = 0; i < members.size(); i++) {
                padding.run(piece);
            }
        }
        team.clear();
        for (int i = 0; i < members.size(); i++) {
            members.get(i).join(team);
        }
        if (operation == RowOperation.FETCH) {
            team.fetch();
        } else {
            team.fetchExclusive();
        }
        for (int i = 0; i < members.size(); i++) {
            members.get(i).finish(team, i);
        }
    }

    private void runSThreads(int members, long transactions, long seed, RoundListener listener)
            throws InterruptedException {
        int carriers = Math.min(kind.carriers(), members);
        RoundBarrier rounds = new RoundBarrier(carriers, listener);
        Arrivals[] arrivals = new Arrivals[carriers];
        Arrays.setAll(arrivals, carrier -> new Arrivals((members + carriers - 1 - carrier) / carriers, rounds));
        List<SThread> started = new ArrayList<>();
        // By an S-thread that keeps its carrier meanwhile, so that none is ahead of the others.
        SThread starter = scheduler.start("starter", 0, () -> {
            for (int i = 0; i < members; i++) {
                int index = i;
                int carrier = index % carriers;
                started.add(scheduler.start(
                        "member-" + index,
                        carrier,
                        () -> runMember(index, members, transactions, seed, arrivals[carrier])));
            }
        });
        starter.join();
        started.add(starter);
        for (SThread sThread : started) {
            sThread.join();
            if (sThread.failure() != null) {
                throw new IllegalStateException("a member failed", sThread.failure());
            }
        }
    }

    private void runMember(int index, int members, long transactions, long seed, Arrivals arrivals) {
        try (FetchMember member = new FetchMember(table, operation, index, members, seed)) {
            for (long i = 0; i < transactions; i++) {
                member.begin();
                for (int round = 0; round < operationsEach; round++) {
                    arrivals.arrive();
                    member.operate();
                }
                member.commit();
            }
        }
    }

    /** Notices where the last member of a carrier comes to a round. Used by S-threads of that carrier. */
    private static final class Arrivals {
        private final int members;
        private final RoundBarrier rounds;
        private int arrived;

        Arrivals(int members, RoundBarrier rounds) {
            this.members = members;
            this.rounds = rounds;
        }

        void arrive() {
            if (++arrived == members) {
                arrived = 0;
                rounds.pass();
            }
        }
    }

    /** Operations of the last run whose member left its team. */
    long left() {
        return left;
    }

    /** What members that are no S-threads execute before their operations. */
    PaddingCode padding() {
        return padding;
    }

    /** The thread that executes all operations. */
    Thread worker() {
        return scheduler == null
                ? Thread.currentThread()
                : Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals(SCHEDULER_NAME + "-carrier-0"))
                        .findFirst()
                        .orElseThrow();
    }

    /** How often rows were changed or inserted, as the table tells. */
    long changes() {
        return table.changes();
    }

    /** Starts counting switches afresh. */
    void resetSwitches() {
        if (scheduler != null) {
            scheduler.resetStatistics();
        }
    }

    /** Switches at switch points since then. */
    long switches() {
        return scheduler == null
                ? 0
                : scheduler.statistics().stream()
                        .mapToLong(OperationStatistics::switches)
                        .sum();
    }

    @Override
    public void close() {
        table.close();
        if (scheduler != null) {
            scheduler.close();
        }
    }
}
