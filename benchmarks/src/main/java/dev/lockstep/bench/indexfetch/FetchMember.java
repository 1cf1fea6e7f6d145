package dev.lockstep.bench.indexfetch;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TeamFetch;
import dev.lockstep.engine.Transaction;
import java.util.SplittableRandom;

/**
 * A member of a team: a session with its transactions, which operates on rows at random. Those of a team want different
 * rows, so that none waits for another's lock. Used by one thread.
 */
final class FetchMember implements AutoCloseable {
    private final FetchTable of;
    private final Table table;
    private final RowOperation operation;
    private final int index;
    private final int members;
    private final int rowsEach;
    private final Session session;
    private final Key key;
    private final Record record;
    private final SplittableRandom random;
    private Transaction transaction;
    private long left;

    /**
     * Opens its session.
     *
     * @param index of the member, from 0 to one less than {@code members}
     * @param seed of its team's rows
     */
    FetchMember(FetchTable of, RowOperation operation, int index, int members, long seed) {
        this.of = of;
        table = of.table();
        this.operation = operation;
        this.index = index;
        this.members = members;
        rowsEach = (int) (of.rows() / members);
        session = of.database().openSession();
        key = table.newKey();
        record = table.newRecord();
        random = new SplittableRandom(seed + index);
    }

    void begin() {
        transaction = session.begin();
    }

    void commit() {
        transaction.commit();
    }

    /** Operations whose member left its team, and did them alone. */
    long left() {
        return left;
    }

    private int nextId() {
        return random.nextInt(rowsEach) * members + index;
    }

    /** One operation on a row at random. */
    void operate() {
        if (operation == RowOperation.INSERT8) {
            of.setNext(record);
            transaction.insert(table, record);
            return;
        }
        key.reset().add(nextId());
        fetchAlone(key);
        finish();
    }

    private void fetchAlone(Key wanted) {
        boolean found = operation == RowOperation.FETCH
                ? transaction.fetch(table, wanted, record)
                : transaction.fetchExclusive(table, wanted, record);
        requireFound(found);
    }

    private static void requireFound(boolean found) {
        if (!found) {
            throw new IllegalStateException("a row is missing");
        }
    }

    /** Joins a team with a row at random. */
    void join(TeamFetch team) {
        team.add(transaction, record).add(nextId());
    }

    /** Ends the operation that the team has begun. */
    void finish(TeamFetch team, int member) {
        if (team.left(member)) {
            left++;
            fetchAlone(team.key(member));
        } else {
            requireFound(team.found(member));
        }
        finish();
    }

    private void finish() {
        if (operation == RowOperation.UPDATE) {
            record.setInt(FetchTable.CHANGED, record.getInt(FetchTable.CHANGED) + 1);
            transaction.update(table, record);
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
