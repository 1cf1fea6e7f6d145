package dev.lockstep.scheduler;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The main class of a JVM with a {@link SequenceProbe}: S-threads of the kind of the first argument do what the second
 * one says, and what the probe was told is printed.
 */
final class ProbedMembers {
    private static final String OPERATION = "fetch";

    private ProbedMembers() {}

    public static void main(String[] arguments) throws InterruptedException {
        SchedulerOptions exact = Fixtures.exact(SThreadKind.valueOf(arguments[0]));
        switch (arguments[1]) {
            case "team" -> run(exact, 2, ProbedMembers::operate);
            case "straight" -> run(exact.withTeamMode(TeamMode.OFF), 1, ProbedMembers::operateStraight);
            case "staged" -> run(exact.withTeamExecution(TeamExecution.STAGED), 2, ProbedMembers::operateStaged);
            case "lent" -> runLent(exact);
            case "yield" -> run(exact.withTeamMode(TeamMode.OFF), 2, ProbedMembers::yieldInside);
            case "policy" ->
                run(
                        exact.withPolicy((lastWanted, lists) -> {
                            throw new IllegalStateException("policy");
                        }),
                        1,
                        ProbedMembers::operateAgainstPolicy);
            default -> throw new IllegalArgumentException(arguments[1]);
        }
        boolean lent = arguments[1].equals("lent");
        SequenceProbe.told().stream()
                .filter(told -> lent ? told.matches(".*:(shares|does-.*)") : told.startsWith("member"))
                .map(told -> lent ? told.replaceFirst("^(?!member).*:", "member-helper:") : told)
                .map(told -> told.substring("member-".length()))
                .forEach(System.out::println);
    }

    /** What a member does in an operation. */
    private interface Member {
        void run(SThread sThread, int operation);
    }

    private static void run(SchedulerOptions options, int members, Member member) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(options)) {
            int operation = scheduler.registerOperation(OPERATION);
            Runnable body = () -> member.run(SThread.current(), operation);
            Fixtures.runTogether(scheduler, Collections.nCopies(members, body));
        }
    }

    /** Two teams on the first carrier; the first is not through before a helper on the second has done the other's. */
    private static void runLent(SchedulerOptions exact) throws InterruptedException {
        SchedulerOptions lending = exact.withCarriers(2)
                .withTeamExecution(TeamExecution.STAGED)
                .withPolicy(TeamPolicy.longestWaiting())
                .withLendingOn(true);
        CountDownLatch otherDone = new CountDownLatch(1);
        try (Scheduler scheduler = new Scheduler(lending)) {
            int here = scheduler.registerOperation("here");
            int there = scheduler.registerOperation("there");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                boolean stays = i < 2;
                bodies.add(() -> {
                    SThread sThread = SThread.current();
                    sThread.beginOperation(stays ? here : there, new Lent(sThread, stays, otherDone));
                    sThread.endOperation();
                });
            }
            Runnable first = () -> {
                while (!scheduler.carrier(1).isIdle()) {
                    Thread.onSpinWait();
                }
            };
            Fixtures.rethrow(Fixtures.runTogether(scheduler, first, bodies));
            if (Fixtures.statistics(scheduler, "there").membersLent() != 2) {
                throw new AssertionError("nothing was lent");
            }
        }
    }

    private record Lent(SThread owner, boolean stays, CountDownLatch otherDone) implements StagedWork {
        @Override
        public void runTogether(StagedWork[] team, int count) {
            if (stays) {
                while (otherDone.getCount() > 0) {
                    Thread.onSpinWait();
                }
                return;
            }
            try {
                InstalledProbe.doesSharedWork();
                for (int i = 0; i < count; i++) {
                    InstalledProbe.doesWorkOf(((Lent) team[i]).owner);
                }
                InstalledProbe.doesSharedWork();
            } finally {
                otherDone.countDown();
            }
        }
    }

    private static void operate(SThread sThread, int operation) {
        sThread.beginOperation(operation);
        SequenceProbe.note("work");
        sThread.switchPoint();
        sThread.endOperation();
    }

    /** Three times: the first is timed, its timing ends with the second, and the third is one of most. */
    private static void operateStraight(SThread sThread, int operation) {
        for (int i = 0; i < 3; i++) {
            sThread.beginOperation(operation);
            sThread.endOperation();
        }
    }

    private static void operateStaged(SThread sThread, int operation) {
        sThread.beginOperation(operation, new Owned(sThread));
        sThread.endOperation();
    }

    private record Owned(SThread owner) implements StagedWork {
        @Override
        public void runTogether(StagedWork[] team, int count) {
            for (int i = 0; i < count; i++) {
                InstalledProbe.doesWorkOf(((Owned) team[i]).owner);
            }
            InstalledProbe.doesSharedWork();
            SequenceProbe.note("works-" + count);
        }
    }

    private static void yieldInside(SThread sThread, int operation) {
        sThread.beginOperation(operation);
        sThread.yieldTurn();
        sThread.endOperation();
    }

    private static void operateAgainstPolicy(SThread sThread, int operation) {
        try {
            sThread.beginOperation(operation);
            throw new AssertionError("the policy has thrown nothing");
        } catch (IllegalStateException e) {
            SequenceProbe.note(e.getMessage());
        }
    }
}
