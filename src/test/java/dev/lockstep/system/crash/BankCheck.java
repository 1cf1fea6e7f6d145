package dev.lockstep.system.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Database;
import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares a recovered {@link Bank} with what its journal says, and the journal with what was acknowledged. */
final class BankCheck {
    private final Database database;
    private final String round;
    private final int[] lastSequences = new int[CrashChild.WORKERS];
    private final long[] balances = new long[Bank.ACCOUNT_COUNT];
    private final Map<Integer, String> items = new TreeMap<>();
    private final List<Long> stamps = new ArrayList<>();

    private BankCheck(Database database, String round) {
        this.database = database;
        this.round = round;
    }

    /**
     * Checks everything.
     *
     * @param round for messages
     * @param stamped whether the transactions carry the order of their commits
     * @return the sequence number of every worker's last transaction
     */
    static int[] check(Database database, String round, boolean stamped) {
        BankCheck check = new BankCheck(database, round);
        database.validate();
        database.run(transaction -> {
            check.replay(transaction);
            check.accounts(transaction);
            check.items(transaction);
            if (stamped) {
                check.clock(transaction);
            }
            for (String table : database.tableNames()) {
                check.indexes(transaction, database.table(table));
            }
        });
        return check.lastSequences;
    }

    private static String describe(int kind, String payload) {
        return "kind=" + kind + " length=" + payload.length() + " hash=" + payload.hashCode();
    }

    private void replay(Transaction transaction) {
        java.util.Arrays.fill(balances, Bank.BALANCE_FIRST);
        Table journal = database.table(Bank.JOURNAL);
        Record entry = journal.newRecord();
        try (Cursor entries = transaction.scan(journal)) {
            while (entries.next(entry)) {
                int worker = entry.getInt(Bank.WORKER);
                lastSequences[worker]++;
                assertEquals(
                        lastSequences[worker],
                        entry.getInt(Bank.SEQUENCE),
                        () -> round + ": a transaction of worker " + worker + " is lost between others");
                balances[entry.getInt(Bank.FROM)] -= entry.getLong(Bank.MOVED);
                balances[entry.getInt(Bank.TO)] += entry.getLong(Bank.MOVED);
                int item = entry.getInt(Bank.ITEM);
                int length = entry.getInt(Bank.PAYLOAD_LENGTH);
                if (length == Bank.NO_PAYLOAD) {
                    items.remove(item);
                } else {
                    items.put(item, describe(entry.getInt(Bank.GROUP), Bank.payload(item, length)));
                }
                stamps.add(entry.getLong(Bank.STAMP));
            }
        }
    }

    private void accounts(Transaction transaction) {
        Table accounts = database.table(Bank.ACCOUNTS);
        Record account = accounts.newRecord();
        int count = 0;
        try (Cursor cursor = transaction.scan(accounts)) {
            while (cursor.next(account)) {
                int id = account.getInt(Bank.ID);
                assertEquals(count++, id, round);
                assertEquals(balances[id], account.getLong(Bank.AMOUNT), () -> round + ": balance of account " + id);
            }
        }
        assertEquals(Bank.ACCOUNT_COUNT, count, round);
    }

    private void items(Transaction transaction) {
        Table table = database.table(Bank.ITEMS);
        Record item = table.newRecord();
        Map<Integer, String> found = new TreeMap<>();
        try (Cursor cursor = transaction.scan(table)) {
            while (cursor.next(item)) {
                found.put(
                        item.getInt(Bank.ID),
                        describe(item.getInt(Bank.ITEM_GROUP), item.getString(Bank.ITEM_PAYLOAD)));
            }
        }
        assertEquals(items.keySet(), found.keySet(), () -> round + ": items");
        for (Map.Entry<Integer, String> expected : items.entrySet()) {
            assertEquals(
                    expected.getValue(), found.get(expected.getKey()), () -> round + ": item " + expected.getKey());
        }
    }

    /** Commits take their stamps in the order of their log records, so what was lost is a suffix of them. */
    private void clock(Transaction transaction) {
        stamps.sort(null);
        for (int i = 0; i < stamps.size(); i++) {
            assertEquals(i + 1, stamps.get(i), () -> round + ": a commit is lost that came before others");
        }
        Table clock = database.table(Bank.CLOCK);
        Record time = clock.newRecord();
        assertTrue(transaction.fetch(clock, clock.newKey().add(0), time), round);
        assertEquals(stamps.size(), time.getLong(Bank.AMOUNT), () -> round + ": the clock");
    }

    /** Every row has its entry in every index, in its place, and there are no others. */
    private void indexes(Transaction transaction, Table table) {
        for (IndexDefinition index : table.definition().indexes()) {
            List<String> rows = new ArrayList<>();
            List<String> entries = new ArrayList<>();
            Record row = table.newRecord();
            try (Cursor cursor = transaction.scan(table)) {
                while (cursor.next(row)) {
                    rows.add(row.toString());
                }
            }
            try (Cursor cursor = transaction.scan(table, index.name())) {
                while (cursor.next(row)) {
                    entries.add(row.toString());
                }
            }
            rows.sort(null);
            entries.sort(null);
            assertEquals(rows, entries, () -> round + ": index " + index.name() + " of " + table.name());
        }
    }
}
