package dev.lockstep.bench.prove.isolation;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Table;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.DeadlockException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.type.ColumnType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Makes deadlocks and takes the time from the request that closes each to the error in the victim's hands, the time
 * that its thread takes to wake up included. Virtual threads lock a row each and then all at once ask for the row of
 * their neighbour.
 *
 * <p>Used by one thread.
 */
final class DeadlockRings implements AutoCloseable {
    /** How soon a deadlock has to be found. */
    static final long FOUND_NANOS_MAX = 10_000_000;

    private static final double NANOS_PER_MICROSECOND = 1_000;

    private final Database database = Database.inMemory(DatabaseOptions.defaults());
    private final dev.lockstep.engine.Table table;
    private final int membersMax;

    /**
     * @param membersMax the most members that a deadlock will have
     */
    DeadlockRings(int membersMax) {
        this.membersMax = membersMax;
        table = database.createTable(TableDefinition.named("ring")
                .column("member", ColumnType.int32())
                .column("round", ColumnType.int64())
                .primaryKey("member")
                .build());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int i = 0; i < membersMax; i++) {
                row.clear();
                row.setInt(0, i);
                row.setLong(1, 0);
                transaction.insert(table, row);
            }
        });
    }

    /**
     * How long deadlocks lasted.
     *
     * @param members of each
     * @param nanos one for each deadlock, ascending; at least one, the largest number where there was no victim
     * @param wrongVictims how many had a victim that was not their youngest member, or not exactly one
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    record Times(int members, long[] nanos, int wrongVictims) {
        private long nanos(double share) {
            return nanos[(int) Math.min(nanos.length - 1L, Math.round(share * nanos.length))];
        }

        private String micros(double share) {
            return Figures.plain(nanos(share) / NANOS_PER_MICROSECOND);
        }

        /** How many were found later than {@link #FOUND_NANOS_MAX}. */
        long late() {
            return Arrays.stream(nanos).filter(each -> each > FOUND_NANOS_MAX).count();
        }

        /** Whether most of them were. */
        boolean isMostlyLate() {
            return nanos(0.5) > FOUND_NANOS_MAX;
        }

        List<String> row() {
            return List.of(
                    Integer.toString(members),
                    Integer.toString(nanos.length),
                    micros(0.5),
                    micros(0.99),
                    micros(1),
                    Long.toString(late()),
                    Integer.toString(wrongVictims));
        }
    }

    static Table table(List<Times> all) {
        Table.Builder table = Table.of(
                1,
                "members",
                "deadlocks",
                "median, µs",
                "99th percentile, µs",
                "longest, µs",
                "later than 10 ms",
                "wrong victims");
        all.forEach(times -> table.row(times.row()));
        return table.build();
    }

    /** Makes deadlocks of so many members, one after the other. */
    Times measure(int members, int deadlocks) throws InterruptedException {
        if (members < 2 || members > membersMax) {
            throw new IllegalArgumentException("members=" + members + " membersMax=" + membersMax);
        }
        long[] nanos = new long[deadlocks];
        int wrongVictims = 0;
        for (int i = 0; i < deadlocks; i++) {
            List<Member> ring = run(members);
            long closed = ring.getFirst().requestNanos;
            Member victim = null;
            int victims = 0;
            for (Member member : ring) {
                closed = Math.max(closed, member.requestNanos);
                if (member.failureNanos != 0) {
                    victim = member;
                    victims++;
                }
            }
            boolean right = victims == 1 && victim == ring.getLast();
            wrongVictims += right ? 0 : 1;
            nanos[i] = victim == null ? Long.MAX_VALUE : victim.failureNanos - closed;
        }
        Arrays.sort(nanos);
        return new Times(members, nanos, wrongVictims);
    }

    private List<Member> run(int members) throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        List<Member> ring = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            Member member = new Member(i, (i + 1) % members, go);
            ring.add(member);
            threads.add(Thread.ofVirtual().name("member-" + i).start(member));
            // One begins after the other, so that it is known which is the youngest.
            member.ready.await();
        }
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return ring;
    }

    /** A transaction of a ring. */
    private final class Member implements Runnable {
        private final int own;
        private final int next;
        private final CountDownLatch go;
        private final CountDownLatch ready = new CountDownLatch(1);
        private long requestNanos;
        private long failureNanos;

        Member(int own, int next, CountDownLatch go) {
            this.own = own;
            this.next = next;
            this.go = go;
        }

        @Override
        public void run() {
            Record row = table.newRecord();
            try (Session session = database.openSession()) {
                Transaction transaction = session.begin();
                try {
                    transaction.fetchExclusive(table, table.newKey().add(own), row);
                    ready.countDown();
                    go.await();
                    requestNanos = System.nanoTime();
                    transaction.fetchExclusive(table, table.newKey().add(next), row);
                } catch (DeadlockException victim) {
                    failureNanos = System.nanoTime();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    ready.countDown();
                    transaction.rollback();
                }
            }
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
