package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

    private static List<Integer> indexes(Set<Long> addresses) {
        List<Integer> indexes = new ArrayList<>();
        addresses.forEach(address -> indexes.add(Math.toIntExact(address / 4)));
        return indexes;
    }

    @Test
    void whatFitsNeedsNoPoint() {
        assertEquals(Set.of(), new ManualSearch(straight(INSTRUCTIONS_OF_CACHE), SHAPE, 0).place());
    }

    @Test
    void aFragmentEndsWhereTheCacheIsFull() {
        Set<Long> found = new ManualSearch(straight(3 * INSTRUCTIONS_OF_CACHE), SHAPE, 0).place();
        assertEquals(List.of(256, 512), indexes(found));
    }

    @Test
    void theCodeOfTheSwitchTakesItsPart() {
        Set<Long> found = new ManualSearch(straight(3 * INSTRUCTIONS_OF_CACHE), SHAPE, 512).place();
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

    @Test
    void aSwitchLargerThanTheCacheEndsTheSearch() {
        Set<Long> found = new ManualSearch(straight(2 * INSTRUCTIONS_OF_CACHE), SHAPE, 4096).place();
        assertEquals(List.of(), indexes(found));
    }
}
