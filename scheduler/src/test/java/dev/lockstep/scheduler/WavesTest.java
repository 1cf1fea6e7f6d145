package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** {@link TeamPolicy#waves()}: who begins together, who waits for whom, and for how long at most. */
class WavesTest {
    private static final int KINDS_IN_A_ROW = 3;

    private static SchedulerOptions waves() {
        return Fixtures.exact(SThreadKind.CONTINUATION)
                .withPolicy(TeamPolicy.waves())
                .withSwitchPointsOn(false);
    }

    /** What one has done, in the order in which all did it. */
    private final List<String> order = new ArrayList<>();

    private void operate(int operation, String what) {
        SThread self = SThread.current();
        self.beginOperation(operation);
        order.add(what);
        self.endOperation();
    }

    /** A transaction of a kind: its begin and two operations. */
    private void transact(Scheduler scheduler, String kind, String who) {
        operate(scheduler.registerBegin(kind), "begin " + who);
        operate(scheduler.registerOperation("one " + kind), "one " + who);
        operate(scheduler.registerOperation("two " + kind), "two " + who);
        SThread.current().transactionEnded();
    }

    /** Starts all before any of them runs, each on a part of the data. */
    private static void runTogether(Scheduler scheduler, List<Integer> parts, List<Runnable> bodies)
            throws InterruptedException {
        List<SThread> members = new ArrayList<>();
        scheduler.start("starter", 0, () -> {
            for (int i = 0; i < bodies.size(); i++) {
                members.add(scheduler.start("member-" + i, 0, parts.get(i), bodies.get(i)));
            }
        });
        scheduler.awaitTermination();
        Fixtures.rethrow(members);
    }

    @Test
    void thoseOfOneKindAndOfDifferentPartsBeginTogetherAndStayTogether() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            List<Runnable> bodies = new ArrayList<>();
            List<String> who = List.of("a0", "b0", "a1", "a0'", "b1", "a2");
            for (String name : who) {
                bodies.add(() -> transact(scheduler, name.substring(0, 1), name));
            }
            runTogether(scheduler, List.of(0, 0, 1, 0, 1, 2), bodies);
        }
        // Who forms a team has the first turn; so in a team the order is not that of the parts.
        int at = 0;
        for (List<String> wave : List.of(List.of("a0", "a1", "a2"), List.of("b0", "b1"), List.of("a0'"))) {
            for (String operation : List.of("begin ", "one ", "two ")) {
                List<String> team = order.subList(at, at + wave.size());
                assertEquals(
                        wave.stream().map(operation::concat).toList(),
                        team.stream().sorted().toList());
                at += wave.size();
            }
        }
        assertEquals(at, order.size());
    }

    /** A part of its own for each transaction, and then the thread's again. */
    @Test
    void transactionsThatLockLessBeginTogetherThoughOfOnePart() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            List<Runnable> bodies = new ArrayList<>();
            for (int member = 0; member < 4; member++) {
                int finer = member / 2;
                String name = Integer.toString(member);
                bodies.add(() -> {
                    SThread.current().conflictsOn(finer);
                    transact(scheduler, "fine", name);
                    SThread.current().conflictsOn(7);
                    transact(scheduler, "coarse", name);
                    SThread.current().conflictsOn(Scheduler.NO_PART);
                    transact(scheduler, "free", name);
                });
            }
            runTogether(scheduler, List.of(7, 7, 7, 7), bodies);
            assertEquals(2.0, Fixtures.statistics(scheduler, "begin fine").membersInMean());
            assertEquals(1.0, Fixtures.statistics(scheduler, "begin coarse").membersInMean());
            assertTrue(Fixtures.statistics(scheduler, "begin free").membersInMean() > 1);
        }
        assertEquals(
                4,
                order.stream().filter(what -> what.startsWith("two")).distinct().count());
    }

    @Test
    void aPartBelowNoneIsRefused() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            Runnable refused = () -> assertThrows(
                    IllegalArgumentException.class, () -> SThread.current().conflictsOn(Scheduler.NO_PART - 1));
            runTogether(scheduler, List.of(0), List.of(refused));
        }
    }

    @Test
    void withoutPartsAllOfOneKindBeginTogether() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            List<Runnable> bodies = new ArrayList<>();
            List<Integer> parts = new ArrayList<>();
            for (String name : List.of("a0", "a1", "a2")) {
                bodies.add(() -> transact(scheduler, "a", name));
                parts.add(Scheduler.NO_PART);
            }
            runTogether(scheduler, parts, bodies);
            assertEquals(3.0, Fixtures.statistics(scheduler, "begin a").membersInMean());
        }
    }

    /** Where all who are under way wait, whoever waits to begin does, though of the same part. */
    @Test
    void aTransactionThatWaitsKeepsNobodyFromBeginning() throws InterruptedException {
        Waiter waiter = new Waiter();
        try (Scheduler scheduler = new Scheduler(waves())) {
            Runnable waits = () -> {
                operate(scheduler.registerBegin("a"), "begin waiting");
                waiter.prepare();
                waiter.await(Waiter.NO_DEADLINE, WaitReason.LOCK);
                order.add("woken");
                SThread.current().transactionEnded();
            };
            Runnable wakes = () -> {
                transact(scheduler, "a", "other");
                waiter.signal();
            };
            runTogether(scheduler, List.of(0, 0), List.of(waits, wakes));
        }
        assertEquals(List.of("begin waiting", "begin other", "one other", "two other", "woken"), order);
    }

    /** Others of the list are in nobody's way, and would go before it in each team. */
    @Test
    void aTransactionThatStaysOpenKeepsThoseOfItsPartFromBeginningForSoLongOnly() throws InterruptedException {
        Waiter waiter = new Waiter();
        AtomicBoolean begun = new AtomicBoolean();
        long[] passedOver = new long[1];
        try (Scheduler scheduler = new Scheduler(waves())) {
            Runnable open = () -> {
                operate(scheduler.registerBegin("a"), "begin open");
                waiter.prepare();
                waiter.await(Waiter.NO_DEADLINE, WaitReason.OTHER);
                SThread.current().transactionEnded();
            };
            Runnable behind = () -> {
                operate(scheduler.registerBegin("a"), "begin behind");
                begun.set(true);
                SThread.current().transactionEnded();
                waiter.signal();
            };
            Runnable others = () -> {
                // Ends: it is passed over so often and no more.
                while (!begun.get() && passedOver[0] < 10L * Scheduler.BEGINS_PASSED_OVER_MAX) {
                    operate(scheduler.registerBegin("a"), "begin other");
                    SThread.current().transactionEnded();
                    passedOver[0]++;
                }
            };
            runTogether(scheduler, List.of(0, 0, 1), List.of(open, behind, others));
            assertTrue(passedOver[0] <= scheduler.teamsBetweenTurnsMax(1, 1), "passed over " + passedOver[0]);
        }
        assertTrue(passedOver[0] >= Scheduler.BEGINS_PASSED_OVER_MAX - 2, "passed over " + passedOver[0]);
    }

    /** One transaction that does not end passes over who waits to begin so often, and no more. */
    @Test
    void aTransactionThatDoesNotEndLetsOthersBegin() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            Runnable endless = () -> {
                operate(scheduler.registerBegin("long"), "begin long");
                for (int i = 0; i < 3 * Scheduler.BEGINS_PASSED_OVER_MAX; i++) {
                    operate(scheduler.registerOperation("step"), "step");
                }
            };
            runTogether(scheduler, List.of(0, 1), List.of(endless, () -> transact(scheduler, "short", "short")));
            assertTrue(order.indexOf("begin short") <= scheduler.teamsBetweenTurnsMax(2, 5));
        }
        int begun = order.indexOf("begin short");
        assertTrue(begun >= Scheduler.BEGINS_PASSED_OVER_MAX - 2, "begun after " + begun);
        assertTrue(begun <= Scheduler.BEGINS_PASSED_OVER_MAX + 2, "begun after " + begun);
    }

    /** A kind that few are of has its turn: its list grows until it is the largest. */
    @Test
    void kindsOfFewTransactionsBeginToo() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(waves())) {
            List<Runnable> bodies = new ArrayList<>();
            List<Integer> parts = new ArrayList<>();
            for (int member = 0; member < 8; member++) {
                int first = member;
                bodies.add(() -> {
                    for (int i = 0; i < 50 * KINDS_IN_A_ROW; i++) {
                        String kind = (first + i) % KINDS_IN_A_ROW == 0 ? "seldom" : "often";
                        transact(scheduler, kind, kind);
                    }
                });
                parts.add(member);
            }
            runTogether(scheduler, parts, bodies);
            assertTrue(Fixtures.statistics(scheduler, "begin seldom").membersInMean() > 2);
            assertTrue(Fixtures.statistics(scheduler, "two often").membersInMean() > 2);
        }
        assertEquals(8 * 50, order.stream().filter("two seldom"::equals).count());
        assertEquals(8 * 50 * 2, order.stream().filter("two often"::equals).count());
    }

    @Test
    void onlyTheBeginOfATransactionIsOne() {
        try (Scheduler scheduler = new Scheduler(waves())) {
            assertTrue(scheduler.isBegin(scheduler.registerBegin("")));
            assertTrue(scheduler.isBegin(scheduler.registerBegin("new-order")));
            assertEquals(scheduler.registerBegin(""), scheduler.registerOperation("begin"));
            assertEquals("begin new-order", scheduler.operationName(scheduler.registerBegin("new-order")));
            assertFalse(scheduler.isBegin(scheduler.registerOperation("beginning")));
            assertFalse(scheduler.isBegin(scheduler.registerOperation("commit")));
        }
    }
}
