package dev.lockstep.engine.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many commits share a force, in a model of one processor whose time passes only as the model says. */
class LogGatherPolicyTest {
    private static final long SEED = 3_180_427L;
    private static final long MICRO = 1_000;
    private static final long TRANSACTION_NANOS = 25 * MICRO;

    private final Random random = new Random(SEED);

    /** Threads that run transactions one after the other on one processor, and the writer's loop. */
    private final class Model {
        private final LogGatherPolicy policy = new LogGatherPolicy();
        private final long forceNanos;
        private final long transactionNanos;
        private int running;
        private int waiting;
        private long now = 1;
        private long idleNanos;
        private long commits;
        private int gatherings;
        private int gatheringsInVain;
        private long patienceNanosMax;

        Model(int threads, long transactionNanos, long forceNanos) {
            running = threads;
            this.transactionNanos = transactionNanos;
            this.forceNanos = forceNanos;
        }

        /** Lets threads begin or go away. */
        void threads(int count) {
            running = count - waiting;
            assertTrue(running >= 0);
        }

        /** Runs transactions until a time, at most as many as there are threads that do not wait. */
        private void runUntil(long time, int waitingEnough) {
            while (running > 0 && waiting < waitingEnough) {
                // Most take half the mean, one in ten takes five times as much.
                long nanos = random.nextInt(10) == 0 ? 11 * transactionNanos / 2 : transactionNanos / 2;
                if (now + nanos > time) {
                    break;
                }
                now += nanos;
                running--;
                waiting++;
            }
        }

        void force() {
            if (waiting == 0) {
                runUntil(Long.MAX_VALUE, 1);
            }
            int groupSize = policy.groupSize(waiting);
            if (waiting < groupSize) {
                long patienceNanos = policy.patienceNanos(waiting, groupSize);
                patienceNanosMax = Math.max(patienceNanosMax, patienceNanos);
                long end = now + patienceNanos;
                policy.gatherBegins(now, waiting);
                gatherings++;
                runUntil(end, groupSize);
                if (waiting < groupSize) {
                    gatheringsInVain++;
                    idleNanos += end - now;
                    now = end;
                }
                policy.gatherEnds(now, waiting);
            }
            int group = waiting;
            long begin = now;
            // Forces differ by a factor of two.
            long nanos = forceNanos * (random.nextInt(70) + 65) / 100;
            runUntil(begin + nanos, Integer.MAX_VALUE);
            if (running == 0) {
                idleNanos += begin + nanos - now;
            }
            now = begin + nanos;
            policy.forced(nanos, group, waiting);
            waiting -= group;
            running += group;
            commits += group;
        }

        void forces(int count) {
            for (int i = 0; i < count; i++) {
                force();
            }
        }

        /** Forgets what was counted while the policy was learning. */
        void count() {
            commits = 0;
            idleNanos = 0;
            gatherings = 0;
            gatheringsInVain = 0;
        }
    }

    @Test
    void manyThreadsShareForcesAndKeepTheProcessorBusy() {
        for (int threads : new int[] {50, 100, 200}) {
            Model model = new Model(threads, TRANSACTION_NANOS, 250 * MICRO);
            model.forces(200);
            model.count();
            long begin = model.now;
            model.forces(1_000);
            String figures = "seed=" + SEED + " threads=" + threads + " commits=" + model.commits + " idleNanos="
                    + model.idleNanos + " nanos=" + (model.now - begin);
            assertTrue(model.commits >= 1_000L * threads / 2, figures);
            assertTrue(model.idleNanos <= (model.now - begin) / 10, figures);
        }
    }

    @Test
    void aSlowForceBeginsWhileEnoughThreadsAreLeftToRunBesideIt() {
        Model model = new Model(1_000, TRANSACTION_NANOS, 5_250 * MICRO);
        model.forces(200);
        model.count();
        long begin = model.now;
        model.forces(1_000);
        String figures = "seed=" + SEED + " commits=" + model.commits + " idleNanos=" + model.idleNanos + " nanos="
                + (model.now - begin);
        assertTrue(model.commits >= 1_000L * 200, figures);
        assertTrue(model.idleNanos <= (model.now - begin) / 10, figures);
    }

    @Test
    void whereTheDiskSetsThePaceAForceServesAll() {
        int threads = 20;
        Model model = new Model(threads, TRANSACTION_NANOS, 5_000 * MICRO);
        model.forces(100);
        model.count();
        model.forces(1_000);
        assertTrue(model.commits >= 1_000L * threads * 9 / 10, "seed=" + SEED + " commits=" + model.commits);
    }

    @Test
    void whoCommitsAloneIsNeverHeldUp() {
        Model model = new Model(1, TRANSACTION_NANOS, 250 * MICRO);
        model.forces(1_000);
        assertEquals(0, model.gatherings);
        assertEquals(1_000, model.commits);
    }

    @Test
    void whoIsLeftAloneIsHeldUpOnce() {
        Model model = new Model(100, TRANSACTION_NANOS, 250 * MICRO);
        model.forces(200);
        // Those that wait are answered first.
        while (model.waiting > 0) {
            model.running = 0;
            model.force();
        }
        model.threads(1);
        model.count();
        model.forces(1_000);
        assertTrue(model.gatheringsInVain <= 1, "seed=" + SEED + " gatheringsInVain=" + model.gatheringsInVain);
        assertEquals(model.gatheringsInVain, model.gatherings);
    }

    @Test
    void commitsThatComeTogetherByChanceHoldUpTheNextOneOnce() {
        LogGatherPolicy policy = new LogGatherPolicy();
        policy.forced(250 * MICRO, 1, 4);
        policy.forced(250 * MICRO, 3, 3);
        int groupSize = policy.groupSize(1);
        assertTrue(groupSize > 1);
        policy.gatherBegins(0, 1);
        policy.gatherEnds(policy.patienceNanos(1, groupSize), 1);
        for (int round = 0; round < 20; round++) {
            policy.forced(250 * MICRO, 1, 1);
            assertTrue(policy.groupSize(1) <= 1, "round=" + round);
        }
    }

    @Test
    void noForceIsPutOffLongerThanTheLimit() {
        for (long transactionNanos : new long[] {MICRO, TRANSACTION_NANOS, 2_000 * MICRO}) {
            Model model = new Model(300, transactionNanos, 30_000 * MICRO);
            for (int i = 0; i < 500; i++) {
                if (model.waiting == 0) {
                    model.threads(1 + random.nextInt(300));
                }
                model.force();
            }
            assertTrue(model.gatherings > 0, "seed=" + SEED + " transactionNanos=" + transactionNanos);
            assertTrue(model.patienceNanosMax <= LogGatherPolicy.PATIENCE_NANOS_MAX, "seed=" + SEED);
        }
    }

    @Test
    void aGroupHasALimit() {
        Model model = new Model(5_000, MICRO, 100 * MICRO);
        model.forces(500);
        assertTrue(model.policy.groupSize(0) <= LogGatherPolicy.GROUP_MAX);
        assertTrue(model.policy.groupSize(0) >= LogGatherPolicy.GROUP_MAX / 2, "seed=" + SEED);
    }
}
