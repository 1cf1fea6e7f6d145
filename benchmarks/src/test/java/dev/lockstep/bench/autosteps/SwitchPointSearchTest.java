package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.autosteps.TeamReplay.Order;
import dev.lockstep.bench.simulate.CacheShape;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each rule of STEPS, 5.2, on a trace whose answer can be worked out by hand: a line is 16 bytes, the cache has four.
 */
class SwitchPointSearchTest {
    private static final int LINE_BYTES = 16;
    private static final CacheShape FOUR_LINES = CacheShape.parse("64,full,16");

    /** Instructions at the beginnings of these lines. */
    private static InstructionTrace trace(int... lines) {
        InstructionTrace.Builder trace = new InstructionTrace.Builder();
        for (int line : lines) {
            trace.add((long) line * LINE_BYTES, 1);
        }
        return trace.build();
    }

    private static List<Long> addresses(int... lines) {
        return Arrays.stream(lines).mapToObj(line -> (long) line * LINE_BYTES).toList();
    }

    /** Points before the instructions at these addresses. */
    private static SequencedMap<Long, Integer> points(int... lines) {
        SequencedMap<Long, Integer> points = new LinkedHashMap<>();
        for (int line : lines) {
            points.put((long) line * LINE_BYTES, line);
        }
        return points;
    }

    private static SequencedMap<Long, Integer> points(SwitchPlacement placement) {
        SequencedMap<Long, Integer> points = new LinkedHashMap<>();
        for (int i = 0; i < placement.addresses().size(); i++) {
            points.put(placement.addresses().get(i), placement.found().get(i));
        }
        return points;
    }

    private static SwitchPlacement place(InstructionTrace trace, int width, int height) {
        return new SwitchPointSearch(trace, FOUR_LINES, new Knee(width, height)).place();
    }

    @Test
    void whatFitsTheCacheNeedsNoSwitch() {
        SwitchPlacement placement = place(trace(0, 1, 2, 3, 0, 1, 2, 3), 200, 4);
        assertEquals(new SwitchPlacement(List.of(), List.of(), List.of(), List.of(), List.of()), placement);
    }

    @Test
    void theOriginalCurveIsWarmedByTheSameOperation() {
        assertEquals(List.of(), place(trace(0, 1, 2, 3), 200, 4).originalMisses());
        assertEquals(
                List.of(0, 1, 2, 3, 4),
                place(trace(0, 1, 2, 3, 4), 200, 4).originalMisses(),
                "five lines in turn through four: each is gone when it comes again");
    }

    @Test
    void aSwitchGoesWhereTheKneeBegins() {
        SwitchPlacement placement = place(trace(0, 1, 2, 3, 4, 5, 6, 7), 200, 4);
        assertEquals(addresses(4), placement.addresses());
        assertEquals(List.of(4), placement.switches());
        assertEquals(
                List.of(), placement.stepsMisses(), "the knee falls into the new segment, which evicts the old one");
    }

