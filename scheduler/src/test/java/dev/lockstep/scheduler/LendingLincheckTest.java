package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checking of {@link LendingSlot} together with the way back through an {@link Inbox}: two carriers lend their
 * lists to one helper and take them back, the helper takes them, gives them back done and ends. Whatever order they do
 * that in, they must behave like carriers of which one acts at a time: each list is in one hand, and what is written
 * into it comes with it. The same checks on {@link WeakenedLendingSlot} must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class LendingLincheckTest {
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 500);
    private static final int ITERATIONS = Integer.getInteger("lockstep.lincheck.iterations", 8);

    /** What a carrier learns of its list, beside the number with which it comes back. */
    private static final int STAYED = -1;

    private static final int AWAY = -2;
    private static final int NOTHING = 0;

    /** Added to a list's number by who does its works. */
    private static final int DONE = 1000;

    /** Lists are numbered as often as they are lent, those of the second carrier from here on. */
    private static final int SECOND = 100;

    @Test
    void eachListIsInOneHand() {
        options().check(RealSlot.class);
    }

    @Test
    void offeringInTwoStepsIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(OffersInTwoSteps.class));
    }

    @Test
    void takingBackInTwoStepsIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(TakesBackInTwoSteps.class));
    }

    @Test
    void closingInTwoStepsIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(ClosesInTwoSteps.class));
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(INVOCATIONS)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .sequentialSpecification(OneAtATime.class)
                .minimizeFailedScenario(false);
    }

    /** What each thread can do; its own operations follow each other. */
    public abstract static class HandOver {
        @Operation(nonParallelGroup = "first")
        public int lendFirst() {
            return lend(0);
        }

        @Operation(nonParallelGroup = "first")
        public int comeBackFirst() {
            return comeBack(0);
        }

        @Operation(nonParallelGroup = "second")
        public int lendSecond() {
            return lend(1);
        }

        @Operation(nonParallelGroup = "second")
        public int comeBackSecond() {
            return comeBack(1);
        }

        @Operation(nonParallelGroup = "helper")
        public int take() {
            return takeOne();
        }

        @Operation(nonParallelGroup = "helper")
        public int giveBack() {
            return giveBackTaken();
        }

        @Operation(nonParallelGroup = "helper")
        public int end() {
            return close();
        }

        /** Lends a carrier's list; returns its number, or {@code STAYED}. */
        abstract int lend(int carrier);

        /** Has a carrier's list come back; returns what is written in it, or {@code AWAY}. */
        abstract int comeBack(int carrier);

        /** Takes a list; returns its number, or {@code NOTHING}. */
        abstract int takeOne();

        /**
         * Gives back what was taken, done unless the slot is closed; returns what is written in it, or {@code NOTHING}.
         */
        abstract int giveBackTaken();

        /**
         * Closes the slot, if it has nothing in hand; returns the number of what was left there, or {@code NOTHING}.
         */
        abstract int close();
    }

    /** The specification. */
    public static class OneAtATime extends HandOver {
        private final boolean[] away = new boolean[2];
        private final boolean[] back = new boolean[2];
        private final int[] timesLent = new int[2];
        private final int[] written = new int[2];
        private int offered = -1;
        private int taken = -1;
        private boolean closed;

        @Override
        int lend(int carrier) {
            if (away[carrier] || back[carrier] || offered != -1 || closed) {
                return STAYED;
            }
            offered = carrier;
            away[carrier] = true;
            written[carrier] = number(carrier, ++timesLent[carrier]);
            return written[carrier];
        }

        @Override
        int comeBack(int carrier) {
            if (offered == carrier) {
                offered = -1;
            } else if (!back[carrier]) {
                return AWAY;
            }
            away[carrier] = false;
            back[carrier] = false;
            return written[carrier];
        }

        @Override
        int takeOne() {
            if (taken != -1 || closed || offered == -1) {
                return NOTHING;
            }
            taken = offered;
            offered = -1;
            return written[taken];
        }

        @Override
        int giveBackTaken() {
            if (taken == -1) {
                return NOTHING;
            }
            int carrier = taken;
            taken = -1;
            written[carrier] += closed ? 0 : DONE;
            back[carrier] = true;
            return written[carrier];
        }

        @Override
        int close() {
            if (taken != -1 || closed) {
                return NOTHING;
            }
            closed = true;
            taken = offered;
            offered = -1;
            return taken == -1 ? NOTHING : written[taken];
        }
    }

    /** What the carriers and the helper do around a slot, as in {@link Lending} and {@link IdleHelper}. */
    public abstract static class BySlot extends HandOver {
        private final LentList[] lists = {
            new LentList(null, SchedulerOptions.TEAM_LIMIT_DEFAULT),
            new LentList(null, SchedulerOptions.TEAM_LIMIT_DEFAULT)
        };
        private final Inbox[] inboxes = {new Inbox(), new Inbox()};
        private final boolean[] away = new boolean[2];
        private final int[] timesLent = new int[2];
        private LentList taken;
        private boolean ended;

        abstract boolean offer(LentList list);

        abstract boolean takeBack(LentList list);

        abstract LentList takeOrNull();

        abstract LentList closeOrNull();

        @Override
        int lend(int carrier) {
            LentList list = lists[carrier];
            if (away[carrier]) {
                return STAYED;
            }
            int number = number(carrier, timesLent[carrier] + 1);
            list.count = number;
            if (!offer(list)) {
                return STAYED;
            }
            away[carrier] = true;
            timesLent[carrier]++;
            return number;
        }

        @Override
        int comeBack(int carrier) {
            LentList list = lists[carrier];
            if (!away[carrier]) {
                return AWAY;
            }
            InboxNode arrived = inboxes[carrier].drain();
            if (arrived != null) {
                arrived.nextInInbox = null;
                arrived.clearQueued();
            } else if (!takeBack(list)) {
                return AWAY;
            }
            away[carrier] = false;
            return list.count;
        }

        @Override
        int takeOne() {
            if (taken != null || ended) {
                return NOTHING;
            }
            taken = takeOrNull();
            return taken == null ? NOTHING : taken.count;
        }

        @Override
        int giveBackTaken() {
            if (taken == null) {
                return NOTHING;
            }
            LentList list = taken;
            taken = null;
            list.count += ended ? 0 : DONE;
            int written = list.count;
            if (list.casQueued()) {
                inboxes[list == lists[0] ? 0 : 1].push(list);
            }
            return written;
        }

        @Override
        int close() {
            if (taken != null || ended) {
                return NOTHING;
            }
            ended = true;
            taken = closeOrNull();
            return taken == null ? NOTHING : taken.count;
        }
    }

    /** The real one. */
    public static class RealSlot extends BySlot {
        private final LendingSlot slot = new LendingSlot();

        @Override
        boolean offer(LentList list) {
            return slot.offer(list);
        }

        @Override
        boolean takeBack(LentList list) {
            return slot.takeBack(list);
        }

        @Override
        LentList takeOrNull() {
            return slot.takeOrNull();
        }

        @Override
        LentList closeOrNull() {
            return slot.closeOrNull();
        }
    }

    /** With one of the mistakes. */
    public abstract static class ByWeakenedSlot extends BySlot {
        private final WeakenedLendingSlot slot;

        ByWeakenedSlot(WeakenedLendingSlot.Mistake mistake) {
            slot = new WeakenedLendingSlot(mistake);
        }

        @Override
        boolean offer(LentList list) {
            return slot.offer(list);
        }

        @Override
        boolean takeBack(LentList list) {
            return slot.takeBack(list);
        }

        @Override
        LentList takeOrNull() {
            return slot.takeOrNull();
        }

        @Override
        LentList closeOrNull() {
            return slot.closeOrNull();
        }
    }

    /** A list that another carrier offers in between is lost. */
    public static class OffersInTwoSteps extends ByWeakenedSlot {
        public OffersInTwoSteps() {
            super(WeakenedLendingSlot.Mistake.OFFERS_IN_TWO_STEPS);
        }
    }

    /** A list that the helper takes in between is in two hands. */
    public static class TakesBackInTwoSteps extends ByWeakenedSlot {
        public TakesBackInTwoSteps() {
            super(WeakenedLendingSlot.Mistake.TAKES_BACK_IN_TWO_STEPS);
        }
    }

    /** A list that is offered in between is lost. */
    public static class ClosesInTwoSteps extends ByWeakenedSlot {
        public ClosesInTwoSteps() {
            super(WeakenedLendingSlot.Mistake.CLOSES_IN_TWO_STEPS);
        }
    }

    private static int number(int carrier, int time) {
        return carrier * SECOND + time;
    }
}
