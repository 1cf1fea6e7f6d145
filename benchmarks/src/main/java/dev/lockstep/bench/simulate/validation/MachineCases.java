package dev.lockstep.bench.simulate.validation;

import static dev.lockstep.bench.simulate.validation.Quantity.CYCLES;
import static dev.lockstep.bench.simulate.validation.Quantity.DTLB_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.INSTRUCTIONS;
import static dev.lockstep.bench.simulate.validation.Quantity.ITLB_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.L1D_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.L1D_WRITES;
import static dev.lockstep.bench.simulate.validation.Quantity.L1I_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.L2_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.LAST_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.MEMORY_LOCAL;
import static dev.lockstep.bench.simulate.validation.Quantity.MEMORY_REMOTE;
import static dev.lockstep.bench.simulate.validation.Quantity.PREFETCHES;
import static dev.lockstep.bench.simulate.validation.Quantity.PREFETCHES_USEFUL;
import static dev.lockstep.bench.simulate.validation.Quantity.STLB_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.WALK_READS;

import java.util.ArrayList;
import java.util.List;

/**
 * Patterns on what a machine has beside caches: translation buffers, caches that write through, prefetchers, nodes. The
 * rules are those of {@link HandCases}; the places begin where a large page does.
 */
final class MachineCases {
    private static final int LINE = 64;
    private static final int PAGE = 4096;
    private static final int LARGE_PAGE = 1 << 21;
    private static final int LINES_OF_A_PAGE = PAGE / LINE;

    /** L1-D of 128 lines in 32 sets; L2 of 4,096 lines. */
    private static final Geometry TWO_LEVELS = new Geometry(
            Geometry.kib(32, 8, LINE), Geometry.kib(8, 4, LINE), Geometry.kib(256, 8, LINE), null, false, 1);

    private static final Geometry L1_ONLY =
            new Geometry(Geometry.kib(32, 8, LINE), Geometry.kib(8, 4, LINE), null, null, false, 1);

    private MachineCases() {}

    static List<HandCase> all() {
        List<HandCase> cases = new ArrayList<>();
        cases.addAll(dataPages());
        cases.addAll(largePages());
        cases.addAll(codePages());
        cases.addAll(writing());
        cases.addAll(prefetching());
        cases.addAll(nodes());
        return cases;
    }

    /** 64 entries in 16 sets and behind them 128 in 32; a walk reads an entry of each of four levels. */
    private static List<HandCase> dataPages() {
        Geometry both = L1_ONLY.withFurther("dtlb=64,4", "stlb=128,4");
        return List.of(
                pages(both, 64, PAGE, 0, 0, 0),
                // In the set that has five; the second level has them all.
                pages(both, 65, PAGE, 5, 0, 0),
                pages(both, 128, PAGE, 128, 0, 0),
                pages(both, 129, PAGE, 129, 5, 4 * 5),
                // Without a second level each miss walks.
                HandCase.of(L1_ONLY.withFurther("dtlb=64,4"), "load", 65, PAGE, 0)
                        .expect(DTLB_MISSES, 5)
                        .expect(WALK_READS, 4 * 5),
                // Each place ends in the next page, whose entry is the next one's too.
                HandCase.of(both, "load", 64, PAGE, PAGE - 4).expect(DTLB_MISSES, 5));
    }

    /** 16 entries in 4 sets. Of a page of 2 MB three levels are read. */
    private static List<HandCase> largePages() {
        Geometry small = L1_ONLY.withFurther("dtlb=16,4");
        Geometry large = L1_ONLY.withFurther("dtlb=16,4", "page=2M");
        return List.of(
                pages(small, 17, PAGE, 5, 0, 4 * 5),
                pages(large, 512, PAGE, 0, 0, 0),
                pages(large, 16, LARGE_PAGE, 0, 0, 0),
                pages(large, 17, LARGE_PAGE, 5, 0, 3 * 5),
                // The program says that its places are in large pages; the rest of the machine has small ones.
                HandCase.of(small, "load-large", 512, PAGE, 0).expect(DTLB_MISSES, 0),
                HandCase.of(small, "load-large", 17, LARGE_PAGE, 0)
                        .expect(DTLB_MISSES, 5)
                        .expect(WALK_READS, 3 * 5));
    }

