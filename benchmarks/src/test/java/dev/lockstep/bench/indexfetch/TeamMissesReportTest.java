package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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
        return new TeamMisses(kind, members, cold, 1_000, 2_000, 100, 10, l1i, 50, 5, List.of(2 * l1i), List.of(60.0));
    }

    private static TeamMissesReport report(long codeBytes) {
        return new TeamMissesReport(
                List.of("64K,2,64", "32K,8,64"),
                List.of("64K,2,64", "16K,4,32"),
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
        String text = ReportText.of(report(CODE_BYTES).sections(null, List.of(), List.of()));
        for (String row : List.of(
                "64K,2,64 cold original 100 1,000 4,000",
                "64K,2,64 cold staged 100 136 256",
                "64K,2,64 warm original 40 400 1,600",
                "32K,8,64 warm staged 80 152 392")) {
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)),
                    row + text);
        }
    }

    /** Of 400 misses of ten 76 are left, 19 %; the data cache that observes has 60 a round in both. */
    @Test
    void tellsTheEventsOfAnOperationBesideItsOriginal() {
        String text = ReportText.of(report(100 << 10).sections(null, List.of(), List.of()));
        for (String row : List.of(
                "instructions 100 100 100",
                "mispredicted 1 1 100",
                "L1-I misses, 64K,2,64 40 7.60 19",
                "L1-D misses, 64K,2,64 5 5 100",
                "L1-D misses, 16K,4,32 6 6 100")) {
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)),
                    row + text);
        }
        assertTrue(!text.contains("time on this machine"), text);
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
                List.of("64K,2,64", "16K,4,32"),
                List.of(
                        new SimulatedFetch.Footprint(FetchKind.CONTINUATION, 32 << 10, 32 << 10, 1_000, 2),
                        new SimulatedFetch.Footprint(FetchKind.SERIAL, 16 << 10, 16 << 10, 1_000, 2)),
                misses);
        assertEquals(16 << 10, report.operationBytes());
        assertEquals(1, report.parameters().getLast().capacityOverFootprint(), ROUNDING);
        String text = ReportText.of(report.sections(null, List.of(), List.of()));
        assertTrue(text.contains("serial"), text);
        assertTrue(!text.contains("Figure 8"), text);
    }

    /** Serial has 24 KB of code, which fit 32K and 64K: only of the 16K is a percentage told. */
    @Test
    void tellsTheMissesByTheCodeOfASwitch() {
        List<TeamMisses> misses = new ArrayList<>();
        for (int members : new int[] {1, 10}) {
            for (FetchKind kind :
                    List.of(FetchKind.CONTINUATION, FetchKind.SERIAL, FetchKind.ORIGINAL, FetchKind.STAGED)) {
                double each =
                        switch (kind) {
                            case SERIAL -> 100;
                            case ORIGINAL -> 80;
                            case STAGED -> 10;
                            default -> 20;
                        };
                misses.add(round(kind, members, true, each * members));
                misses.add(round(kind, members, false, each * members));
            }
        }
        TeamMissesReport report = new TeamMissesReport(
                List.of("64K,2,64", "16K,2,64"),
                List.of("64K,2,64"),
                List.of(
                        new SimulatedFetch.Footprint(FetchKind.CONTINUATION, 30 << 10, 30 << 10, 1_000, 2),
                        new SimulatedFetch.Footprint(FetchKind.SERIAL, 24 << 10, 24 << 10, 1_000, 2),
                        new SimulatedFetch.Footprint(FetchKind.ORIGINAL, 24 << 10, 24 << 10, 1_000, 0),
                        new SimulatedFetch.Footprint(FetchKind.STAGED, 24 << 10, 24 << 10, 1_000, 0)),
                misses);
        List<PaddedMisses> padded = List.of(
                new PaddedMisses(4_096, 4_000, round(FetchKind.CONTINUATION, 10, false, 600)),
                new PaddedMisses(1_024, 1_010, round(FetchKind.CONTINUATION, 10, false, 300)));
        String text = ReportText.of(report.sections(null, padded, List.of()));
        for (String row : List.of(
                "0 0 200 400 (80 %)",
                "1,024 1,010 300 600 (70 %)",
                "4,096 4,000 600 1,200 (40 %)",
                "serial - 1,000 2,000",
                "original - 800 1,600",
                "staged - 100 200")) {
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)),
                    row + text);
        }
    }

    /** Of 400 and 800 misses, where the code exceeds the caches; the 32K have points of their own. */
    @Test
    void tellsTheMissesOfPointsTrainedForACacheBesideThoseTrainedOnce() {
        List<TeamMisses> misses = new ArrayList<>();
        for (int members : new int[] {1, 10}) {
            for (FetchKind kind : List.of(FetchKind.ORIGINAL, FetchKind.INSERTED)) {
                double each = kind == FetchKind.ORIGINAL ? 40 : 10;
                misses.add(round(kind, members, true, each * members));
                misses.add(round(kind, members, false, each * members));
            }
        }
        TeamMissesReport report = new TeamMissesReport(
                List.of("64K,2,64", "32K,8,64"),
                List.of("64K,2,64", "16K,4,32"),
                List.of(
                        new SimulatedFetch.Footprint(FetchKind.ORIGINAL, 100 << 10, 100 << 10, 1_000, 0),
                        new SimulatedFetch.Footprint(FetchKind.INSERTED, 100 << 10, 100 << 10, 1_000, 2)),
                misses);
        List<RetrainedMisses> retrained =
                List.of(new RetrainedMisses("32K,8,64", 3, round(FetchKind.INSERTED, 10, false, 60)));
        String text = ReportText.of(report.sections(null, List.of(), retrained));
        for (String row : List.of(
                "L1-I capacity : code original, misses inserted, misses inserted, % gone retrained, misses retrained,"
                        + " % gone",
                "32K,8,64 0.3200 800 200 75 120 85", "64K,2,64 0.6400 400 100 75 - -")) {
            assertTrue(
                    text.lines()
                            .anyMatch(line -> line.strip().replaceAll(" +", " ").equals(row)),
                    row + text);
        }
    }

    /** What fits has next to no misses to save, and a percentage of nothing says nothing. */
    @Test
    void givesPercentOnlyWhereTheCodeExceedsTheCache() {
        String larger = ReportText.of(report(100 << 10).sections(null, List.of(), List.of()));
        assertTrue(larger.contains("88"), larger);
        String fits = ReportText.of(report(8 << 10).sections(null, List.of(), List.of()));
        assertTrue(!fits.contains("88"), fits);
    }

    @Test
    void observesEachGeometryOnce() {
        FetchCaches caches = new FetchCaches(List.of("32K,8,64", "48K,12,64"), List.of("48K,12,64"));
        assertEquals("64K,2,64", caches.names().getFirst());
        assertEquals(caches.names().stream().distinct().toList(), caches.names());
        for (int kilobytes : new int[] {16, 32, 64}) {
            for (String ways : List.of("direct", "2", "4", "8", "full")) {
                for (int line : new int[] {16, 32, 64, 128}) {
                    String shape = CacheShape.parse(kilobytes + "K," + ways + "," + line)
                            .text();
                    assertTrue(caches.names().contains(shape), shape);
                }
            }
        }
        assertTrue(caches.names().contains("48K,12,64"));
        assertEquals(List.of("64K,2,64", "16K,4,32", "48K,12,64"), caches.dataNames());
        List<String> expected = new ArrayList<>(List.of("cores=1", "l1i=64K,2,64", "l1d=64K,2,64", "l2=256K,16,64"));
        caches.names().stream().skip(1).forEach(each -> expected.add("observe=l1i:" + each));
        caches.dataNames().stream().skip(1).forEach(each -> expected.add("observe=l1d:" + each));
        assertEquals(expected, caches.machine());
        assertThrows(IllegalArgumentException.class, () -> new FetchCaches(List.of("1,2"), List.of()));
        List<String> many = IntStream.rangeClosed(1, 128)
                .mapToObj(ways -> ways * 64 + ",full,64")
                .toList();
        assertThrows(IllegalArgumentException.class, () -> new FetchCaches(many, List.of()));
    }

    /** Of two ways and lines of 64 bytes, as the paper's; the ratio counts, not the difference. */
    @Test
    void findsTheCacheAtARatio() {
        List<String> caches = List.of("64K,2,64", "16K,2,64", "14K,2,64", "14K,direct,64", "4K,2,64", "4K,8,64");
        assertEquals("16K,2,64", FetchCaches.nearest(caches, 17_000));
        assertEquals("14K,2,64", FetchCaches.nearest(caches, 14_400));
        assertEquals("4K,2,64", FetchCaches.nearest(caches, 100));
        assertEquals("64K,2,64", FetchCaches.nearest(caches, 35_000));
    }
}
