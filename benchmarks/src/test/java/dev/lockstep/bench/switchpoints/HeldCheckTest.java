package dev.lockstep.bench.switchpoints;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.latch.LatchTable;
import dev.lockstep.scheduler.latch.LatchedLine;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Points where something may be held: what bytecode shows, and what only a run does. */
class HeldCheckTest {
    private static final String OPERATION = "held";

    private static List<SwitchPoint> at(String called) throws IOException {
        return Inserted.atCalls(Subjects.Holder.class, null, called, OPERATION);
    }

    @Test
    void aPointInsideIsRefused() throws IOException {
        byte[] bytes = Inserted.bytes(Subjects.Holder.class);
        List<SwitchPoint> inside = at("inside");
        assertTrue(inside.size() > 10, inside::toString);
        for (SwitchPoint point : inside) {
            SwitchPointException refused =
                    assertThrows(SwitchPointException.class, () -> HeldCheck.check(bytes, point), point::toString);
            assertEquals(Reason.HELD, refused.reason());
        }
    }

    @Test
    void aPointOutsideIsTaken() throws IOException {
        byte[] bytes = Inserted.bytes(Subjects.Holder.class);
        List<SwitchPoint> outside = at("outside");
        assertTrue(outside.size() > 5, outside::toString);
        for (SwitchPoint point : outside) {
            assertDoesNotThrow(() -> HeldCheck.check(bytes, point), point::toString);
        }
    }

    /** Of the engine's methods that latch pages one takes the leaf's latch, and two give it back. */
    @Test
    void aPointUnderThePageLatchOfAChangeIsRefused() throws IOException, ClassNotFoundException {
        Class<?> change = Class.forName("dev.lockstep.engine.operation.ChangeOperation");
        byte[] bytes = Inserted.bytes(change);
        for (String called : List.of("change", "isRightLeaf", "unlatchLeaf", "unlatchLeafUnchanged")) {
            List<SwitchPoint> inside = Inserted.atCalls(change, "changeLeaf", called, OPERATION);
            assertFalse(inside.isEmpty(), called);
            for (SwitchPoint point : inside) {
                SwitchPointException refused =
                        assertThrows(SwitchPointException.class, () -> HeldCheck.check(bytes, point), called);
                assertEquals(Reason.HELD, refused.reason());
            }
        }
        for (SwitchPoint point : Inserted.atCalls(change, "changeLeaf", "latchLeaf", OPERATION)) {
            assertDoesNotThrow(() -> HeldCheck.check(bytes, point), point::toString);
        }
    }

    /** It is a loop's members whose leaf is latched by a method that only tries. */
    @Test
    void aPointUnderALatchThatWasTriedForIsRefused() throws IOException, ClassNotFoundException {
        Class<?> change = Class.forName("dev.lockstep.engine.operation.TeamUpdate");
        byte[] bytes = Inserted.bytes(change);
        for (String called : List.of("prepare", "log", "apply", "unlatchFor")) {
            List<SwitchPoint> inside = Inserted.atCalls(change, "change", called, OPERATION);
            assertFalse(inside.isEmpty(), called);
            for (SwitchPoint point : inside) {
                assertThrows(SwitchPointException.class, () -> HeldCheck.check(bytes, point), called);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {LatchTable.class, SpinLatch.class, LatchedLine.class})
    void everyMethodOfALatchIsKnown(Class<?> latch) {
        Set<String> changeNothing = Set.of("latchCount", "isLatched", "tryUpgradeSharedToExclusive");
        String owner = latch.getName().replace('.', '/');
        for (Method method : latch.getMethods()) {
            String name = method.getName();
            if (name.matches(".*([lL]atch|Upgrade).*")) {
                HeldResource.Effect effect = HeldResource.effectOrNull(owner, name);
                assertEquals(changeNothing.contains(name), effect == null, name);
                if (effect != null) {
                    assertEquals(name.startsWith("unlatch") ? -1 : 1, effect.change(), name);
                }
            }
        }
    }

    @Test
    void theSchedulerAndTheJdkGetNoPoints() {
        for (String name : List.of("java.util.ArrayList", "dev.lockstep.scheduler.SThread")) {
            SwitchPoint point = new SwitchPoint(OPERATION, name, "add", "()V", 0);
            SwitchPointException refused =
                    assertThrows(SwitchPointException.class, () -> HeldCheck.check(new byte[0], point));
            assertEquals(Reason.HELD, refused.reason());
        }
    }

    /** The point in the callee is held in the first of its two calls; those outside are passed without anything. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void theCheckingModeSeesWhatCallersHold(SThreadKind kind) throws Exception {
        List<SwitchPoint> points = new ArrayList<>(at("inside"));
        points.add(new SwitchPoint(OPERATION, Subjects.Holder.class.getName(), "synchronizedMethod", "()V", 0));
        int insides = points.size();
        points.addAll(at("outside"));
        HeldCounts.reset(points.size());
        byte[] bytes = SwitchPointInserter.ofChecks(getClass().getClassLoader(), points::indexOf)
                .insert(Inserted.bytes(Subjects.Holder.class), points);
        IntConsumer holder = Inserted.instance(Subjects.Holder.class, bytes, IntConsumer.class);
        SchedulerOptions options =
                SchedulerOptions.defaults().withCarriers(1).withKind(kind).withTeamMode(TeamMode.ON);
        try (Scheduler scheduler = new Scheduler(options)) {
            int operation = scheduler.registerOperation(OPERATION);
            SThread sThread = scheduler.start("holder", 0, () -> holder.accept(operation));
            sThread.join();
            assertEquals(null, sThread.failure());
        }
        CheckReport report = HeldCounts.report();
        for (int i = 0; i < points.size(); i++) {
            SwitchPoint point = points.get(i);
            switch (point.method()) {
                case "callee" -> {
                    assertEquals(2, report.passed().get(i), point::toString);
                    assertEquals(1, report.held().get(i), point::toString);
                }
                case "loop" -> {
                    assertEquals(3, report.passed().get(i), point::toString);
                    assertEquals(1, report.held().get(i), point::toString);
                }
                default ->
                    assertEquals(
                            i < insides ? report.passed().get(i) : 0,
                            report.held().get(i),
                            point::toString);
            }
        }
        assertTrue(report.passed().stream().filter(count -> count > 0).count() > insides, report::toString);
    }
}
