package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;

/** Placement by hand: a cache of 64 lines of 16 bytes, straight code of four bytes an instruction. */
class ManualSearchTest {
    private static final CacheShape SHAPE = CacheShape.parse("1K,full,16");
    private static final int INSTRUCTIONS_OF_CACHE = 256;

    private static InstructionTrace straight(int instructions) {
        InstructionTrace.Builder trace = new InstructionTrace.Builder();
        for (int i = 0; i < instructions; i++) {
            trace.add(4L * i, 4);
        }
        return trace.build();
    }

    private static List<Integer> indexes(SequencedMap<Long, Integer> points) {
        return List.copyOf(points.values());
    }

    @Test
    void whatFitsNeedsNoPoint() {
        assertEquals(Map.of(), new ManualSearch(straight(INSTRUCTIONS_OF_CACHE), SHAPE, 0).place());
    }

    @Test
    void aFragmentEndsWhereTheCacheIsFull() {
        SequencedMap<Long, Integer> found = new ManualSearch(straight(3 * INSTRUCTIONS_OF_CACHE), SHAPE, 0).place();
        assertEquals(List.of(256, 512), indexes(found));
    }

    @Test
    void theCodeOfTheSwitchTakesItsPart() {
        SequencedMap<Long, Integer> found = new ManualSearch(straight(3 * INSTRUCTIONS_OF_CACHE), SHAPE, 512).place();
        assertEquals(List.of(128, 256, 384, 512, 640), indexes(found));
    }

    @Test
    void theMembersOfATeamThenMissNextToNothing() {
        InstructionTrace trace = straight(10 * INSTRUCTIONS_OF_CACHE);
        SwitchPlacement placement =
                new SwitchPointSearch(trace, SHAPE, new Knee(200, 4)).judge(new ManualSearch(trace, SHAPE, 64).place());
        List<Integer> misses = new TeamReplay(trace, SHAPE, 64).misses(placement.switches(), 4, TeamReplay.Order.TEAM);
        for (int member = 1; member < 4; member++) {
            assertTrue(misses.get(member) < misses.getFirst() * 0.15, misses::toString);
        }
    }

    /**
     * The switch lies in the sets where each second fragment begins: what is missed there is missed wherever that ends.
     */
    @Test
    void codeThatTheSwitchEvictsDoesNotEndTheSearch() {
        CacheShape direct = CacheShape.parse("1K,direct,16");
        InstructionTrace trace = straight(3 * INSTRUCTIONS_OF_CACHE);
        SequencedMap<Long, Integer> found = new ManualSearch(trace, direct, 256).place();
        assertEquals(List.of(256, 512), indexes(found));
    }

    @Test
    void aSwitchLargerThanTheCacheEndsTheSearch() {
        SequencedMap<Long, Integer> found = new ManualSearch(straight(2 * INSTRUCTIONS_OF_CACHE), SHAPE, 4096).place();
        assertEquals(List.of(), indexes(found));
    }
}
