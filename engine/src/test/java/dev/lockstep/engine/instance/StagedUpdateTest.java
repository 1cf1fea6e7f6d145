package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.lock.CountedStripes;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.operation.OverflowingUpdate;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.scheduler.StagedWork;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the leader of a team does with the updates of its members, step by step on one thread. */
class StagedUpdateTest {
    private static final int MEMBERS = 6;
    private static final TableDefinition ACCOUNTS = TableDefinition.named("account")
            .column("id", ColumnType.int32())
            .column("amount", ColumnType.int64())
            .primaryKey("id")
            .build();

    private final CountedStripes stripes = new CountedStripes();
    private Instance instance;
    private TableReference table;
    private final SessionCore[] sessions = new SessionCore[MEMBERS];
    private final TableAccess[] accesses = new TableAccess[MEMBERS];
    private final Record[] rows = new Record[MEMBERS];
    private final StagedWork[] team = new StagedWork[MEMBERS];

    @BeforeEach
    void open() {
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .createIfMissing(true)
                .build();
        instance = stripes.opening(
                () -> new InstanceOpener(options, null).open(new FaultyStorage(1), Path.of("/database")));
        table = instance.schema().createTable(ACCOUNTS);
        for (int member = 0; member < MEMBERS; member++) {
            sessions[member] = instance.newSession();
            rows[member] = new Record(ACCOUNTS);
        }
        begin(0);
        for (int id = 0; id < MEMBERS; id++) {
            accesses[0].insert(filled(new Record(ACCOUNTS), id, id));
        }
        sessions[0].commit();
    }

    @AfterEach
    void close() {
        for (SessionCore session : sessions) {
            session.close();
        }
        instance.validate();
        assertTrue(instance.locks().isEmpty());
        assertFalse(instance.health().isFailed());
        instance.close();
    }

    private static Record filled(Record row, int id, long amount) {
        row.clear();
        row.setInt(0, id);
        row.setLong(1, amount);
        return row;
    }

    private void begin(int member) {
        sessions[member].begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        accesses[member] = sessions[member].open(table, LockMode.IX);
    }

    /** Reads the member's row; the first is in the leaf's slot 0. */
    private void fetch(int member, int id, int mode) {
        Record key = filled(new Record(ACCOUNTS), id, 0);
        assertTrue(accesses[member].fetchToChange(key.keyBytes(), key.keyLength(), rows[member], mode));
    }

    private void offer(int member, long amount) {
        rows[member].setLong(1, amount);
        accesses[member].checks().requireUpdatable(rows[member]);
        sessions[member].beforeChange();
        sessions[member].updateInPlace.start(accesses[member].table().tree(), new Record[] {rows[member]}, 0, 1);
        sessions[member].stagedUpdate().start(sessions[member].updateInPlace);
        team[member] = sessions[member].stagedUpdate();
    }

    /** Each member of its own row, in the opposite order, with a lock that is to be raised for every second. */
    private void offerAll(int add) {
        for (int member = 0; member < MEMBERS; member++) {
            begin(member);
            fetch(member, MEMBERS - 1 - member, member % 2 == 0 ? LockMode.KEY_X : LockMode.KEY_U);
        }
        for (int member = 0; member < MEMBERS; member++) {
            offer(member, rows[member].getLong(1) + add);
        }
    }

    private boolean isDone(int member) {
        return sessions[member].updateInPlace.isDone();
    }

    private long amount(int id) {
        begin(0);
        fetch(0, id, LockMode.KEY_U);
        long amount = rows[0].getLong(1);
        sessions[0].commit();
        return amount;
    }

    private long leafVersion() {
        amount(0);
        return rows[0].positionVersion();
    }

    private long versionsOfOneHold() {
        long before = leafVersion();
        begin(0);
        fetch(0, 0, LockMode.KEY_X);
        rows[0].setLong(1, 0);
        assertTrue(accesses[0].update(rows[0]));
        sessions[0].commit();
        return leafVersion() - before;
    }

    @Test
    void rowsOfALeafTakeOneHoldOfItsLatchAndOneAppend() {
        long oneHold = versionsOfOneHold();
        long before = leafVersion();
        offerAll(100);
        long records = instance.log().statistics().recordCount();
        Set<Long> names = new HashSet<>();
        for (int member = 1; member < MEMBERS; member += 2) {
            names.add(LockName.ofKey(
                    table.state().tree().treeId(),
                    table.state().tree().leadingBytes(),
                    rows[member].keyBytes(),
                    0,
                    rows[member].keyLength()));
        }
        int passes = stripes.passes();
        sessions[0].stagedUpdate().runTogether(team, MEMBERS);
        assertEquals(
                CountedStripes.stripesOf(
                        instance.locks(),
                        names.stream().mapToLong(Long::longValue).toArray()),
                stripes.passes() - passes,
                "one pass through each stripe, and none for locks that are held");
        assertEquals(records + MEMBERS, instance.log().statistics().recordCount());
        long recordBytes = sessions[MEMBERS - 2].context().lastLsn()
                - sessions[MEMBERS - 1].context().lastLsn();
        Set<Long> ids = new HashSet<>();
        for (int member = 0; member < MEMBERS; member++) {
            assertTrue(isDone(member));
            ids.add(sessions[member].context().transactionId());
            assertEquals(1, sessions[member].context().undo().entryCount());
            // The last member's row comes first in the leaf, and so in the log.
            assertEquals(
                    sessions[MEMBERS - 1].context().lastLsn() + (MEMBERS - 1 - member) * recordBytes,
                    sessions[member].context().lastLsn());
        }
        assertEquals(MEMBERS, ids.size());
        for (int member = 0; member < MEMBERS; member++) {
            if (member % 3 == 0) {
                sessions[member].rollback();
            } else {
                sessions[member].commit();
            }
        }
        long holds = leafVersion() - before;
        assertEquals(oneHold * (1 + MEMBERS / 3), holds, "that of the team, and those of the rollbacks");
        for (int member = 0; member < MEMBERS; member++) {
            int id = MEMBERS - 1 - member;
            assertEquals(member % 3 == 0 ? id : id + 100, amount(id), "id=" + id);
        }
    }

