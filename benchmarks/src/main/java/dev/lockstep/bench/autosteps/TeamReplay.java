package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the trace of an operation for a whole team, segment by segment, and counts what each member misses: what a
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

    /**
     * Runs a team in a cold cache.
     *
     * @param switches indexes of the trace before which a member gives up its turn, ascending
     * @return the misses of each member in the order of their turns, those of the switch that ends a turn included
     */
    List<Integer> misses(List<Integer> switches, int members) {
        MarkedCache cache = new MarkedCache(shape);
        int[] misses = new int[members];
        int begin = 0;
        for (int segment = 0; segment <= switches.size(); segment++) {
            int end = segment < switches.size() ? switches.get(segment) : trace.count();
            for (int member = 0; member < members; member++) {
                misses[member] += run(cache, begin, end);
                misses[member] += members == 1 ? 0 : runSwitch(cache);
            }
            begin = end;
        }
        List<Integer> result = new ArrayList<>();
        for (int count : misses) {
            result.add(count);
        }
        return result;
    }

    /** Executes the code of a switch; returns what it misses. */
    int runSwitch(MarkedCache cache) {
        return touch(cache, SWITCH_ADDRESS, SWITCH_ADDRESS + switchBytes - 1);
    }

    /** Executes the instructions from {@code begin} to before {@code end}; returns what they miss. */
    int run(MarkedCache cache, int begin, int end) {
        int misses = 0;
        for (int i = begin; i < end; i++) {
            misses += touch(cache, trace.address(i), trace.lastByte(i));
        }
        return misses;
    }

    private static int touch(MarkedCache cache, long firstByte, long lastByte) {
        int misses = 0;
        for (long line = cache.lineOf(firstByte); line <= cache.lineOf(lastByte); line++) {
            misses += cache.access(line, 0) ? 0 : 1;
        }
        return misses;
    }
}
