package dev.lockstep.bench.codemap;

import dev.lockstep.counters.Markers;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.StagedWork;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.util.ArrayList;
import java.util.List;

/**
 * The main class of a JVM whose operations are marked: two S-threads of the kind of its argument that do known amounts
 * of work in turns. One does {@value #TIMES} times as much as the other between two switches; before them an S-thread
 * that is alone has done at once what the lesser does. With a second argument the first of the two does the works of
 * both in {@value #TOGETHER}, a stage of each in turn.
 */
final class SwitchingProgram {
    /** The operation that both execute in a team, each in a context of its own name. */
    static final String TOGETHER = "together";

    /** Context and own operation of the one that does less. */
    static final String LITTLE = "little";

    /** Context and own operation of the other one. */
    static final String MUCH = "much";

    /** The operation that is executed before them. */
    static final String ALONE = "alone";

    /** How much more the other one does. */
    static final int TIMES = 4;

    /** Of each of the two in each operation. */
    static final int SWITCHES = 100;

    private static final int ROUNDS = 20;
    private static final int LOOPS = 4_000;

    private static long sum;

    private SwitchingProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withCarriers(1)
                .withKind(SThreadKind.valueOf(arguments[0]))
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(arguments.length > 1 ? TeamExecution.STAGED : TeamExecution.SWITCHING)
                .withSwitchPointsOn(true);
        List<SThread> started = new ArrayList<>();
        try (Scheduler scheduler = new Scheduler(options)) {
            int together = scheduler.registerOperation(TOGETHER);
            int alone = scheduler.registerOperation(ALONE);
            int little = scheduler.registerOperation(LITTLE);
            int much = scheduler.registerOperation(MUCH);
            SThread starter = scheduler.start("starter", 0, () -> {
                Markers.phaseBegin(Markers.PHASE_MEASURED);
                SThread.current().beginOperation(alone);
                work(SWITCHES * LOOPS);
                SThread.current().endOperation();
                started.add(scheduler.start(LITTLE, 0, () -> operate(LITTLE, together, little, LOOPS)));
                started.add(scheduler.start(MUCH, 0, () -> operate(MUCH, together, much, TIMES * LOOPS)));
            });
            scheduler.awaitTermination();
            Markers.phaseEnd(Markers.PHASE_MEASURED);
            started.add(starter);
        }
        for (SThread sThread : started) {
            if (sThread.failure() != null) {
                throw new AssertionError(sThread.name(), sThread.failure());
            }
        }
        System.out.println(sum);
    }

    private static void operate(String context, int together, int own, int loops) {
        SThread sThread = SThread.current();
        OperationMarkers.enter(OperationMarkers.context(context));
        for (int round = 0; round < ROUNDS; round++) {
            Stages stages = new Stages(sThread, loops);
            sThread.beginOperation(together, stages);
            while (stages.left > 0) {
                stages.run();
                sThread.switchPoint();
            }
            sThread.endOperation();
        }
        for (int round = 0; round < ROUNDS; round++) {
            sThread.beginOperation(own);
            for (int i = 0; i < SWITCHES / ROUNDS; i++) {
                work(loops);
                sThread.yieldTurn();
            }
            sThread.endOperation();
        }
        OperationMarkers.enter(0);
    }

    /** What an S-thread does between the switches of one operation. */
    private static final class Stages implements StagedWork {
        private final SThread owner;
        private final int loops;
        private int left = SWITCHES / ROUNDS;

        Stages(SThread owner, int loops) {
            this.owner = owner;
            this.loops = loops;
        }

        void run() {
            work(loops);
            left--;
        }

        @Override
        public void runTogether(StagedWork[] team, int count) {
            while (left > 0) {
                for (int i = 0; i < count; i++) {
                    Stages each = (Stages) team[i];
                    InstalledProbe.doesWorkOf(each.owner);
                    each.run();
                }
                InstalledProbe.doesSharedWork();
            }
        }
    }

    private static void work(int loops) {
        long result = sum;
        for (int i = 0; i < loops; i++) {
            result = result * 31 + i;
        }
        sum = result;
    }
}
