package dev.lockstep.engine.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.InstalledRun;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.SThreadKind;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a probe is told: in JVMs of their own, because a probe is installed for the life of a process. */
class OperationProbeTest {
    /** One transaction with every operation: its entries in the index count as operations of their own. */
    private static final String COMMITTED = "begin ; insert account ; insert account.by-owner ; fetch account ;"
            + " fetch account ; scan account.by-owner ; fetch account ; update account ; fetch account ;"
            + " delete account ; delete account.by-owner ; commit ;";

    private static final String ROLLED_BACK = "begin ; rollback ;";

    /**
     * A statement that fails takes back nothing, for it has done nothing; a lock that is not to be had ends a fetch.
     */
    private static final String FAILED = "begin ; insert account ; insert account.by-owner ; insert account ;"
            + " begin ; fetch account ; rollback ; rollback ;";

    private static InstalledRun run(String probe, String argument) throws IOException, InterruptedException {
        return InstalledRun.of(InstalledProbe.PROPERTY, probe, ProbedProgram.class, argument);
    }

    @Test
    void thereIsNoProbeUnlessAskedFor() {
        assertFalse(InstalledProbe.isPresent());
        assertEquals(0, InstalledProbe.number("fetch account"));
    }

    @Test
    void aThreadIsToldItsOperationsAlsoWhereTheyFail() throws IOException, InterruptedException {
        InstalledRun run = run(RecordingProbe.class.getName(), "threads");
        assertEquals(List.of(COMMITTED + " " + ROLLED_BACK + " " + FAILED + " outside"), run.lines());
        assertEquals(0, run.exitCode());
    }

    /**
     * Another thread may use its carrier while it waits for the lock, so it is told where it goes on.
     */
    @Test
    void aVirtualThreadIsToldWhereItGoesOnAfterAWaitInsideAnOperation() throws IOException, InterruptedException {
        InstalledRun run = run(RecordingProbe.class.getName(), "virtual thread");
        assertEquals(1, run.lines().size(), run.lines()::toString);
        // A park may end without reason, and is repeated then.
        String line = run.lines().getFirst().replaceAll("(left resumed )+", "left resumed ");
        assertEquals("begin ; fetch account left resumed ; commit ; outside resumed resumed inside", line);
        assertEquals(0, run.exitCode());
    }

    /** In teams with switch points: everything is told on the S-thread's own time, and it is told where it goes on. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void anSThreadIsToldWhereItGoesOn(SThreadKind kind) throws IOException, InterruptedException {
        InstalledRun run = run(RecordingProbe.class.getName(), kind.name());
        assertEquals(3, run.lines().size(), run.lines()::toString);
        for (String line : run.lines()) {
            // The wrapper of begin stands inside what begins a transaction, so begin is told twice; an update in place
            // gives up where another member has changed the leaf, and is followed by an ordinary one.
            String operations = line.replace("begin begin ;", "begin ;")
                    .replace("update account ; update account ;", "update account ;");
            assertTrue(operations.startsWith(COMMITTED + " " + ROLLED_BACK + " " + COMMITTED), line);
            assertTrue(operations.endsWith(ROLLED_BACK + " outside resumed resumed inside"), line);
        }
        assertEquals(0, run.exitCode());
    }

    /** Its leader is told whose stage it does: of three members two wait meanwhile, in most of their fetches. */
    @Test
    void aStagedTeamIsToldWhoseWorksItsLeaderDoes() throws IOException, InterruptedException {
        InstalledRun run = run(RecordingProbe.class.getName(), "staged");
        assertEquals(1, run.lines().size(), run.lines()::toString);
        assertTrue(
                run.lines().getFirst().matches("works of others told \\{fetch account=\\d+}"), run.lines()::toString);
        assertEquals(0, run.exitCode());
    }

    /** A commit whose member cannot take its turn is a commit all the same, and is told so. */
    @Test
    void aCommitNeedsNoTurn() throws IOException, InterruptedException {
        InstalledRun run = InstalledRun.of(InstalledProbe.PROPERTY, RefusingProbe.class.getName(), RefusedTurns.class);
        assertEquals(
                List.of(
                        "member-0 failed with null",
                        "member-1 failed with null",
                        "member-2 failed with null",
                        "row 0 is 1",
                        "row 1 is 1",
                        "row 2 is 1",
                        "refused true"),
                run.lines());
        assertEquals(0, run.exitCode());
    }

    @Test
    void anUnknownProbeIsRefusedByName() throws IOException, InterruptedException {
        InstalledRun run = run("no.such.Probe", "threads");
        assertNotEquals(0, run.exitCode());
        assertTrue(run.printed("dev.lockstep.scheduler.probe=no.such.Probe;"), run::toString);
    }
}
