package dev.lockstep.engine;

import static dev.lockstep.engine.Isolation.READ_COMMITTED;
import static dev.lockstep.engine.Isolation.READ_UNCOMMITTED;
import static dev.lockstep.engine.Isolation.REPEATABLE_READ;
import static dev.lockstep.engine.Isolation.SERIALIZABLE;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.IntToLongFunction;

/**
 * The anomalies by which isolation levels are told apart, each with schedules that show it where it is admitted: after
 * Adya (Weak Consistency, 1999) the phenomena that begin with G, after Berenson et al. (1995) P4, after Bailis et al.
 * (Highly Available Transactions, 2013) OTV and PMP. Rows 10 to 50 hold their id as the amount before each schedule.
 */
enum Anomaly {
    /** Dirty write: two transactions overwrite each other's changes in different orders. */
    G0("G0", READ_UNCOMMITTED) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Player one = schedule.one();
            Player two = schedule.two();
            one.play(actor -> actor.write(10, 11));
            two.play(actor -> actor.write(10, 12));
            two.play(actor -> actor.write(20, 22));
            two.commit();
            one.play(actor -> actor.write(20, 21));
            one.commit();
            schedule.finish();
            return (schedule.amount(10) == 11) != (schedule.amount(20) == 21);
        }
    },
    /** Aborted read: a change is seen that is taken back. */
    G1A("G1a", READ_COMMITTED) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            schedule.one().play(actor -> actor.write(10, 101));
            Played<Long> read = schedule.two().play(actor -> actor.amount(10));
            schedule.one().rollback();
            schedule.two().commit();
            schedule.finish();
            return read.is(101);
        }
    },
    /** Intermediate read: a change is seen that its own transaction changes again. */
    G1B("G1b", READ_COMMITTED) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            schedule.one().play(actor -> actor.write(10, 101));
            Played<Long> read = schedule.two().play(actor -> actor.amount(10));
            schedule.one().play(actor -> actor.write(10, 11));
            schedule.one().commit();
            schedule.two().commit();
            schedule.finish();
            return read.is(101);
        }
    },
    /** Circular information flow: each of two transactions sees what the other has written. */
    G1C("G1c", READ_COMMITTED) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            schedule.one().play(actor -> actor.write(10, 11));
            schedule.two().play(actor -> actor.write(20, 22));
            Played<Long> readByOne = schedule.one().play(actor -> actor.amount(20));
            Played<Long> readByTwo = schedule.two().play(actor -> actor.amount(10));
            schedule.one().commit();
            schedule.two().commit();
            schedule.finish();
            return schedule.bothCommitted() && readByOne.is(22) && readByTwo.is(11);
        }
    },
    /** Observed transaction vanishes: of a transaction's changes one is seen, and later another is not. */
    OTV("OTV", READ_COMMITTED) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            schedule.one().play(actor -> actor.write(10, 11));
            Played<Long> first = schedule.two().play(actor -> actor.amount(10));
            Played<Long> later = schedule.two().play(actor -> actor.amount(20));
            schedule.one().play(actor -> actor.write(20, 21));
            schedule.one().commit();
            schedule.two().commit();
            schedule.finish();
            return schedule.bothCommitted() && first.is(11) && later.is(20);
        }
    },
    /** Predicate-many-preceders: the same question is answered differently, because rows were inserted in between. */
    PMP("PMP", SERIALIZABLE) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<List<Integer>> before = schedule.one().play(actor -> actor.ids(10, 50));
            schedule.two().play(actor -> actor.insert(35, 35));
            schedule.two().commit();
            Played<List<Integer>> after = schedule.one().play(actor -> actor.ids(10, 50));
            schedule.one().commit();
            schedule.finish();
            return !before.value().equals(after.value());
        }
    },
    /** The same where rows were changed so that the question is about them now. */
    PMP_BY_INDEX("PMP", SERIALIZABLE) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<List<Long>> before = schedule.one().play(actor -> actor.amountsByIndex(32, 38));
            schedule.two().play(actor -> actor.write(10, 35));
            schedule.two().commit();
            Played<List<Long>> after = schedule.one().play(actor -> actor.amountsByIndex(32, 38));
            schedule.one().commit();
            schedule.finish();
            return !before.value().equals(after.value());
        }
    },
    /** Lost update: what one transaction writes rests on a value that another has replaced in between. */
    P4("P4", REPEATABLE_READ) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<Long> readByOne = schedule.one().play(actor -> actor.amount(10));
            Played<Long> readByTwo = schedule.two().play(actor -> actor.amount(10));
            schedule.one().play(actor -> actor.write(10, 11));
            schedule.one().commit();
            schedule.two().play(actor -> actor.write(10, 12));
            schedule.two().commit();
            schedule.finish();
            return schedule.bothCommitted() && readByOne.is(10) && readByTwo.is(10);
        }
    },
    /** Read skew: of a transaction's changes one is not seen, and later another is. */
    G_SINGLE("G-single (rows)", REPEATABLE_READ) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<Long> first = schedule.one().play(actor -> actor.amount(10));
            schedule.two().play(actor -> actor.write(10, 11));
            schedule.two().play(actor -> actor.write(20, 21));
            schedule.two().commit();
            Played<Long> later = schedule.one().play(actor -> actor.amount(20));
            schedule.one().commit();
            schedule.finish();
            return schedule.bothCommitted() && first.is(10) && later.is(21);
        }
    },
    /** Read skew where what is not seen is a new row in a range. */
    G_SINGLE_OF_RANGES("G-single (ranges)", SERIALIZABLE) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<List<Integer>> first = schedule.one().play(actor -> actor.ids(11, 19));
            schedule.two().play(actor -> actor.insert(15, 15));
            schedule.two().play(actor -> actor.write(50, 51));
            schedule.two().commit();
            Played<Long> later = schedule.one().play(actor -> actor.amount(50));
            schedule.one().commit();
            schedule.finish();
            return schedule.bothCommitted() && first.value().isEmpty() && later.is(51);
        }
    },
    /** Write skew: each of two transactions changes a row that the other has read. */
    G2_ITEM("G2-item", REPEATABLE_READ) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            for (Player player : List.of(schedule.one(), schedule.two())) {
                player.play(actor -> actor.amount(10));
                player.play(actor -> actor.amount(20));
            }
            schedule.one().play(actor -> actor.write(10, 11));
            schedule.two().play(actor -> actor.write(20, 21));
            schedule.one().commit();
            schedule.two().commit();
            schedule.finish();
            return schedule.bothCommitted();
        }
    },
    /** Write skew by phantoms: each of two transactions inserts into a range that the other has read. */
    G2("G2", SERIALIZABLE) {
        @Override
        boolean occursIn(Schedule schedule) throws Exception {
            Played<List<Integer>> readByOne = schedule.one().play(actor -> actor.ids(11, 19));
            Played<List<Integer>> readByTwo = schedule.two().play(actor -> actor.ids(21, 29));
            schedule.one().play(actor -> actor.insert(25, 25));
            schedule.two().play(actor -> actor.insert(15, 15));
            schedule.one().commit();
            schedule.two().commit();
            schedule.finish();
            return schedule.bothCommitted()
                    && readByOne.value().isEmpty()
                    && readByTwo.value().isEmpty();
        }
    };

    private final String title;
    private final Isolation weakestThatForbids;

    Anomaly(String title, Isolation weakestThatForbids) {
        this.title = title;
        this.weakestThatForbids = weakestThatForbids;
    }

    /** What documents call it. */
    String title() {
        return title;
    }

    boolean isAdmittedBy(Isolation level) {
        return level.compareTo(weakestThatForbids) < 0;
    }

    /** Plays the schedule; whether the anomaly came about. */
    abstract boolean occursIn(Schedule schedule) throws Exception;

    /** What a step gives, once its turn has come. */
    record Played<T>(Future<T> future) {
        /** Null where the transaction was rolled back before. */
        T value() throws Exception {
            return future.get();
        }

        boolean is(long expected) throws Exception {
            return Objects.equals(value(), expected);
        }
    }

    /** One of the two transactions of a schedule. A deadlock rolls it back, and the rest of its steps are left out. */
    static final class Player {
        private final Actor actor;
        private boolean rolledBack;
        private boolean committed;
        private Played<?> last;

        Player(Actor actor) {
            this.actor = actor;
        }

        /** Plays a step, up to its end or its wait for a lock; behind one that waits it is played later. */
        <T> Played<T> play(Actor.Step<T> step) {
            Played<T> played = new Played<>(actor.start(own -> playNow(own, step)));
            last = played;
            actor.awaitEndOrLockWait(played.future());
            return played;
        }

        private <T> T playNow(Actor own, Actor.Step<T> step) throws Exception {
            if (rolledBack) {
                return null;
            }
            try {
                return step.run(own);
            } catch (DeadlockException victim) {
                own.rollback();
                rolledBack = true;
                return null;
            }
        }

        void commit() {
            play(own -> {
                own.commit();
                committed = true;
                return null;
            });
        }

        void rollback() {
            play(own -> {
                own.rollback();
                rolledBack = true;
                return null;
            });
        }

        /** Returns when all steps have been played. */
        void finish() throws Exception {
            last.value();
        }

        boolean committed() {
            return committed;
        }
    }

    /** Two transactions, and the database after them. */
    record Schedule(Player one, Player two, IntToLongFunction amounts) {
        void finish() throws Exception {
            one.finish();
            two.finish();
        }

        boolean bothCommitted() {
            return one.committed() && two.committed();
        }

        long amount(int id) {
            return amounts.applyAsLong(id);
        }
    }
}