    @Test
    void onlyBlocksOfTheCurrentSegmentCount() {
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 5, 6, 7);
        SwitchPointSearch search = new SwitchPointSearch(trace, FOUR_LINES, new Knee(200, 100));
        assertEquals(List.of(4, 5, 6, 7), search.judge(points()).stepsMisses());
        assertEquals(List.of(6, 7), search.judge(points(2)).stepsMisses(), "lines 0 and 1 are the first segment's");
        assertEquals(List.of(), search.judge(points(4)).stepsMisses());
    }

    @Test
    void aBlockThatTheNewSegmentUsesAgainIsItsOwn() {
        InstructionTrace trace = trace(0, 1, 2, 3, 0, 4, 5, 6, 7);
        SwitchPointSearch search = new SwitchPointSearch(trace, FOUR_LINES, new Knee(200, 100));
        SwitchPlacement placement = search.judge(points(0));
        assertEquals(List.of(4), placement.switches(), "the first instruction begins the first segment anyway");
        assertEquals(List.of(8), placement.stepsMisses(), "1, 2 and 3 go first, which are the first segment's; then 0");
    }

    @Test
    void aGapWiderThanTheKneeBeginsANewCount() {
        // Misses at 4, 9 and 10; between the first two lie five instructions.
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 4, 4, 4, 4, 5, 6);
        assertEquals(addresses(5), place(trace, 4, 2).addresses(), "5 is wider than 4: the knee begins at the second");
        assertEquals(addresses(4), place(trace, 5, 2).addresses(), "5 is not wider than 5");
    }

    @Test
    void aLoneMissBeforeTheKneeStaysAMiss() {
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 4, 4, 4, 4, 5, 6, 7);
        SwitchPlacement placement = place(trace, 3, 3);
        assertEquals(List.of(9), placement.switches());
        assertEquals(List.of(4), placement.stepsMisses());
    }

    @Test
    void aSegmentHasAtMostTwiceTheHeightInMisses() {
        // Misses at 4, 7, 10 and 13, each alone for a width of 2.
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7);
        SwitchPlacement placement = place(trace, 2, 2);
        assertEquals(addresses(7), placement.addresses());
        assertEquals(List.of(13, 14, 15), placement.switches(), "every execution of the address");
        assertEquals(List.of(4, 7, 10), placement.stepsMisses());
        assertEquals(List.of(), place(trace, 2, 3).addresses(), "four of at most six");
    }

    @Test
    void aPointInALoopSwitchesInEachRound() {
        // Six lines in turn. The knee at 4 makes switches at 4, 10 and 16; the next segment has one at 8, line 2.
        SwitchPlacement placement = place(trace(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5), 200, 2);
        assertEquals(addresses(4, 2), placement.addresses());
        assertEquals(List.of(2, 4, 8, 10, 14, 16), placement.switches());
        assertEquals(List.of(), placement.stepsMisses());
        assertEquals(18, placement.originalMisses().size());
    }

    @Test
    void anInstructionAcrossTwoLinesUsesBoth() {
        InstructionTrace.Builder trace = new InstructionTrace.Builder();
        for (int line = 0; line < 10; line += 2) {
            trace.add(line * LINE_BYTES + LINE_BYTES - 1, 2);
        }
        SwitchPlacement placement = place(trace.build(), 200, 2);
        assertEquals(List.of(2, 4), placement.switches(), "two lines each, so two of them fill the cache");
        assertEquals(10, placement.originalMisses().size());
    }

    @Test
    void aTeamMissesWhatTheSearchSays() {
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 5, 6, 7);
        SwitchPlacement placement = place(trace, 200, 4);
        TeamReplay replay = new TeamReplay(trace, FOUR_LINES, 0);
        assertEquals(List.of(8, 0, 0), replay.misses(placement.switches(), 3, Order.TEAM));
        assertEquals(List.of(8, 8, 8), replay.misses(List.of(), 3, Order.TEAM));
        assertEquals(List.of(8), replay.misses(placement.switches(), 1, Order.TEAM));
    }

    @Test
    void theCodeOfASwitchEvictsToo() {
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 5, 6, 7);
        TeamReplay replay = new TeamReplay(trace, FOUR_LINES, LINE_BYTES);
        // Member 1: 4 lines and the switch, which evicts line 0. Member 2: line 0 evicts 1, and so on; the switch too.
        assertEquals(List.of(10, 10), replay.misses(List.of(4), 2, Order.TEAM));
    }

    /** A fragment and the switch fit the cache, the operation does not: what a team reuses, nobody reuses alone. */
    @Test
    void membersThatSwitchInVainMissWhatATeamReuses() {
        InstructionTrace trace = trace(0, 1, 2, 3, 4, 5, 6, 7);
        TeamReplay replay = new TeamReplay(trace, CacheShape.parse("96,full,16"), LINE_BYTES);
        // The code of the switch is missed once, before the instruction behind it.
        List<Integer> first = List.of(0, 1, 2, 3, 4, 4, 5, 6, 7);
        assertEquals(List.of(first, List.of()), replay.missesAt(List.of(4), 2, Order.TEAM));
        assertEquals(List.of(first, List.of(0, 1, 2, 3, 4, 5, 6, 7)), replay.missesAt(List.of(4), 2, Order.SERIAL));
    }

    /**
     * A block that its own segment evicts is missed by every further member: it is used again in this segment, or first
     * in the next member's, and each time as many other lines lie between. So what the search says is the least that a
     * team misses; where a segment overflows a set, further members miss more.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void furtherMembersMissNoLessThanTheSearchSays(long seed) {
        Random random = new Random(seed);
        InstructionTrace.Builder builder = new InstructionTrace.Builder();
        int at = 0;
        for (int i = 0; i < 3_000; i++) {
            at = random.nextInt(8) == 0 ? random.nextInt(64 * LINE_BYTES) : at + 4;
            builder.add(at, 4);
        }
        InstructionTrace trace = builder.build();
        for (CacheShape shape : List.of(
                CacheShape.parse("256,direct,16"), CacheShape.parse("256,2,16"), CacheShape.parse("512,full,16"))) {
            SwitchPlacement placement = new SwitchPointSearch(trace, shape, new Knee(50, 3)).place();
            assertEquals(
                    placement,
                    new SwitchPointSearch(trace, shape, new Knee(50, 3)).judge(points(placement)),
                    "the points found are judged as when they were found");
            List<Integer> misses = new TeamReplay(trace, shape, 0).misses(placement.switches(), 4, Order.TEAM);
            for (int member = 1; member < 4; member++) {
                int missed = misses.get(member);
                assertTrue(
                        missed >= placement.stepsMisses().size(),
                        () -> "shape=" + shape.text() + " seed=" + seed + " missed=" + missed + " atLeast="
                                + placement.stepsMisses().size());
                assertTrue(missed <= misses.getFirst(), () -> "shape=" + shape.text() + " seed=" + seed);
            }
        }
    }

    @Test
    void impossibleKneesAndInstructionsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Knee(0, 4));
        assertThrows(IllegalArgumentException.class, () -> new Knee(200, 0));
        assertThrows(IllegalArgumentException.class, () -> new InstructionTrace.Builder().add(0, 16));
        assertThrows(IllegalArgumentException.class, () -> new InstructionTrace.Builder().add(0, 0));
    }

    /** An instruction on two lines evicts its first with its second, whatever switch is before it. */
    @Test
    void aCacheOfOneLineEndsTheSearch() {
        InstructionTrace.Builder trace = new InstructionTrace.Builder();
        for (int line = 0; line < 6; line++) {
            trace.add(line * 2L * LINE_BYTES + LINE_BYTES - 1, 2);
        }
        CacheShape oneLine = CacheShape.parse("16,direct,16");
        SwitchPlacement placement = new SwitchPointSearch(trace.build(), oneLine, new Knee(200, 1)).place();
        assertTrue(placement.switches().size() <= 5, placement::toString);
        assertTrue(!placement.stepsMisses().isEmpty(), "no switch takes these away");
        assertTrue(!placement.found().contains(0), "the operation begins there anyway");
    }
}
