package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Teams that the scheduler's user forbids and allows again. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AllowTeamsTest {
    private static final int MEMBERS = 5;
    private static final int OPERATIONS = 7;

    private static Runnable operations(int... numbers) {
        return () -> {
            for (int i = 0; i < OPERATIONS; i++) {
                for (int number : numbers) {
                    SThread.current().beginOperation(number);
                    SThread.current().endOperation();
                }
            }
        };
    }

    private static void run(Scheduler scheduler, int... operations) throws InterruptedException {
        Fixtures.runTogether(scheduler, Collections.nCopies(MEMBERS, operations(operations)));
    }

    @ParameterizedTest
    @EnumSource(value = SThreadKind.class, names = "PLAIN", mode = EnumSource.Mode.EXCLUDE)
    void teamsFormWhileTheyAreAllowed(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            assertTrue(scheduler.teamsAllowed());
            run(scheduler, fetch);
            assertEquals(OPERATIONS, Fixtures.statistics(scheduler, "fetch").teams());

            scheduler.allowTeams(false);
            assertFalse(scheduler.teamsAllowed());
            run(scheduler, fetch, update);
            assertEquals(OPERATIONS, Fixtures.statistics(scheduler, "fetch").teams());
            assertEquals(
                    MEMBERS * OPERATIONS,
                    Fixtures.statistics(scheduler, "fetch").straightOperations());
            // Its list is made while they are forbidden.
            assertEquals(0, Fixtures.statistics(scheduler, "update").teams());
            assertEquals(
                    MEMBERS * OPERATIONS,
                    Fixtures.statistics(scheduler, "update").straightOperations());

            scheduler.allowTeams(true);
            run(scheduler, fetch, update);
            assertEquals(2 * OPERATIONS, Fixtures.statistics(scheduler, "fetch").teams());
            assertEquals(OPERATIONS, Fixtures.statistics(scheduler, "update").teams());
            assertEquals(
                    MEMBERS * OPERATIONS,
                    Fixtures.statistics(scheduler, "update").straightOperations());
        }
    }

    /**
     * A member forbids them in the middle of the first team's operation, while others wait for the next. The one that
     * comes last leads the team, so the last but one ends it.
     */
    @ParameterizedTest
    @EnumSource(value = SThreadKind.class, names = "PLAIN", mode = EnumSource.Mode.EXCLUDE)
    void whoWaitsInAListIsStillCalled(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind))) {
            int fetch = scheduler.registerOperation("fetch");
            int update = scheduler.registerOperation("update");
            List<Runnable> bodies = new ArrayList<>(Collections.nCopies(MEMBERS, operations(fetch, update)));
            bodies.set(MEMBERS - 2, () -> {
                SThread.current().beginOperation(fetch);
                scheduler.allowTeams(false);
                SThread.current().endOperation();
            });
            Fixtures.runTogether(scheduler, bodies);
            OperationStatistics first = Fixtures.statistics(scheduler, "fetch");
            OperationStatistics second = Fixtures.statistics(scheduler, "update");
            assertEquals(1, first.teams());
            assertEquals((MEMBERS - 1) * (OPERATIONS - 1), first.straightOperations());
            assertEquals(1, second.teams());
            assertEquals((MEMBERS - 1) * OPERATIONS, second.operations());
        }
    }

    @Test
    void whereThereAreNoTeamsItMakesNoDifference() throws InterruptedException {
        try (Scheduler scheduler =
                new Scheduler(Fixtures.exact(SThreadKind.VIRTUAL).withTeamMode(TeamMode.OFF))) {
            int fetch = scheduler.registerOperation("fetch");
            for (boolean allowed : new boolean[] {true, false, true}) {
                scheduler.allowTeams(allowed);
                run(scheduler, fetch);
            }
            assertEquals(0, Fixtures.statistics(scheduler, "fetch").teams());
        }
    }
}
