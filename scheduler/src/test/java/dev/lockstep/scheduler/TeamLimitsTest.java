package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How many members a team may have by what its operation touches, and the teams that a scheduler then forms. */
class TeamLimitsTest {
    private static final long KILOBYTE = 1024;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    # L2 KB, data KB, limit of all, members
                    256,     12,      80,           10
                    256,     13,      80,            9
                    256,     12,       7,            7
                    256,     64,      10,            2
                    256,     65,      10,            2
                    256,   9000,      10,            2
                    256,   9000,       1,            1
                    2048,    12,     100,           85
                    """)
    void aTeamFillsHalfOfTheCache(long l2Kilobytes, long dataKilobytes, int teamLimit, int members) {
        TeamLimits limits =
                new TeamLimits(l2Kilobytes * KILOBYTE, Map.of("fetch stock", dataKilobytes * KILOBYTE, "begin", 64L));
        assertEquals(members, limits.membersMax("fetch stock", teamLimit));
        assertEquals(members, limits.smallest(teamLimit));
        assertEquals(teamLimit, limits.membersMax("fetch item", teamLimit));
    }

    @Test
    void nothingMeasuredIsNoLimit() {
        assertEquals(10, TeamLimits.NONE.membersMax("fetch stock", 10));
        assertEquals(10, TeamLimits.NONE.smallest(10));
        assertSame(TeamLimits.NONE, TeamLimits.of(0, List.of()));
    }

    @Test
    void takesTheLargestOfWhatSeveralWorkloadsTouch() throws IOException {
        Path file = Files.writeString(
                directory.resolve("footprints.txt"),
                """
                lockstep-code-footprints 2
                workload one
                data 640 begin
                data 8192 fetch stock
                workload other
                data 1280 begin
                end
                """);
        TeamLimits limits =
                TeamLimits.of(256 * KILOBYTE, CodeFootprints.read(file).values());
        assertEquals(new TeamLimits(256 * KILOBYTE, Map.of("begin", 1280L, "fetch stock", 8192L)), limits);
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertRefused(65_535, Map.of("begin", 64L), "l2BytesMin=65536");
        assertRefused(0, Map.of("begin", 64L), "l2Bytes=0");
        assertRefused(65_536, Map.of(), "operations=0");
        assertRefused(65_536, Map.of("begin", 0L), "operation=begin dataBytes=0");
    }

    private static void assertRefused(long l2Bytes, Map<String, Long> dataBytes, String words) {
        String message = assertThrows(IllegalArgumentException.class, () -> new TeamLimits(l2Bytes, dataBytes))
                .getMessage();
        assertTrue(message.contains(words), message);
        assertTrue(message.contains("; remedy: "), message);
    }

    /** Eight wait for each of two operations; of the one that touches 40 KB, three fit half of 256 KB. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aLongListIsSplitAtTheLimitOfItsOperation(SThreadKind kind) throws InterruptedException {
        int[] stock = new int[1];
        SchedulerOptions options = Fixtures.exact(kind)
                .withPolicy((lastWanted, waiting) -> stock[0])
                .withTeamLimits(new TeamLimits(256 * KILOBYTE, Map.of("fetch stock", 40 * KILOBYTE)));
        List<String> formed = Collections.synchronizedList(new ArrayList<>());
        try (Scheduler scheduler = new Scheduler(options)) {
            stock[0] = scheduler.registerOperation("fetch stock");
            int item = scheduler.registerOperation("fetch item");
            List<Runnable> bodies = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                bodies.add(() -> {
                    SThread self = SThread.current();
                    for (int operation : new int[] {stock[0], item}) {
                        self.beginOperation(operation);
                        formed.add(scheduler.operationName(operation) + " of " + self.carrier.teamMembers());
                        self.switchPoint();
                    }
                    self.endOperation();
                });
            }
            Fixtures.runTogether(scheduler, bodies);
            // Everybody notes it in the first turn, before anybody has left.
            List<String> expected = new ArrayList<>(Collections.nCopies(6, "fetch stock of 3"));
            expected.addAll(Collections.nCopies(2, "fetch stock of 2"));
            expected.addAll(Collections.nCopies(8, "fetch item of 8"));
            assertEquals(expected, formed);
            OperationStatistics ofStock = Fixtures.statistics(scheduler, "fetch stock");
            assertEquals(3, ofStock.teamLimit());
            assertEquals(3, ofStock.teams());
            assertEquals(8, ofStock.membersOut());
            OperationStatistics ofItem = Fixtures.statistics(scheduler, "fetch item");
            assertEquals(SchedulerOptions.TEAM_LIMIT_DEFAULT, ofItem.teamLimit());
            assertEquals(1, ofItem.teams());
            assertEquals(4 * (Scheduler.TEAMS_PASSED_OVER_MAX + 2), scheduler.teamsBetweenTurnsMax(10, 2));
        }
    }
}
