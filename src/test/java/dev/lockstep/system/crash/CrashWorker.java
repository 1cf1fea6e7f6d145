package dev.lockstep.system.crash;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.LockTimeoutException;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Savepoint;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import dev.lockstep.engine.TransactionOptions;
import java.util.Random;

/**
 * One thread of the child. Each of its transactions moves money between two accounts, puts, changes or removes an item,
 * and enters both in the journal; some are rolled back, as a whole or in part. The first worker also writes checkpoints
 * and makes and drops an index.
 */
final class CrashWorker implements Runnable {
    /** Says that a commit was answered. */
    @FunctionalInterface
    interface Acknowledgements {
        void say(int worker, int sequence);
    }

    /** What the journal says after the rollback of a transaction that changed its mind. */
    private static final class ChangedMindException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The end of a child that nobody kills: far more than any round waits for. */
    private static final int TRANSACTIONS_MAX = 1_000_000;

    private static final int ITEM_CHOICES = 80;
    private static final int KINDS = 10;
    private static final String EXTRA_INDEX = "by_kind_and_id";

    private final Database database;
    private final Durability durability;
    private final int worker;
    private final boolean stamped;
    private final Random random;
    private final Acknowledgements acknowledgements;
    private final Table accounts;
    private final Table items;
    private final Table journal;
    private final Table clock;
    private final Record account;
    private final Record item;
    private final Record entry;
    private final Record time;

    CrashWorker(
            Database database,
            Durability durability,
            int worker,
            long seed,
            boolean stamped,
            Acknowledgements acknowledgements) {
        this.database = database;
        this.durability = durability;
        this.worker = worker;
        this.stamped = stamped;
        this.acknowledgements = acknowledgements;
        random = new Random(seed * CrashChild.WORKERS + worker);
        accounts = database.table(Bank.ACCOUNTS);
        items = database.table(Bank.ITEMS);
        journal = database.table(Bank.JOURNAL);
        clock = database.table(Bank.CLOCK);
        account = accounts.newRecord();
        item = items.newRecord();
        entry = journal.newRecord();
        time = clock.newRecord();
    }

    @Override
    public void run() {
        TransactionOptions options =
                TransactionOptions.of(Bank.options(durability)).withRetries(TransactionOptions.RETRY_COUNT_MAX);
        try (Session session = database.openSession()) {
            int sequence = session.call(options, this::lastSequence);
            for (int i = 0; i < TRANSACTIONS_MAX; i++) {
                int next = sequence + 1;
                try {
                    session.call(options, transaction -> {
                        work(transaction, next);
                        return null;
                    });
                    sequence = next;
                    acknowledgements.say(worker, sequence);
                } catch (ChangedMindException e) {
                    // Rolled back: the same sequence number is tried again with other choices.
                }
                if (worker == 0) {
                    maintain();
                }
            }
        }
    }

    private int lastSequence(Transaction transaction) {
        try (Cursor entries =
                transaction.scan(journal).within(journal.newKey().add(worker)).backward()) {
            return entries.next(entry) ? entry.getInt(Bank.SEQUENCE) : 0;
        }
    }

    private void work(Transaction transaction, int sequence) {
        entry.clear();
        entry.setInt(Bank.WORKER, worker);
        entry.setInt(Bank.SEQUENCE, sequence);
        entry.setLong(Bank.STAMP, 0);
        move(transaction);
        changeItem(transaction);
        if (random.nextInt(6) == 0) {
            Savepoint before = transaction.savepoint();
            Record kept = journal.newRecord().copyFrom(entry);
            changeItem(transaction);
            changeItem(transaction);
            transaction.rollbackTo(before);
            entry.copyFrom(kept);
        }
        if (stamped) {
            transaction.fetchForUpdate(clock, clock.newKey().add(0), time);
            time.setLong(Bank.AMOUNT, time.getLong(Bank.AMOUNT) + 1);
            transaction.update(clock, time);
            entry.setLong(Bank.STAMP, time.getLong(Bank.AMOUNT));
        }
        transaction.insert(journal, entry);
        if (random.nextInt(8) == 0) {
            throw new ChangedMindException();
        }
    }

    private void move(Transaction transaction) {
        int from = random.nextInt(Bank.ACCOUNT_COUNT);
        int to = (from + 1 + random.nextInt(Bank.ACCOUNT_COUNT - 1)) % Bank.ACCOUNT_COUNT;
        long amount = random.nextInt(50);
        add(transaction, from, -amount);
        add(transaction, to, amount);
        entry.setInt(Bank.FROM, from);
        entry.setInt(Bank.TO, to);
        entry.setLong(Bank.MOVED, amount);
    }

    private void add(Transaction transaction, int id, long amount) {
        if (!transaction.fetchForUpdate(accounts, accounts.newKey().add(id), account)) {
            throw new IllegalStateException("an account is gone: id=" + id);
        }
        account.setLong(Bank.AMOUNT, account.getLong(Bank.AMOUNT) + amount);
        transaction.update(accounts, account);
    }

    private void changeItem(Transaction transaction) {
        int id = worker * Bank.ITEMS_PER_WORKER + random.nextInt(ITEM_CHOICES);
        int kind = random.nextInt(KINDS);
        int length = random.nextInt(12) == 0 ? 5_000 + random.nextInt(20_000) : random.nextInt(1_500);
        boolean there = transaction.fetchForUpdate(items, items.newKey().add(id), item);
        boolean remove = there && random.nextInt(3) == 0;
        if (remove) {
            transaction.delete(items, items.newKey().add(id));
            length = Bank.NO_PAYLOAD;
        } else if (there && random.nextBoolean()) {
            put(id, kind, length);
            transaction.update(items, item);
        } else {
            if (there) {
                transaction.delete(items, items.newKey().add(id));
            }
            put(id, kind, length);
            transaction.insert(items, item);
        }
        entry.setInt(Bank.ITEM, id);
        entry.setInt(Bank.GROUP, kind);
        entry.setInt(Bank.PAYLOAD_LENGTH, length);
    }

    private void put(int id, int kind, int length) {
        item.clear();
        item.setInt(Bank.ID, id);
        item.setInt(Bank.ITEM_GROUP, kind);
        item.setString(Bank.ITEM_PAYLOAD, Bank.payload(id, length));
    }

    /** Checkpoints and changes of the schema; the latter may lose a deadlock like any transaction. */
    private void maintain() {
        if (random.nextInt(20) == 0) {
            database.checkpoint();
        }
        if (random.nextInt(40) == 0) {
            boolean there = items.definition().indexes().stream()
                    .anyMatch(index -> index.name().equals(EXTRA_INDEX));
            try {
                if (there) {
                    database.dropIndex(Bank.ITEMS, EXTRA_INDEX);
                } else {
                    database.createIndex(IndexDefinition.of(EXTRA_INDEX, Bank.ITEMS, "kind", "id"));
                }
            } catch (dev.lockstep.engine.DeadlockException | LockTimeoutException e) {
                // The index stays as it was, and is tried again another time.
            }
        }
    }
}
