package dev.lockstep.bench.simulate.validation;

import static dev.lockstep.bench.simulate.validation.Quantity.INSTRUCTIONS;
import static dev.lockstep.bench.simulate.validation.Quantity.L1D_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.L1I_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.L2_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.LAST_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.LOADS;
import static dev.lockstep.bench.simulate.validation.Quantity.STORES;

import java.util.ArrayList;
import java.util.List;

/**
 * Patterns and what a round of them costs. The rule behind most: when each round touches the lines of a set once, in
 * the same order, an LRU set with room for all of them never misses, and one with a line too many misses each of them.
 *
 * <p>The standard caches here: L1-I 32 KB, 8 ways, 64 sets; L1-D 48 KB, 12 ways, 64 sets, 768 lines; L2 256 KB, 8 ways,
 * 512 sets, 4,096 lines; last level 1 MB, 16 ways, 1,024 sets, 16,384 lines; lines of 64 bytes, nothing inclusive.
 */
final class HandCases {
    private static final int LINE = 64;
    private static final Geometry STANDARD = new Geometry(
            Geometry.kib(32, 8, LINE),
            Geometry.kib(48, 12, LINE),
            Geometry.kib(256, 8, LINE),
            Geometry.kib(1024, 16, LINE),
            false,
            1);
    private static final Geometry L1_ONLY =
            new Geometry(Geometry.kib(32, 8, LINE), Geometry.kib(8, 4, LINE), null, null, false, 1);

    private HandCases() {}

    /** All cases of one thread. */
    static List<HandCase> all() {
        List<HandCase> cases = new ArrayList<>();
        cases.addAll(capacities());
        cases.addAll(conflicts());
        cases.addAll(sequential());
        cases.addAll(accesses());
        cases.addAll(shapes());
        cases.addAll(code());
        cases.addAll(MachineCases.all());
        return cases;
    }

    /** Loops over exactly as many lines as a level holds, and over one more, which makes one set too small. */
    private static List<HandCase> capacities() {
        return List.of(
                levels(load(768), 0, 0, 0).expect(INSTRUCTIONS, 4 * 768 + 4).expect(LOADS, 768),
                levels(load(769), 13, 0, 0),
                levels(load(4096), 4096, 0, 0),
                // In the set of L2 that has nine.
                levels(load(4097), 4097, 9, 0),
                levels(load(16384), 16384, 16384, 0),
                levels(load(16385), 16385, 16385, 17),
                levels(HandCase.of(STANDARD, "store", 768, LINE, 0), 0, 0, 0)
                        .expect(INSTRUCTIONS, 4 * 768 + 4)
                        .expect(STORES, 768),
                levels(HandCase.of(STANDARD, "store", 769, LINE, 0), 13, 0, 0),
                levels(HandCase.of(STANDARD, "store", 4097, LINE, 0), 4097, 9, 0));
    }

    /** Lines that all belong into one set of some level. */
    private static List<HandCase> conflicts() {
        return List.of(
                levels(HandCase.of(STANDARD, "load", 12, 4096, 0), 0, 0, 0),
                levels(HandCase.of(STANDARD, "load", 13, 4096, 0), 13, 0, 0),
                levels(HandCase.of(STANDARD, "load", 13, 32768, 0), 13, 13, 0),
                // Two sets of the last level take eight lines each.
                levels(HandCase.of(STANDARD, "load", 16, 32768, 0), 16, 16, 0),
                levels(HandCase.of(STANDARD, "load", 16, 65536, 0), 16, 16, 0),
                levels(HandCase.of(STANDARD, "load", 17, 65536, 0), 17, 17, 17));
    }

    /**
     * Walks over memory that no round has seen before: each new line is a miss at every level. Three rounds are more
     * than the last level holds, so that a longer run takes no more of what was there before.
     */
    private static List<HandCase> sequential() {
        return List.of(
                levels(HandCase.of(STANDARD, "load-fresh", 6000, LINE, 0), 6000, 6000, 6000)
                        .expect(INSTRUCTIONS, 4 * 6000 + 3),
                levels(HandCase.of(STANDARD, "load-fresh", 48000, 8, 0), 6000, 6000, 6000),
                levels(HandCase.of(STANDARD, "store-fresh", 6000, LINE, 0), 6000, 6000, 6000),
                // Eight bytes across the end of a line: the next place begins in the line where this one ended.
                levels(HandCase.of(STANDARD, "load-fresh", 6000, LINE, 60), 6000, 6000, 6000),
                levels(HandCase.of(STANDARD, "load-fresh", 6000, 128, 60), 12000, 12000, 12000));
    }