    @Test
    void aMemberWhoseRowOrLeafWasChangedGoesOnByItself() {
        for (int member = 0; member < MEMBERS; member++) {
            begin(member);
        }
        fetch(0, 0, LockMode.KEY_X);
        fetch(1, 1, LockMode.KEY_X);
        rows[0].setLong(1, 50);
        assertTrue(accesses[0].update(rows[0]));
        // What the first has read before the leaf was changed, and the others behind it.
        for (int member = 2; member < MEMBERS; member++) {
            fetch(member, member, LockMode.KEY_X);
        }
        fetch(0, 0, LockMode.KEY_X);
        for (int member = 0; member < MEMBERS; member++) {
            offer(member, 200 + member);
        }
        sessions[0].stagedUpdate().runTogether(team, MEMBERS);
        for (int member = 0; member < MEMBERS; member++) {
            assertEquals(member != 1, isDone(member), "member " + member);
        }
        assertTrue(accesses[1].update(rows[1]), "by itself");
        for (int member = 0; member < MEMBERS; member++) {
            sessions[member].commit();
        }
        for (int id = 0; id < MEMBERS; id++) {
            assertEquals(200 + id, amount(id));
        }
    }

    /** Readers may share a row with who wants to change it; then this one waits, and nobody else. */
    @Test
    void aMemberWhoseLockIsNotFreeIsLeft() {
        for (int member = 0; member < MEMBERS; member++) {
            begin(member);
            fetch(member, member, member == 2 ? LockMode.KEY_U : LockMode.KEY_X);
        }
        long name = LockName.ofKey(
                table.state().tree().treeId(),
                table.state().tree().leadingBytes(),
                rows[2].keyBytes(),
                0,
                rows[2].keyLength());
        assertTrue(instance.locks().tryLock(sessions[3].context().lockOwner(), name, LockMode.KEY_S));
        for (int member = 0; member < MEMBERS; member++) {
            offer(member, 300 + member);
        }
        sessions[0].stagedUpdate().runTogether(team, MEMBERS);
        for (int member = 0; member < MEMBERS; member++) {
            assertEquals(member != 2, isDone(member), "member " + member);
        }
        assertTrue(sessions[2].updateInPlace.isBeforeLock());
        for (int member = 0; member < MEMBERS; member++) {
            sessions[member].commit();
        }
        for (int id = 0; id < MEMBERS; id++) {
            assertEquals(id == 2 ? 2 : 300 + id, amount(id));
        }
    }

    /** A transaction that may hold no more undo is left as it was, and the others are changed. */
    @Test
    void aMemberThatIsTooLargeIsLeft() {
        offerAll(400);
        sessions[1].context().limit(1, Long.MAX_VALUE);
        sessions[0].stagedUpdate().runTogether(team, MEMBERS);
        for (int member = 0; member < MEMBERS; member++) {
            assertEquals(member != 1, isDone(member), "member " + member);
        }
        assertEquals(0, sessions[1].context().undo().entryCount());
        sessions[1].rollback();
        sessions[1].context().limit(DatabaseOptions.defaults().transactionUndoBytes(), Long.MAX_VALUE);
        for (int member = 0; member < MEMBERS; member++) {
            if (member != 1) {
                sessions[member].commit();
            }
        }
        for (int id = 0; id < MEMBERS; id++) {
            assertEquals(id == MEMBERS - 2 ? id : id + 400, amount(id));
        }
    }

    /** What such an overflow has left half done nobody knows. */
    @Test
    void aFullStackIsNotTakenForAFailureOfItsMember() {
        offerAll(500);
        OverflowingUpdate overflowing = new OverflowingUpdate(sessions[1]);
        overflowing.start(accesses[1].table().tree(), new Record[] {rows[1]}, 0, 1);
        sessions[1].stagedUpdate().start(overflowing);
        assertThrows(StackOverflowError.class, () -> sessions[0].stagedUpdate().runTogether(team, MEMBERS));
        for (int member = 0; member < MEMBERS; member++) {
            assertFalse(isDone(member), "member " + member);
            sessions[member].rollback();
        }
    }

    /** Everybody else might wait for what is held at the place where it struck. */
    @Test
    void aFullStackIsToldWhenTheOwnRowIsDone() {
        StagedChange done = new StagedChange(sessions[0].driver) {
            @Override
            boolean isDone() {
                return true;
            }

            @Override
            void runTogether(StagedWork[] works, int from, int to) {
                throw new StackOverflowError("by hand");
            }
        };
        assertThrows(StackOverflowError.class, () -> done.runTogether(new StagedWork[] {done}, 1));
    }
}
