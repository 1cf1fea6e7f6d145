package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which lists give teams together, and which teams they are. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsolidationTest {
    private static final long KILOBYTE = 1024;

    private static SchedulerOptions consolidating(SThreadKind kind) {
        return Fixtures.exact(kind).withPolicy(TeamPolicy.longestWaiting()).withConsolidationOn(true);
    }

    /** Teams of one carrier, in the order in which they run: the operations of their members, sorted. */
    private static final class Teams {
        private final List<List<String>> teams = new ArrayList<>();
        private final Scheduler scheduler;
        private long formed;

        Teams(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        /** By each member in its first turn. */
        void note(SThread self, int operation) {
            if (teams.isEmpty() || self.carrier.teamsFormed() != formed) {
                formed = self.carrier.teamsFormed();
                teams.add(new ArrayList<>());
            }
            teams.getLast().add(scheduler.operationName(operation));
        }

        /** What the teams from one on were, each as often as it came in a row. */
        List<String> runs(int from) {
            List<String> runs = new ArrayList<>();
            String last = "";
            int times = 0;
            for (List<String> team : teams.subList(from, teams.size())) {
                String text = String.join(" + ", team.stream().sorted().toList());
                if (!text.equals(last) && times > 0) {
                    runs.add(times + " x " + last);
                    times = 0;
                }
                last = text;
                times++;
            }
            runs.add(times + " x " + last);
            return runs;
        }
    }

    /** Runs each operation with as many S-threads as it is named, each as often as asked for, in rounds. */
    private static Teams run(Scheduler scheduler, int rounds, String... operations) throws InterruptedException {
        Teams teams = new Teams(scheduler);
        List<Runnable> bodies = new ArrayList<>();
        for (String name : operations) {
            int operation = scheduler.registerOperation(name);
            bodies.add(() -> {
                SThread self = SThread.current();
                for (int round = 0; round < rounds; round++) {
                    self.beginOperation(operation);
                    teams.note(self, operation);
                    self.switchPoint();
                }
                self.endOperation();
            });
        }
        Fixtures.runTogether(scheduler, bodies);
        return teams;
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void smallTeamsOfOneKindExecuteTogether(SThreadKind kind) throws InterruptedException {
        int rounds = ListGroup.TEAMS_PER_REVIEW + 10;
        try (Scheduler scheduler = new Scheduler(consolidating(kind))) {
            Teams teams =
                    run(scheduler, rounds, "fetch a", "fetch b", "fetch a", "fetch c", "insert a", "insert a", "begin");
            List<String> expected = new ArrayList<>();
            for (int round = 0; round < ListGroup.TEAMS_PER_REVIEW; round++) {
                expected.addAll(List.of(
                        "1 x fetch a + fetch a", "1 x fetch b", "1 x fetch c", "1 x insert a + insert a", "1 x begin"));
            }
            for (int round = ListGroup.TEAMS_PER_REVIEW; round < rounds; round++) {
                expected.addAll(
                        List.of("1 x fetch a + fetch a + fetch b + fetch c", "1 x insert a + insert a", "1 x begin"));
            }
            assertEquals(expected, teams.runs(0));

            OperationStatistics ofA = Fixtures.statistics(scheduler, "fetch a");
            assertEquals(rounds, ofA.teams());
            assertEquals(2L * rounds, ofA.membersIn());
            assertEquals(2L * rounds, ofA.membersOut());
            assertEquals(10, ofA.teamsConsolidated());
            assertEquals(20, ofA.membersBeside());
            assertEquals(2 + 20.0 / rounds, ofA.teamMembersMean(), 1e-9);
            assertEquals(ListGroup.TEAMS_PER_REVIEW * 2 + 20, ofA.switches());
            OperationStatistics ofC = Fixtures.statistics(scheduler, "fetch c");
            assertEquals(rounds, ofC.membersIn());
            assertEquals(30, ofC.membersBeside());
            assertEquals(10, ofC.switches());
            assertTrue(ofC.nanos() > 0);
            for (String alone : List.of("insert a", "begin")) {
                assertEquals(0, Fixtures.statistics(scheduler, alone).teamsConsolidated());
                assertEquals(0, Fixtures.statistics(scheduler, alone).membersBeside());
            }
        }
    }

    /** Four of one index, from some round on: its list gives teams by itself again, the others stay together. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aListPartsWhenItGrows(SThreadKind kind) throws InterruptedException {
        int review = ListGroup.TEAMS_PER_REVIEW;
        int rounds = 3 * review + 5;
        try (Scheduler scheduler = new Scheduler(consolidating(kind))) {
            Teams teams = new Teams(scheduler);
            int begin = scheduler.registerOperation("begin");
            int fetch = scheduler.registerOperation("fetch a");
            List<Runnable> bodies = new ArrayList<>();
            for (String name : List.of("fetch a", "fetch b", "fetch c", "begin", "begin", "begin")) {
                int operation = scheduler.registerOperation(name);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    for (int round = 0; round < rounds; round++) {
                        int next = operation == begin && round >= 2 * review ? fetch : operation;
                        self.beginOperation(next);
                        teams.note(self, next);
                    }
                    self.endOperation();
                });
            }
            Fixtures.runTogether(scheduler, bodies);
            String begins = "1 x begin + begin + begin";
            List<String> expected = new ArrayList<>();
            for (int round = 0; round < review; round++) {
                expected.addAll(List.of("1 x fetch a", "1 x fetch b", "1 x fetch c", begins));
            }
            for (int round = 0; round < review; round++) {
                expected.addAll(List.of("1 x fetch a + fetch b + fetch c", begins));
            }
            String four = "fetch a + fetch a + fetch a + fetch a";
            expected.add(review + " x " + four + " + fetch b + fetch c");
            for (int round = 0; round < 5; round++) {
                expected.addAll(List.of("1 x " + four, "1 x fetch b + fetch c"));
            }
            assertEquals(expected, teams.runs(0));
        }
    }

    /** What a member brings of data counts, whoever else is in the team. */
    @Test
    void aTeamKeepsToTheSmallestLimit() throws InterruptedException {
        SchedulerOptions options = consolidating(SThreadKind.CONTINUATION)
                .withTeamLimits(new TeamLimits(256 * KILOBYTE, Map.of("fetch c", 40 * KILOBYTE)));
        try (Scheduler scheduler = new Scheduler(options)) {
            int rounds = ListGroup.TEAMS_PER_REVIEW + 1;
            Teams teams = run(scheduler, rounds, "fetch a", "fetch b", "fetch c", "fetch c", "fetch d");
            // Of a, b and c three, since c has a limit of three; then the other of c, with d.
            assertEquals(
                    List.of("1 x fetch a + fetch b + fetch c", "1 x fetch c + fetch d"),
                    teams.runs(4 * ListGroup.TEAMS_PER_REVIEW));
        }
    }

    @ParameterizedTest
    @CsvSource({"ON, false", "GOVERNED, true"})
    void onlyWhereItIsAskedForAndTeamsAreTheRule(TeamMode mode, boolean on) throws InterruptedException {
        SchedulerOptions options =
                consolidating(SThreadKind.CONTINUATION).withTeamMode(mode).withConsolidationOn(on);
        assertFalse(SchedulerOptions.defaults().consolidationOn());
        try (Scheduler scheduler = new Scheduler(options)) {
            run(scheduler, 4 * ListGroup.TEAMS_PER_REVIEW, "fetch a", "fetch b");
            assertEquals(0, Fixtures.statistics(scheduler, "fetch a").teamsConsolidated());
        }
    }

    @Test
    void theKindIsTheFirstOfSeveralWords() {
        assertEquals("fetch", ListGroup.kindOrNull("fetch order line"));
        assertNull(ListGroup.kindOrNull("begin"));
        assertNull(ListGroup.kindOrNull(" begin"));
    }

    /** Whoever waits in a list that is filled up from others, or fills up others, waits no longer than its bound. */
    @ParameterizedTest
    @CsvSource({"VIRTUAL, 1", "CONTINUATION, 2"})
    void nobodyWaitsForMoreTeamsThanBefore(SThreadKind kind, long seed) throws InterruptedException {
        int operations = 12;
        int sThreads = 40;
        SchedulerOptions options =
                consolidating(kind).withPolicy(TeamPolicy.lastWanted()).withTeamLimit(5);
        try (Scheduler scheduler = new Scheduler(options)) {
            long bound = scheduler.teamsBetweenTurnsMax(sThreads, operations);
            long[] longest = new long[1];
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < sThreads; i++) {
                Random random = new Random(seed * sThreads + i);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    for (int round = 0; round < 2000; round++) {
                        // Half of all that is done is the first operation, which the policy so prefers.
                        int of = Math.max(0, random.nextInt(2 * operations) - operations);
                        long before = self.carrier.teamsFormed();
                        self.beginOperation(scheduler.registerOperation("fetch " + of));
                        longest[0] = Math.max(longest[0], self.carrier.teamsFormed() - before);
                        self.switchPoint();
                    }
                });
            }
            Fixtures.runTogether(scheduler, bodies);
            assertTrue(longest[0] <= bound, "seed=" + seed + " longest=" + longest[0] + " bound=" + bound);
            assertTrue(Fixtures.statistics(scheduler, "fetch 11").teamsConsolidated() > 0, "seed=" + seed);
            for (OperationStatistics each : scheduler.statistics()) {
                assertEquals(each.membersIn(), each.membersOut(), "seed=" + seed + " " + each);
            }
        }
    }

    /** The leader of a team of several indexes does the works of all. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aLeaderDoesTheWorksOfOtherIndexes(SThreadKind kind) throws InterruptedException {
        int rounds = ListGroup.TEAMS_PER_REVIEW + 5;
        SchedulerOptions options = consolidating(kind).withTeamExecution(TeamExecution.STAGED);
        try (Scheduler scheduler = new Scheduler(options)) {
            List<Runnable> bodies = new ArrayList<>();
            for (String name : List.of("fetch a", "fetch b", "fetch c")) {
                int operation = scheduler.registerOperation(name);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    for (int round = 0; round < rounds; round++) {
                        Work work = new Work();
                        self.beginOperation(operation, work);
                        assertEquals(round >= ListGroup.TEAMS_PER_REVIEW, work.done, "round=" + round);
                    }
                });
            }
            Fixtures.runTogether(scheduler, bodies);
            for (String name : List.of("fetch a", "fetch b", "fetch c")) {
                assertEquals(5, Fixtures.statistics(scheduler, name).membersStaged(), name);
            }
        }
    }

    private static final class Work implements StagedWork {
        private boolean done;

        @Override
        public void runTogether(StagedWork[] team, int count) {
            for (int i = 0; i < count; i++) {
                ((Work) team[i]).done = true;
            }
        }
    }
}
