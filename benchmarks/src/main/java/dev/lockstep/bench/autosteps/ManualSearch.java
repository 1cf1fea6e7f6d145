package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds switch points as people did (STEPS, 3.3): two threads run a fragment of the operation one after the other, the
 * code of the switch between them; its end moves forward while the second thread adds less than 5 % to the misses of
 * the first, and the last such end is a point, where the next fragment begins.
 *
 * <p>As in {@link SwitchPointSearch}, a point switches wherever its code is executed, so each one starts the search
 * anew. It adds an address or gives up a fragment each time, so it ends.
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

    /** The addresses of the instructions before which a switch is to go. */
    Set<Long> place() {
        Set<Long> addresses = new LinkedHashSet<>();
        Set<Integer> givenUp = new HashSet<>();
        while (step(addresses, givenUp)) {
            // One point more, or one fragment that has none.
        }
        return Collections.unmodifiableSet(addresses);
    }

    /** Deals with the first fragment in which the second thread misses too much; false where there is none. */
    private boolean step(Set<Long> addresses, Set<Integer> givenUp) {
        MarkedCache cache = new MarkedCache(shape);
        List<Integer> ends = switches(addresses);
        ends.add(trace.count());
        int begin = 0;
        for (int end : ends) {
            if (!givenUp.contains(begin) && !isGood(cache, begin, end)) {
                int point = lastGood(cache, begin, end);
                if (point > begin) {
                    addresses.add(trace.address(point));
                } else {
                    givenUp.add(begin);
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

    /** The end before the first that is not good; {@code begin} where there is no good one. */
    private int lastGood(MarkedCache cache, int begin, int end) {
        int good = begin;
        for (int at = begin + STEP_INSTRUCTIONS; at < end && isGood(cache, begin, at); at += STEP_INSTRUCTIONS) {
            good = at;
        }
        return good;
    }

    private boolean isGood(MarkedCache before, int begin, int end) {
        MarkedCache cache = before.copy();
        int first = replay.run(cache, begin, end);
        replay.runSwitch(cache);
        int second = replay.run(cache, begin, end);
        // A single miss does not make a fragment bad that is still short.
        return second <= Math.max(1, first * ADDED_MAX);
    }

    private void runBoth(MarkedCache cache, int begin, int end) {
        for (int member = 0; member < 2; member++) {
            replay.run(cache, begin, end);
            replay.runSwitch(cache);
        }
    }
}
