package dev.lockstep.bench.switchpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.engine.Database;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Points in the bytecode of small classes, and the exact order in which teams then run. */
class SwitchPointInserterTest {
    private final StringBuilder order = new StringBuilder();

    @SuppressWarnings("unchecked")
    private static BiConsumer<Integer, IntConsumer> threeSteps(List<SwitchPoint> points)
            throws IOException, ReflectiveOperationException {
        byte[] bytes = inserter().insert(Inserted.bytes(Subjects.ThreeSteps.class), points);
        return Inserted.instance(Subjects.ThreeSteps.class, bytes, BiConsumer.class);
    }

    private static SwitchPointInserter inserter() {
        return SwitchPointInserter.ofSwitches(SwitchPointInserterTest.class.getClassLoader());
    }

    private static List<SwitchPoint> beforeEachStep(String operation) throws IOException {
        return Inserted.atCalls(Subjects.ThreeSteps.class, "accept", "accept", operation).stream()
                .filter(point -> point.descriptor().startsWith("(Ljava/lang/Integer;"))
                .toList();
    }

    /** Runs an operation by three S-threads of one carrier, whose hand-placed points are off. */
    private OperationStatistics run(SThreadKind kind, List<SwitchPoint> points, String operation) throws Exception {
        BiConsumer<Integer, IntConsumer> subject = threeSteps(points);
        SchedulerOptions options = SchedulerOptions.defaults()
                .withCarriers(1)
                .withKind(kind)
                .withTeamMode(TeamMode.ON)
                .withSwitchPointsOn(false);
        try (Scheduler scheduler = new Scheduler(options)) {
            int number = scheduler.registerOperation(operation);
            // Filled by the starter alone: for a monitor that another thread has just then it would give up the
            // carrier.
            List<SThread> started = new ArrayList<>();
            SThread starter = scheduler.start("starter", 0, () -> {
                for (String member : List.of("a", "b", "c")) {
                    started.add(scheduler.start(
                            member,
                            0,
                            () -> subject.accept(
                                    number,
                                    step -> order.append(member).append(step).append(' '))));
                }
            });
            scheduler.awaitTermination();
            started.add(starter);
            for (SThread sThread : started) {
                assertEquals(null, sThread.failure(), sThread.name());
            }
            return scheduler.statistics().stream()
                    .filter(each -> each.operation().equals(operation))
                    .findAny()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void membersTakeTurnsAtAPointThatTheSourceDoesNotHave(SThreadKind kind) throws Exception {
        OperationStatistics statistics = run(kind, beforeEachStep("fetch"), "fetch");
        assertEquals("c1 a1 b1 c2 a2 b2 c3 a3 b3 ", order.toString());
        assertEquals(9, statistics.switches());
    }

    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aPointOfAnotherOperationDoesNothing(SThreadKind kind) throws Exception {
        OperationStatistics statistics = run(kind, beforeEachStep("update"), "fetch");
        assertEquals("c1 c2 c3 a1 a2 a3 b1 b2 b3 ", order.toString());
        assertEquals(0, statistics.switches());
    }

    @Test
    void aPlaceMayBelongToSeveralOperations() throws Exception {
        List<SwitchPoint> points = new ArrayList<>(beforeEachStep("update"));
        points.addAll(beforeEachStep("fetch"));
        run(SThreadKind.CONTINUATION, points, "fetch");
        assertEquals("c1 a1 b1 c2 a2 b2 c3 a3 b3 ", order.toString());
    }

    @Test
    void otherThreadsPassAPoint() throws Exception {
        threeSteps(beforeEachStep("fetch")).accept(0, order::append);
        assertEquals("123", order.toString());
    }

    @Test
    void noInstructionMindsACallBeforeIt() throws Exception {
        List<SwitchPoint> points = Inserted.everywhere(Subjects.Mixed.class, "fetch");
        assertTrue(points.size() > 100, () -> "points=" + points.size());
        byte[] bytes = inserter().insert(Inserted.bytes(Subjects.Mixed.class), points);
        IntUnaryOperator inserted = Inserted.instance(Subjects.Mixed.class, bytes, IntUnaryOperator.class);
        IntUnaryOperator original = new Subjects.Mixed();
        for (int n = 0; n < 40; n++) {
            assertEquals(original.applyAsInt(n), inserted.applyAsInt(n), "n=" + n);
        }
    }

    @Test
    void aClassOfTheEngineIsStillValid() throws Exception {
        byte[] bytes = inserter().insert(Inserted.bytes(Database.class), Inserted.everywhere(Database.class, "fetch"));
        assertEquals(List.of(), ClassFile.of().verify(bytes));
    }

    @Test
    void aPlaceThatIsNotThereIsRefused() throws IOException {
        SwitchPoint there = beforeEachStep("fetch").getFirst();
        List<SwitchPoint> wrong = List.of(
                new SwitchPoint("fetch", there.className(), "accept", there.descriptor(), there.bytecodeIndex() + 1),
                new SwitchPoint("fetch", there.className(), "accept", there.descriptor(), 5_000),
                new SwitchPoint("fetch", there.className(), "accept", "()V", 0),
                new SwitchPoint("fetch", there.className(), "other", there.descriptor(), 0));
        byte[] bytes = Inserted.bytes(Subjects.ThreeSteps.class);
        for (SwitchPoint point : wrong) {
            SwitchPointException refused = assertThrows(
                    SwitchPointException.class, () -> inserter().insert(bytes, List.of(point)), point::toString);
            assertEquals(Reason.PLACE, refused.reason());
        }
    }
}
