package dev.lockstep.engine;

import dev.lockstep.engine.instance.FetchTeam;
import dev.lockstep.engine.instance.TableAccess;
import dev.lockstep.engine.lock.LockMode;
import java.util.Arrays;
import java.util.Objects;

/**
 * One row each for several transactions of the same thread, fetched with one call: the thread runs the stages of all
 * fetches in a loop, so that while one of them waits for memory the others go on, and each finds the code of its stage
 * where the one before has left it. For a thread that serves many transactions at once.
 *
 * <pre>{@code
 * team.clear();
 * for (Client client : clients) { team.add(client.transaction(), client.record()).add(client.wanted()); }
 * team.fetch();
 * for (int i = 0; i < team.size(); i++) {
 *     boolean found = team.left(i) ? transaction(i).fetch(table, team.key(i), record(i)) : team.found(i);
 * }
 * }</pre>
 *
 * <p>A team waits for nobody (STEPS, 4.1.3): a member that would have to wait, for a lock of the row or of the table or
 * for a page that is not in the pool, {@linkplain #left leaves} the team without its row. Its transaction fetches the
 * row by itself, and waits, when its thread has time for that: whoever holds the lock may be another transaction of
 * this same thread, which then has to end first. A member leaves too whose snapshot is too old to be read; its own
 * fetch says so. Any other failure is one of all members, whose transactions can then only be rolled back. Two kinds of
 * members wait for pages all the same, though for no lock: those that read a snapshot, and those whose row stays locked
 * and has a value in overflow pages.
 *
 * <p>Made to be reused, like the keys that it holds. Not thread-safe.
 */
public final class TeamFetch {
    private final Table table;
    private final Key[] keys;
    private final Transaction[] transactions;
    private final TableAccess[] accesses;
    private final Record[] records;
    private final boolean[] found;
    private final boolean[] left;
    private final FetchTeam team = new FetchTeam();
    private int size;

    TeamFetch(Table table, int capacity) {
        this.table = table;
        keys = new Key[capacity];
        transactions = new Transaction[capacity];
        accesses = new TableAccess[capacity];
        records = new Record[capacity];
        found = new boolean[capacity];
        left = new boolean[capacity];
        for (int i = 0; i < capacity; i++) {
            keys[i] = table.newKey();
        }
    }

    /**
     * The largest number of members.
     *
     * @return the capacity, at least 1
     */
    public int capacity() {
        return keys.length;
    }

    /**
     * How many members were added.
     *
     * @return the number of fetches
     */
    public int size() {
        return size;
    }

    /** Forgets the members; the team is empty again. */
    public void clear() {
        Arrays.fill(transactions, 0, size, null);
        Arrays.fill(records, 0, size, null);
        Arrays.fill(accesses, 0, size, null);
        size = 0;
    }

    /**
     * Adds a member.
     *
     * @param transaction an open one of the thread that will fetch, in the team once
     * @param into takes the row; a record of its own
     * @return the primary key to fetch, empty, to be filled with all its columns
     * @throws TransactionStateException if the team is full; it is as it was
     */
    public Key add(Transaction transaction, Record into) {
        if (BatchErrors.isOutside(size, keys.length)) {
            throw BatchErrors.full(keys.length);
        }
        transactions[size] = Objects.requireNonNull(transaction, "transaction");
        records[size] = Objects.requireNonNull(into, "into");
        found[size] = false;
        left[size] = false;
        return keys[size++].reset();
    }

    /**
     * Fetches the rows for reading, each at the isolation level of its transaction, in whatever order.
     *
     * @return how many members have left
     * @throws TransactionStateException if a transaction is in the team twice, or not open
     * @throws WrongThreadException if a transaction belongs to another thread
     */
    public int fetch() {
        return fetch(LockMode.NONE);
    }

    /**
     * Fetches rows that will surely be changed, in whatever order; see {@link Transaction#fetchExclusive}.
     *
     * @return how many members have left
     * @throws TransactionStateException if a transaction is in the team twice, or not open
     * @throws WrongThreadException if a transaction belongs to another thread
     */
    public int fetchExclusive() {
        return fetch(LockMode.KEY_X);
    }

    private int fetch(int changeMode) {
        int entered = 0;
        try {
            for (; entered < size; entered++) {
                enter(entered, changeMode == LockMode.NONE ? LockMode.IS : LockMode.IX);
            }
        } catch (RuntimeException | Error failure) {
            for (int i = 0; i < entered; i++) {
                transactions[i].gate().leave();
            }
            throw failure;
        }
        try {
            int leftCount = team.fetch(accesses, keys, records, found, left, size, changeMode);
            for (int i = 0; i < size; i++) {
                transactions[i].gate().leave();
            }
            return leftCount;
        } catch (RuntimeException | Error failure) {
            // Nobody knows how far each of them was.
            boolean misplaced = isMisplaced(failure);
            for (int i = 0; i < size; i++) {
                transactions[i].gate().failedInTeam(failure, misplaced);
            }
            throw failure;
        } finally {
            for (int i = 0; i < size; i++) {
                records[i].abandonLoad();
            }
        }
    }

    /** Whether it struck at a place that nobody knows; if not, one of the members does. */
    private boolean isMisplaced(Throwable failure) {
        for (int i = 0; i < size; i++) {
            if (!transactions[i].core().isMisplaced(failure)) {
                return false;
            }
        }
        return true;
    }

    private void enter(int member, int tableMode) {
        Transaction transaction = transactions[member];
        TransactionGate gate = transaction.gate();
        gate.requireThread();
        if (gate.isInEngine()) {
            throw new TransactionStateException(Message.of("the transaction is in the team already")
                    .with("member", member)
                    .remedy("fetch several rows of one transaction with a RowBatch"));
        }
        gate.requireOpen();
        if (member == 0) {
            // One thread runs the statements of all, on one stack.
            transaction.core().reserveStack();
        }
        TableAccess access = transaction.tryOpenWithinReserve(table.reference(), tableMode);
        if (access != null) {
            access.checks().requireComplete(keys[member]);
            access.checks().requireReadable(records[member]);
        }
        accesses[member] = access;
        gate.enter();
    }

    /**
     * Whether there is a row.
     *
     * @param member its position, in the order in which they were added
     * @return false if there is no row with that key, and if the member has left
     * @throws IndexOutOfBoundsException if the team has no such member, which is a mistake of the caller
     */
    public boolean found(int member) {
        if (BatchErrors.isOutside(member, size)) {
            throw BatchErrors.noSuchMember(member, size);
        }
        return found[member];
    }

    /**
     * Whether a member has left the team, because it would have had to wait.
     *
     * @param member its position, in the order in which they were added
     * @return true if its row was not read; its transaction may have locked it
     * @throws IndexOutOfBoundsException if the team has no such member, which is a mistake of the caller
     */
    public boolean left(int member) {
        if (BatchErrors.isOutside(member, size)) {
            throw BatchErrors.noSuchMember(member, size);
        }
        return left[member];
    }

    /**
     * The key of a member.
     *
     * @param member its position, in the order in which they were added
     * @return the key that {@link #add} gave out
     * @throws IndexOutOfBoundsException if the team has no such member, which is a mistake of the caller
     */
    public Key key(int member) {
        if (BatchErrors.isOutside(member, size)) {
            throw BatchErrors.noSuchMember(member, size);
        }
        return keys[member];
    }
}
