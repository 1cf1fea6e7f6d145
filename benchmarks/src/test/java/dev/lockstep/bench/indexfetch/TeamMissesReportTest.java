package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.ReportText;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TeamMissesReportTest {
    private static final double ROUNDING = 1e-9;
    private static final long CODE_BYTES = 45 << 10;

    /** An operation of 100 misses, 40 of which are left in a warm cache, and 4 for each further member of a team. */
    private static List<TeamMisses> misses() {
        List<TeamMisses> misses = new ArrayList<>();
        for (int members : new int[] {1, 10, 40}) {
            int further = 4 * (members - 1);
            misses.add(round(FetchKind.ORIGINAL, members, true, 100 + 40.0 * (members - 1)));
            misses.add(round(FetchKind.ORIGINAL, members, false, 40.0 * members));
            misses.add(round(FetchKind.STAGED, members, true, 100 + further));
            misses.add(round(FetchKind.STAGED, members, false, 40 + further));
        }
        return misses;
    }

    /** The observing cache has twice the misses of the machine's own. */
    private static TeamMisses round(FetchKind kind, int members, boolean cold, double l1i) {
        return new TeamMisses(kind, members, cold, 1_000, 2_000, 100, 10, l1i, 50, 5, List.of(2 * l1i));
    }

    private static TeamMissesReport report(long codeBytes) {
        return new TeamMissesReport(
                List.of("64K,2,64", "32K,8,64"),
                List.of(
                        new SimulatedFetch.Footprint(FetchKind.ORIGINAL, codeBytes, codeBytes, 1_000, 0),
                        new SimulatedFetch.Footprint(FetchKind.STAGED, codeBytes, codeBytes, 1_000, 0)),
                misses());
    }

    @Test
    void saysWhatTheFormulaOfThePaperSays() {
        List<TeamMissesReport.Parameters> all = report(CODE_BYTES).parameters();
        assertEquals(2, all.size());
        for (TeamMissesReport.Parameters each : all) {
            assertEquals(FetchKind.STAGED, each.kind());
            assertEquals(0.4, each.a(), ROUNDING);
            assertEquals(0.04, each.beta(), ROUNDING);
            assertEquals(81, each.lowerPercent(), ROUNDING);
            assertEquals(86.4, each.upperPercent(), ROUNDING);
            assertEquals(81, each.measuredPercent(), ROUNDING);
            assertEquals(86.4, each.measuredColdPercent(), ROUNDING);
            assertEquals(100 * (1 - 196.0 / 1_600), each.largestPercent(), ROUNDING);
        }
        assertEquals(4, all.getFirst().furtherCold(), ROUNDING);
        assertEquals(4, all.getFirst().furtherWarm(), ROUNDING);
        assertEquals(8, all.getLast().furtherWarm(), ROUNDING);
        assertEquals(100, all.getFirst().first(), ROUNDING);
        assertEquals(200, all.getLast().first(), ROUNDING);
        assertEquals(64.0 / 45, all.getFirst().capacityOverFootprint(), ROUNDING);
    }

    /** Of ten: 1,000 misses where the caches are flooded before each operation, 400 warm; 136 and 76 by a team. */
    @Test
    void tellsTheMissesOfEachSizeOfATeam() {
        String text = ReportText.of(report(CODE_BYTES).sections());
        for (String row : List.of(
                "64K,2,64 cold original 100 1,000 4,000",
                "64K,2,64 cold staged 100 136 256",
                "64K,2,64 warm original 40 400 1,600",
                "32K,8,64 warm staged 80 152 392")) {
            assertTrue(text.lines().anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)), row + text);
        }
    }

    /** The continuations' original is another than the plain one, which then need not be run. */
    @Test
    void takesTheFootprintOfTheOriginalThatWasRun() {
        List<TeamMisses> misses = new ArrayList<>();
        for (FetchKind kind : List.of(FetchKind.CONTINUATION, FetchKind.SERIAL)) {
            misses.add(round(kind, 1, true, 100));
            misses.add(round(kind, 1, false, 40));
        }
        TeamMissesReport report = new TeamMissesReport(
                List.of("64K,2,64", "16K,2,64"),
                List.of(
                        new SimulatedFetch.Footprint(FetchKind.CONTINUATION, 32 << 10, 32 << 10, 1_000, 2),
                        new SimulatedFetch.Footprint(FetchKind.SERIAL, 16 << 10, 16 << 10, 1_000, 2)),
                misses);
        assertEquals(16 << 10, report.operationBytes());
        assertEquals(1, report.parameters().getLast().capacityOverFootprint(), ROUNDING);
        assertTrue(ReportText.of(report.sections()).contains("serial"));
    }

    /** What fits has next to no misses to save, and a percentage of nothing says nothing. */
    @Test
    void givesPercentOnlyWhereTheCodeExceedsTheCache() {
        String larger = ReportText.of(report(100 << 10).sections());
        assertTrue(larger.contains("88"), larger);
        String fits = ReportText.of(report(8 << 10).sections());
        assertTrue(!fits.contains("88"), fits);
    }

    @Test
    void observesEachGeometryOnce() {
        FetchCaches caches = new FetchCaches(List.of("32K,8,64", "48K,12,64"));
        assertEquals("64K,2,64", caches.names().getFirst());
        assertEquals(caches.names().stream().distinct().toList(), caches.names());
        assertTrue(caches.names().contains("48K,12,64"));
        assertTrue(caches.machine().contains("l1i=64K,2,64"));
        assertEquals(
                caches.names().size() - 1,
                caches.machine().stream()
                        .filter(line -> line.startsWith("observe=l1i:"))
                        .count());
        assertThrows(IllegalArgumentException.class, () -> new FetchCaches(List.of("1,2")));
        assertEquals(16, FetchCaches.nearestKilobytes(17_000));
        assertEquals(4, FetchCaches.nearestKilobytes(100));
    }
}