    /** 16 entries in 4 sets. The jump is at the beginning of a page of its own. */
    private static List<HandCase> codePages() {
        Geometry geometry = L1_ONLY.withFurther("itlb=16,4");
        return List.of(
                HandCase.of(geometry, "code", 15 * LINES_OF_A_PAGE).expect(ITLB_MISSES, 0),
                HandCase.of(geometry, "code", 16 * LINES_OF_A_PAGE).expect(ITLB_MISSES, 5));
    }

    private static List<HandCase> writing() {
        Geometry through = TWO_LEVELS.withFurther("l1d.write=through");
        return List.of(
                // Modified lines leave to make room, and only they.
                writes(TWO_LEVELS, "store", 128, 0, 0),
                writes(TWO_LEVELS, "store", 129, 5, 5),
                writes(TWO_LEVELS, "load", 129, 5, 0),
                // Each store is sent on, and a line that is only stored to is never there.
                writes(through, "store", 128, 128, 128),
                // An update reads as well, which brings its line.
                writes(through, "update", 128, 0, 128),
                writes(through, "update", 129, 5, 129));
    }

    private static List<HandCase> prefetching() {
        Geometry nextLine = L1_ONLY.withFurther("prefetch.next_line=l1d");
        Geometry nextCode = L1_ONLY.withFurther("prefetch.next_line=l1i");
        Geometry stream = new Geometry(
                        TWO_LEVELS.l1i(), TWO_LEVELS.l1d(), TWO_LEVELS.l2(), Geometry.kib(1024, 16, LINE), false, 1)
                .withFurther("prefetch.stream=4,2");
        return List.of(
                // Every other line is brought by a miss on the one before.
                prefetches(HandCase.of(nextLine, "load-fresh", 6000, LINE, 0), 3000, 3000)
                        .expect(L1D_MISSES, 3000),
                // All for nothing: the line behind is never wanted.
                prefetches(HandCase.of(nextLine, "load-fresh", 6000, 2 * LINE, 0), 6000, 0)
                        .expect(L1D_MISSES, 6000),
                // The last line of a page brings none. From its second line on in the first page, 32 misses bring 31
                // lines; 63 pages of 32 misses each; and the jump, behind which nothing is wanted.
                prefetches(HandCase.of(nextCode, "code", 4095), 31 + 63 * 32 + 1, 31 + 63 * 32)
                        .expect(L1I_MISSES, 32 + 63 * 32 + 1),
                // Streams end with the page, so that the first line of each of 100 pages is a miss.
                prefetches(HandCase.of(stream, "load-fresh", 100 * LINES_OF_A_PAGE, LINE, 0), 6300, 6300)
                        .expect(L1D_MISSES, 6400)
                        .expect(L2_MISSES, 100)
                        .expect(LAST_MISSES, 100));
    }

    /** Four times what the L1-D holds, so that all comes from memory; a node has one core. */
    private static List<HandCase> nodes() {
        Geometry geometry =
                L1_ONLY.withCores(2).withFurther("nodes=2", "latency.memory=100", "latency.memory_remote=300");
        double instructions = 4 * 512 + 4;
        return List.of(
                HandCase.of(geometry, "load", 512, LINE, 0)
                        .expect(INSTRUCTIONS, instructions)
                        .expect(MEMORY_LOCAL, 512)
                        .expect(MEMORY_REMOTE, 0)
                        .expect(CYCLES, instructions + 512 * 100),
                HandCase.of(geometry, "load-remote", 512, LINE, 0)
                        .expect(INSTRUCTIONS, instructions)
                        .expect(MEMORY_LOCAL, 0)
                        .expect(MEMORY_REMOTE, 512)
                        .expect(CYCLES, instructions + 512 * 300));
    }

    private static HandCase pages(
            Geometry geometry, long places, long stride, double first, double second, double read) {
        HandCase computed = HandCase.of(geometry, "load", places, stride, 0)
                .expect(DTLB_MISSES, first)
                .expect(WALK_READS, read);
        return geometry.further().stream().anyMatch(line -> line.startsWith("stlb="))
                ? computed.expect(STLB_MISSES, second)
                : computed;
    }

    private static HandCase writes(Geometry geometry, String pattern, long places, double misses, double writes) {
        return HandCase.of(geometry, pattern, places, LINE, 0)
                .expect(L1D_MISSES, misses)
                .expect(L2_MISSES, 0)
                .expect(L1D_WRITES, writes);
    }

    private static HandCase prefetches(HandCase pattern, double all, double useful) {
        return pattern.expect(PREFETCHES, all).expect(PREFETCHES_USEFUL, useful);
    }
}