    /** Each kind of access counts once, and touches all the lines that it covers. */
    private static List<HandCase> accesses() {
        return List.of(
                levels(HandCase.of(STANDARD, "update", 768, LINE, 0), 0, 0, 0).expect(INSTRUCTIONS, 4 * 768 + 4),
                levels(HandCase.of(STANDARD, "update", 769, LINE, 0), 13, 0, 0),
                // A locked addition across the end of a line, which an emulator may have to start again.
                levels(HandCase.of(STANDARD, "update", 100, LINE, 60), 0, 0, 0).expect(INSTRUCTIONS, 4 * 100 + 4),
                levels(HandCase.of(STANDARD, "swap", 769, LINE, 0), 13, 0, 0).expect(INSTRUCTIONS, 4 * 769 + 4),
                levels(HandCase.of(STANDARD, "load32", 768, LINE, 0), 0, 0, 0)
                        .expect(INSTRUCTIONS, 4 * 768 + 4)
                        .expect(LOADS, 768),
                // 768 places, the last of which reaches into a line beyond the capacity.
                levels(HandCase.of(STANDARD, "load32", 768, LINE, 48), 13, 0, 0).expect(LOADS, 768),
                // A line read and a line written for each place, in the same set: 14 lines in the first.
                levels(HandCase.of(STANDARD, "move", 384, LINE, 0), 0, 0, 0)
                        .expect(INSTRUCTIONS, 7 * 384 + 4)
                        .expect(LOADS, 384)
                        .expect(STORES, 384),
                levels(HandCase.of(STANDARD, "move", 385, LINE, 0), 14, 0, 0),
                levels(HandCase.of(STANDARD, "fill", 768, LINE, 0), 0, 0, 0)
                        .expect(INSTRUCTIONS, 6 * 768 + 4)
                        .expect(STORES, 768),
                levels(HandCase.of(STANDARD, "fill", 769, LINE, 0), 13, 0, 0));
    }

    /** An L1-D direct, in between and full, with lines of all sizes; and an L2 that takes lines out of an L1. */
    private static List<HandCase> shapes() {
        Geometry direct = L1_ONLY.withL1d(Geometry.kib(8, 1, LINE));
        Geometry full = L1_ONLY.withL1d(Geometry.kib(8, 128, LINE));
        Geometry line16 = L1_ONLY.withL1d(Geometry.kib(8, 4, 16));
        Geometry line32 = L1_ONLY.withL1d(Geometry.kib(8, 4, 32));
        Geometry line128 = L1_ONLY.withL1d(Geometry.kib(8, 4, 128));
        Geometry line256 = L1_ONLY.withL1d(Geometry.kib(8, 4, 256));
        // 64 sets each; three lines fit into a set of the L1-D and not into one of L2.
        Geometry apart = new Geometry(
                Geometry.kib(32, 8, LINE), Geometry.kib(16, 4, LINE), Geometry.kib(8, 2, LINE), null, false, 1);
        Geometry inclusive = new Geometry(apart.l1i(), apart.l1d(), apart.l2(), null, true, 1);
        return List.of(
                l1d(HandCase.of(direct, "load", 128, LINE, 0), 0),
                l1d(HandCase.of(direct, "load", 129, LINE, 0), 2),
                l1d(HandCase.of(full, "load", 128, LINE, 0), 0),
                l1d(HandCase.of(full, "load", 129, LINE, 0), 129),
                l1d(HandCase.of(line16, "load", 512, 16, 0), 0),
                l1d(HandCase.of(line16, "load", 513, 16, 0), 5),
                l1d(HandCase.of(line32, "load", 256, 32, 0), 0),
                l1d(HandCase.of(line32, "load", 257, 32, 0), 5),
                l1d(HandCase.of(line128, "load", 128, LINE, 0), 0),
                l1d(HandCase.of(line128, "load", 129, LINE, 0), 5),
                l1d(HandCase.of(line256, "load", 128, LINE, 0), 0),
                l1d(HandCase.of(line256, "load", 129, LINE, 0), 5),
                // Half a page in, away from the sets of the code.
                l1d(HandCase.of(apart, "load", 3, 4096, 2048), 0).expect(L2_MISSES, 0),
                l1d(HandCase.of(inclusive, "load", 2, 4096, 2048), 0).expect(L2_MISSES, 0),
                l1d(HandCase.of(inclusive, "load", 3, 4096, 2048), 3).expect(L2_MISSES, 3));
    }

    /** Loops of straight code that fit a level and that do not, and code that changes. */
    private static List<HandCase> code() {
        return List.of(
                // One more line holds the jump.
                HandCase.of(STANDARD, "code", 511).expect(L1I_MISSES, 0).expect(INSTRUCTIONS, 16 * 511 + 3),
                HandCase.of(STANDARD, "code", 512).expect(L1I_MISSES, 9).expect(L2_MISSES, 0),
                HandCase.of(STANDARD, "code", 4095).expect(L1I_MISSES, 4096).expect(L2_MISSES, 0),
                HandCase.of(STANDARD, "code", 4096)
                        .expect(L1I_MISSES, 4097)
                        .expect(L2_MISSES, 9)
                        .expect(LAST_MISSES, 0),
                HandCase.of(STANDARD, "modify").expect(INSTRUCTIONS, 7).expect(L1I_MISSES, 1),
                HandCase.of(STANDARD, "modify-near").expect(INSTRUCTIONS, 7).expect(L1I_MISSES, 1));
    }

    private static HandCase load(long places) {
        return HandCase.of(STANDARD, "load", places, LINE, 0);
    }

    private static HandCase l1d(HandCase pattern, double misses) {
        return pattern.expect(L1D_MISSES, misses);
    }

    private static HandCase levels(HandCase pattern, double l1d, double l2, double last) {
        return pattern.expect(L1D_MISSES, l1d)
                .expect(L1I_MISSES, 0)
                .expect(L2_MISSES, l2)
                .expect(LAST_MISSES, last);
    }
}
