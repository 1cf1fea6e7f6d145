package dev.lockstep.bench.simulate.validation;

import static dev.lockstep.bench.simulate.validation.Quantity.FALSE_SHARING;
import static dev.lockstep.bench.simulate.validation.Quantity.L1I_MISSES;
import static dev.lockstep.bench.simulate.validation.Quantity.TRANSFERS_REMOTE;
import static dev.lockstep.bench.simulate.validation.Quantity.TRUE_SHARING;
import static dev.lockstep.bench.simulate.validation.Quantity.UPGRADES;

import java.util.List;
import java.util.Map;

/**
 * Two threads on two cores that take turns. In a round each has one turn: it finds by a true-sharing miss that it is
 * its turn, uses the data, and hands over by an upgrade of the line that holds the turn.
 */
final class SharingCases {
    /** Enough that the few misses of the beginning and the end do not count. */
    private static final long ROUNDS = 2000;

    /**
     * An access is real a little before the simulator hears of it, so that now and then a spinning reader is seen to
     * read between the two halves of a hand-over, or after it.
     */
    private static final Bound BOUND = Bound.within(0.02, 0.02 * ROUNDS);

    private static final Geometry TWO_CORES =
            new Geometry(Geometry.kib(32, 8, 64), Geometry.kib(48, 12, 64), null, Geometry.kib(1024, 16, 64), false, 2);

    private static final Geometry TWO_NODES = TWO_CORES.withFurther("nodes=2");
    private static final Geometry APART =
            Geometry.instructionsOnly(Geometry.kib(32, 8, 64)).withCores(2).withFurther("coherence=none", "classes=no");

    private SharingCases() {}

    static List<HandCase> all() {
        return List.of(
                pattern("turns", 2, 0, 2),
                // Each stores to a word that the other never reads; the line is gone when it does, so no upgrade.
                pattern("write-own", 2, 2, 2),
                // Each reads what the other wrote, then upgrades.
                pattern("write-same", 4, 0, 4),
                // The miss is on a word that nobody changed, the read after it on one that was.
                pattern("read-changed", 3, 0, 3),
                pattern("read-other", 2, 1, 3),
                pattern("read-both", 2, 0, 2),
                // All of it between nodes: the two lines that change hands in a turn, there and back.
                on(TWO_NODES, "write-same", Map.of(TRUE_SHARING, 4.0, UPGRADES, 4.0, TRANSFERS_REMOTE, 4.0)),
                // Cores that share nothing: what one changes leaves both L1-Is.
                on(APART, "modify", Map.of(L1I_MISSES, 2.0)));
    }

    private static HandCase on(Geometry geometry, String name, Map<Quantity, Double> perRound) {
        return new HandCase("sharing", name, List.of("2"), geometry, ROUNDS, perRound, BOUND);
    }

    private static HandCase pattern(String name, double trueSharing, double falseSharing, double upgrades) {
        return on(TWO_CORES, name, Map.of(TRUE_SHARING, trueSharing, FALSE_SHARING, falseSharing, UPGRADES, upgrades));
    }
}
