package dev.lockstep.system.crash;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.Table;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.type.ColumnType;

/**
 * The database that the child works on: accounts between which it moves money, items that come, change and go, and a
 * journal in which every transaction enters what it does, so that the journal alone says what the other two must hold.
 */
final class Bank {
    static final String ACCOUNTS = "account";
    static final String ITEMS = "item";
    static final String JOURNAL = "journal";
    static final String CLOCK = "clock";

    static final int ACCOUNT_COUNT = 60;
    static final long BALANCE_FIRST = 1_000;

    /** Ids of items of different workers do not meet. */
    static final int ITEMS_PER_WORKER = 1_000;

    /** The item of the journal entry is gone. */
    static final int NO_PAYLOAD = -1;

    // Columns of account and of clock.
    static final int ID = 0;
    static final int AMOUNT = 1;

    // Columns of item.
    static final int ITEM_GROUP = 1;
    static final int ITEM_PAYLOAD = 2;

    // Columns of journal.
    static final int WORKER = 0;
    static final int SEQUENCE = 1;
    static final int FROM = 2;
    static final int TO = 3;
    static final int MOVED = 4;
    static final int ITEM = 5;
    static final int GROUP = 6;
    static final int PAYLOAD_LENGTH = 7;
    static final int STAMP = 8;

    /** A payload has letters that depend on its length and its item, in a rotation of this many. */
    private static final int LETTERS = 26;

    private static final int PAYLOAD_LENGTH_MAX = 100_000;

    private Bank() {}

    /** A pool too small for the data, so that pages are evicted, and log files so small that several are used. */
    static DatabaseOptions options(Durability durability) {
        return DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(durability)
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .logSegmentBytes(DatabaseOptions.LOG_SEGMENT_BYTES_MIN)
                .build();
    }

    static void create(Database database) {
        Table accounts = database.createTable(TableDefinition.named(ACCOUNTS)
                .column("id", ColumnType.int32())
                .column("balance", ColumnType.int64())
                .primaryKey("id")
                .index("by_balance", "balance")
                .build());
        database.createTable(TableDefinition.named(ITEMS)
                .column("id", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .column("payload", ColumnType.string(PAYLOAD_LENGTH_MAX))
                .primaryKey("id")
                .index("by_kind", "kind")
                .build());
        database.createTable(TableDefinition.named(JOURNAL)
                .column("worker", ColumnType.int32())
                .column("sequence", ColumnType.int32())
                .column("source", ColumnType.int32())
                .column("target", ColumnType.int32())
                .column("moved", ColumnType.int64())
                .column("item", ColumnType.int32())
                .column("kind", ColumnType.int32())
                .column("payload_length", ColumnType.int32())
                .column("stamp", ColumnType.int64())
                .primaryKey("worker", "sequence")
                .uniqueIndex("by_entry", "sequence", "worker")
                .build());
        Table clock = database.createTable(TableDefinition.named(CLOCK)
                .column("id", ColumnType.int32())
                .column("time", ColumnType.int64())
                .primaryKey("id")
                .build());
        database.run(transaction -> {
            Record account = accounts.newRecord();
            for (int id = 0; id < ACCOUNT_COUNT; id++) {
                account.clear();
                account.setInt(ID, id);
                account.setLong(AMOUNT, BALANCE_FIRST);
                transaction.insert(accounts, account);
            }
            Record time = clock.newRecord();
            time.setInt(ID, 0);
            time.setLong(AMOUNT, 0);
            transaction.insert(clock, time);
        });
    }

    static String payload(int item, int length) {
        StringBuilder payload = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            payload.append((char) ('a' + (i + item + length) % LETTERS));
        }
        return payload.toString();
    }
}
