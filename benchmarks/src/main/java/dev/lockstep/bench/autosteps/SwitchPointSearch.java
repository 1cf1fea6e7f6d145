package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Finds switch points from the trace of an operation (STEPS, 5.2).
 *
 * <p>Code between two switches is a segment. A block that is evicted while the segment that used it last is still
 * running is a STEPS miss: every further member of a team would find it gone. Misses that follow each other within the
 * width of a {@link Knee} add up; one that comes later begins a new count, but no segment gets more than
 * {@link Knee#missesPerSegmentMax} misses. When the count reaches the knee's height, the switch goes before the
 * instruction whose miss began it, so that the knee falls into a new segment, which may evict what the old one has
 * used.
 *
 * <p>A switch in the code happens whenever that code is executed, also before the place where the search has found it.
 * So each point found starts the search anew, with all switches that it makes. Every turn adds an address of the trace
 * or is the last, so the search ends.
 */
final class SwitchPointSearch {
    private final InstructionTrace trace;
    private final CacheShape shape;
    private final Knee knee;

    SwitchPointSearch(InstructionTrace trace, CacheShape shape, Knee knee) {
        this.trace = trace;
        this.shape = shape;
        this.knee = knee;
    }

    /** Searches the whole trace. */
    SwitchPlacement place() {
        SequencedMap<Long, Integer> points = new LinkedHashMap<>();
        Pass pass = new Pass(points.keySet());
        for (int at = pass.run(); at >= 0; at = pass.run()) {
            if (points.putIfAbsent(trace.address(at), at) != null) {
                // In a cache of one line an instruction can evict itself; a switch before it is there already.
                return judge(points);
            }
            pass = new Pass(points.keySet());
        }
        return placement(points, pass);
    }

    /**
     * What given switch points do, without looking for more.
     *
     * @param points address of each, and the index of an execution of it
     */
    SwitchPlacement judge(SequencedMap<Long, Integer> points) {
        Pass pass = new Pass(points.keySet());
        pass.runToEnd();
        return placement(points, pass);
    }

    private SwitchPlacement placement(SequencedMap<Long, Integer> points, Pass pass) {
        return new SwitchPlacement(
                new ArrayList<>(points.keySet()),
                new ArrayList<>(points.values()),
                pass.switches,
                originalMisses(),
                pass.misses);
    }

    /** The misses of the operation alone, the second time that it runs: the first one warms the cache. */
    private List<Integer> originalMisses() {
        MarkedCache cache = new MarkedCache(shape);
        List<Integer> misses = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            misses.clear();
            for (int i = 0; i < trace.count(); i++) {
                long last = cache.lineOf(trace.lastByte(i));
                for (long line = cache.lineOf(trace.address(i)); line <= last; line++) {
                    if (!cache.access(line, 0)) {
                        misses.add(i);
                    }
                }
            }
        }
        return misses;
    }

    /** One walk along the trace. */
    private final class Pass {
        private final Set<Long> addresses;
        private final MarkedCache cache = new MarkedCache(shape);
        private final List<Integer> switches = new ArrayList<>();
        private final List<Integer> misses = new ArrayList<>();
        private int segment;
        private int missesOfSegment;
        private int height;
        private int kneeBegin;
        private int lastMiss;

        Pass(Set<Long> addresses) {
            this.addresses = addresses;
        }

        /** Index of the instruction that begins the first knee, or -1 where the trace ends without one. */
        int run() {
            for (int i = 0; i < trace.count(); i++) {
                if (step(i)) {
                    return kneeBegin;
                }
            }
            return -1;
        }

        void runToEnd() {
            for (int i = 0; i < trace.count(); i++) {
                step(i);
            }
        }

        /** Whether a knee is complete with this instruction. */
        private boolean step(int index) {
            if (index > 0 && addresses.contains(trace.address(index))) {
                switches.add(index);
                segment++;
                missesOfSegment = 0;
                height = 0;
            }
            boolean complete = false;
            long last = cache.lineOf(trace.lastByte(index));
            for (long line = cache.lineOf(trace.address(index)); line <= last; line++) {
                cache.access(line, segment);
                if (cache.evictedSegment() == segment) {
                    complete |= missed(index);
                }
            }
            return complete;
        }

        private boolean missed(int index) {
            misses.add(index);
            missesOfSegment++;
            if (height == 0 || index - lastMiss > knee.widthInstructions()) {
                height = 0;
                kneeBegin = index;
            }
            height++;
            lastMiss = index;
            boolean complete = height >= knee.heightMisses() || missesOfSegment >= knee.missesPerSegmentMax();
            if (complete && kneeBegin == 0) {
                // Before the first instruction a segment begins anyway.
                height = 0;
                return false;
            }
            return complete;
        }
    }
}
