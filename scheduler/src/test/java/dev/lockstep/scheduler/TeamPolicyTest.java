package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** In which order the policies run the lists of one carrier. */
class TeamPolicyTest {
    static Stream<Arguments> policies() {
        return Stream.of(
                // The last that came wanted c; when c's team ends nobody wants more, and the oldest list is next.
                Arguments.of(TeamPolicy.lastWanted(), List.of("c", "a", "b", "b", "b", "d", "d")),
                Arguments.of(TeamPolicy.longestWaiting(), List.of("a", "b", "b", "b", "d", "d", "c")),
                // Nobody waits for an operation that is none.
                Arguments.of(always(-1), List.of("a", "b", "b", "b", "d", "d", "c")),
                Arguments.of(always(1 << 20), List.of("a", "b", "b", "b", "d", "d", "c")),
                // Of two lists of one member the older one is next.
                Arguments.of(TeamPolicy.largest(), List.of("b", "b", "b", "d", "d", "a", "c")));
    }

    private static TeamPolicy always(int operation) {
        return (lastWanted, waiting) -> operation;
    }

    @ParameterizedTest
    @MethodSource("policies")
    void ordersTheLists(TeamPolicy policy, List<String> expected) throws InterruptedException {
        List<String> order = new ArrayList<>();
        SchedulerOptions options = Fixtures.exact(SThreadKind.CONTINUATION).withPolicy(policy);
        try (Scheduler scheduler = new Scheduler(options)) {
            List<Runnable> bodies = new ArrayList<>();
            for (String name : List.of("a", "b", "d", "b", "d", "b", "c")) {
                int operation = scheduler.registerOperation(name);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    self.beginOperation(operation);
                    order.add(name);
                    self.endOperation();
                });
            }
            Fixtures.runTogether(scheduler, bodies);
        }
        assertEquals(expected, order);
    }

    /** All that wait in lists can run, and so can who has yielded to them. */
    @Test
    void everyTeamCountsWhoCouldRun() throws InterruptedException {
        SchedulerOptions options = Fixtures.exact(SThreadKind.CONTINUATION).withPolicy(TeamPolicy.longestWaiting());
        try (Scheduler scheduler = new Scheduler(options)) {
            List<Runnable> bodies = new ArrayList<>();
            for (String name : List.of("a", "b", "d", "b", "d", "b", "c")) {
                int operation = scheduler.registerOperation(name);
                bodies.add(() -> {
                    SThread self = SThread.current();
                    self.beginOperation(operation);
                    self.endOperation();
                });
            }
            bodies.add(() -> SThread.current().yieldTurn());
            Fixtures.runTogether(scheduler, bodies);
            assertEquals(
                    Map.of("a", 8.0, "b", 6.0, "d", 3.0, "c", 1.0),
                    scheduler.statistics().stream()
                            .collect(Collectors.toMap(OperationStatistics::operation, OperationStatistics::readyMean)));
            assertEquals(0, new OperationStatistics("a", 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), 0).readyMean());
        }
    }
}
