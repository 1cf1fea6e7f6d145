package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the trace of an operation for several members, segment by segment, and counts what each member misses: what a
 * placement promises, held against the cache itself. Between two members stands the code of a switch.
 */
final class TeamReplay {
    /** Where the code of a switch lies: outside all code of processes. */
    private static final long SWITCH_ADDRESS = 1L << 62;

    private final InstructionTrace trace;
    private final CacheShape shape;
    private final int switchBytes;

    /**
     * @param switchBytes executed bytes of one switch, one after the other; 0 for a switch that takes no room
     */
    TeamReplay(InstructionTrace trace, CacheShape shape, int switchBytes) {
        this.trace = trace;
        this.shape = shape;
        this.switchBytes = switchBytes;
    }

    /** Who goes on when a member gives up its turn. */
    enum Order {
        /** The next one, at the same place: a team. */
        TEAM,
        /** The same one: members run one after the other and switch in vain, which is what a team is held against. */
        SERIAL
    }

    /**
     * Runs members in a cold cache.
     *
     * @param switches indexes of the trace before which a member gives up its turn, ascending
     * @return the misses of each member, those of the switches that end its turns included
     */
    List<Integer> misses(List<Integer> switches, int members, Order order) {
        return missesAt(switches, members, order).stream().map(List::size).toList();
    }

    /**
     * The same by instruction.
     *
     * @return for each member the indexes of the trace at which it missed, ascending, once for each line; what a switch
     *     misses is missed before the instruction that follows it
     */
    List<List<Integer>> missesAt(List<Integer> switches, int members, Order order) {
        MarkedCache cache = new MarkedCache(shape);
        List<List<Integer>> misses = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            misses.add(new ArrayList<>());
        }
        int turns = switches.size() + 1;
        for (int turn = 0; turn < turns * members; turn++) {
            int member = order == Order.TEAM ? turn % members : turn / turns;
            int segment = order == Order.TEAM ? turn / members : turn % turns;
            int begin = segment == 0 ? 0 : switches.get(segment - 1);
            int end = segment < switches.size() ? switches.get(segment) : trace.count();
            run(cache, begin, end, misses.get(member));
            int missed = members == 1 ? 0 : runSwitch(cache);
            misses.get(member).addAll(Collections.nCopies(missed, end));
        }
        return misses;
    }

    /** Executes the code of a switch; returns what it misses. */
    int runSwitch(MarkedCache cache) {
        return touch(cache, SWITCH_ADDRESS, SWITCH_ADDRESS + switchBytes - 1);
    }

    /** Executes the instructions from {@code begin} to before {@code end}; returns what they miss. */
    int run(MarkedCache cache, int begin, int end) {
        List<Integer> misses = new ArrayList<>();
        run(cache, begin, end, misses);
        return misses.size();
    }

    private void run(MarkedCache cache, int begin, int end, List<Integer> misses) {
        for (int i = begin; i < end; i++) {
            int missed = touch(cache, trace.address(i), trace.lastByte(i));
            for (int left = missed; left > 0; left--) {
                misses.add(i);
            }
        }
    }

    private static int touch(MarkedCache cache, long firstByte, long lastByte) {
        int misses = 0;
        for (long line = cache.lineOf(firstByte); line <= cache.lineOf(lastByte); line++) {
            misses += cache.access(line, 0) ? 0 : 1;
        }
        return misses;
    }
}
