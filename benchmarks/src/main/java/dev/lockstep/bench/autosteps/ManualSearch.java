package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Finds switch points as people did (STEPS, 3.3): two threads run a fragment of the operation one after the other, the
 * code of the switch between them; its end moves forward while the second thread adds less than 5 % to the misses of
 * the first, and the last such end is a point, where the next fragment begins. Where a fragment begins in code that
 * shares its sets with that of the switch, the second thread misses it wherever the fragment ends; so what it misses up
 * to the first good end is not counted against the ends behind.
 *
 * <p>As in {@link SwitchPointSearch}, a point switches wherever its code is executed, so each one starts the search
 * anew. It adds an address or settles a fragment each time, so it ends.
 */
final class ManualSearch {
    /** What the second thread may miss in a fragment, of what the first one misses. */
    private static final double ADDED_MAX = 0.05;

    /** How far the end of a fragment moves at a time: about what the paper's authors would call the next place. */
    private static final int STEP_INSTRUCTIONS = 32;

    private final InstructionTrace trace;
    private final CacheShape shape;
    private final TeamReplay replay;

    /**
     * @param switchBytes executed code of a switch
     */
    ManualSearch(InstructionTrace trace, CacheShape shape, int switchBytes) {
        this.trace = trace;
        this.shape = shape;
        replay = new TeamReplay(trace, shape, switchBytes);
    }

    /** Instructions from {@code begin} to before {@code end}. */
    private record Fragment(int begin, int end) {}

    /** The addresses of the instructions before which a switch is to go, and at which of their executions. */
    SequencedMap<Long, Integer> place() {
        SequencedMap<Long, Integer> points = new LinkedHashMap<>();
        Set<Fragment> settled = new HashSet<>();
        while (step(points, settled)) {
            // One point more, or one fragment that gets none.
        }
        return points;
    }

    /** Deals with the first fragment in which the second thread misses too much; false where there is none. */
    private boolean step(SequencedMap<Long, Integer> points, Set<Fragment> settled) {
        MarkedCache cache = new MarkedCache(shape);
        List<Integer> ends = switches(points.keySet());
        ends.add(trace.count());
        int begin = 0;
        for (int end : ends) {
            Fragment fragment = new Fragment(begin, end);
            if (!settled.contains(fragment) && !isGood(added(cache, begin, end), 0)) {
                int point = lastGood(cache, begin, end);
                if (point == begin || point == end || points.putIfAbsent(trace.address(point), point) != null) {
                    settled.add(fragment);
                }
                return true;
            }
            runBoth(cache, begin, end);
            begin = end;
        }
        return false;
    }

    private List<Integer> switches(Set<Long> addresses) {
        List<Integer> switches = new ArrayList<>();
        for (int i = 1; i < trace.count(); i++) {
            if (addresses.contains(trace.address(i))) {
                switches.add(i);
            }
        }
        return switches;
    }

    /** The good end before the first behind it that is not; {@code begin} where there is no good one. */
    private int lastGood(MarkedCache cache, int begin, int end) {
        int good = begin;
        int inevitable = 0;
        // Ends at the end of the fragment.
        for (int at = begin; at < end; ) {
            at = Math.min(end, at + STEP_INSTRUCTIONS);
            Misses misses = added(cache, begin, at);
            if (isGood(misses, inevitable)) {
                good = at;
            } else if (good == begin) {
                inevitable = misses.second;
            } else {
                break;
            }
        }
        return good;
    }

    /** Of two threads that run a fragment one after the other. */
    private record Misses(int first, int second) {}

    private Misses added(MarkedCache before, int begin, int end) {
        MarkedCache cache = before.copy();
        int first = replay.run(cache, begin, end);
        replay.runSwitch(cache);
        return new Misses(first, replay.run(cache, begin, end));
    }

    /** @param inevitable misses of the second thread that come wherever the fragment ends */
    private static boolean isGood(Misses misses, int inevitable) {
        // A single miss does not make a fragment bad that is still short.
        return misses.second - inevitable <= Math.max(1, misses.first * ADDED_MAX);
    }

    private void runBoth(MarkedCache cache, int begin, int end) {
        for (int member = 0; member < 2; member++) {
            replay.run(cache, begin, end);
            replay.runSwitch(cache);
        }
    }
}
