package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.scheduler.TeamPolicy;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits whose turn is not to be had. */
class CommitTurnTest {
    private static final int COMMITTED = 1;
    private static final int REFUSED = 2;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    /** Throws where a commit asks for its team, once it is told of a scheduler. */
    private static final class RefusingPolicy implements TeamPolicy {
        private final AtomicReference<Scheduler> refused = new AtomicReference<>();

        @Override
        public int nextTeam(int lastWanted, WaitingOperations waiting) {
            Scheduler scheduler = refused.get();
            if (scheduler != null && scheduler.operationName(lastWanted).equals("commit")) {
                refused.set(null);
                throw new OutOfMemoryError("no memory for a team");
            }
            return lastWanted;
        }
    }

    /** It takes back what the transaction has changed, and keeps no lock of it. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aCommitThatCannotBeginIsARollback(SThreadKind kind) throws InterruptedException {
        RefusingPolicy policy = new RefusingPolicy();
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withPolicy(policy);
        try (Scheduler scheduler = new Scheduler(options)) {
            Database database = validated.inMemory(ValidatedDatabase.USUAL, scheduler);
            Table table = database.createTable(DatabaseTest.accounts());
            SThread member = scheduler.start(
                    "member",
                    0,
                    () -> commitInVain(database, table, () -> {
                        policy.refused.set(scheduler);
                    }));
            member.join();
            if (member.failure() != null) {
                throw new AssertionError(member.failure());
            }
            assertEquals("", database.status().health().failure());
            assertEquals(1, DatabaseTest.ids(database, null).size());
        }
    }

    private static void commitInVain(Database database, Table table, Runnable refuse) {
        try (Session session = database.openSession()) {
            Record row = table.newRecord();
            Transaction first = session.begin();
            DatabaseTest.put(first, table, row, REFUSED, "name", 0);
            refuse.run();
            assertThrows(OutOfMemoryError.class, first::commit);
            first.rollback();
            assertEquals(0, first.core().context().lockOwner().heldCount());
            Transaction second = session.begin();
            assertFalse(second.fetch(table, table.newKey().add(REFUSED), row));
            DatabaseTest.put(second, table, row, COMMITTED, "name", 0);
            second.commit();
            Transaction third = session.begin();
            assertTrue(third.fetch(table, table.newKey().add(COMMITTED), row));
            third.commit();
        }
    }
}
