package dev.lockstep.counters;

import java.nio.file.Path;
import java.util.List;

/**
 * Processors, caches and memory nodes of this machine, and who shares what, as the system reports them. Immutable. Only
 * processors that are online appear; numbers are the system's own.
 *
 * @param processors in the order of their numbers, at least one
 * @param caches by level, then kind, then first processor; empty where the system does not say
 * @param nodes in the order of their numbers; empty where the system knows of none
 */
public record Topology(List<Processor> processors, List<Cache> caches, List<Node> nodes) {
    /** Stands for a number that the system does not tell. */
    public static final int UNKNOWN = -1;

    private static final Path SYSTEM = Path.of("/sys/devices/system");

    /** Copies the lists. */
    public Topology {
        processors = List.copyOf(processors);
        caches = List.copyOf(caches);
        nodes = List.copyOf(nodes);
        if (processors.isEmpty()) {
            throw new IllegalArgumentException("A machine has a processor: processors=[]; name at least one");
        }
    }

    /**
     * A processor, which is a hardware thread.
     *
     * @param number as the system counts, from 0
     * @param core number of its core, unique within its package only; {@link #UNKNOWN} if not told
     * @param packageNumber number of its package (socket); {@link #UNKNOWN} if not told
     * @param siblings the processors of its core, itself among them, ascending
     * @param node number of its memory node; {@link #UNKNOWN} where there are no nodes
     */
    public record Processor(int number, int core, int packageNumber, List<Integer> siblings, int node) {
        /** Copies the list. */
        public Processor {
            siblings = List.copyOf(siblings);
        }
    }

    /** What a cache holds. */
    public enum CacheKind {
        /** Instructions. */
        INSTRUCTION,
        /** Data. */
        DATA,
        /** Both. */
        UNIFIED
    }

    /**
     * One cache.
     *
     * @param level 1 is the nearest to the processor
     * @param kind what it holds
     * @param geometry size, associativity, line
     * @param processors those that share it, ascending
     */
    public record Cache(int level, CacheKind kind, CacheGeometry geometry, List<Integer> processors) {
        /** Copies the list. */
        public Cache {
            processors = List.copyOf(processors);
        }
    }

    /**
     * A memory node.
     *
     * @param number as the system counts
     * @param processors those that it is local to, ascending; empty for a node of memory only
     * @param memoryBytes its memory in bytes, 0 if not told
     * @param distances to every node in the order of their numbers, 10 being local; empty if not told
     */
    public record Node(int number, List<Integer> processors, long memoryBytes, List<Integer> distances) {
        /** Copies the lists. */
        public Node {
            processors = List.copyOf(processors);
            distances = List.copyOf(distances);
        }
    }

    /** What {@link #read} found. */
    public sealed interface Result {
        /**
         * The system told.
         *
         * @param topology what it told
         */
        record Known(Topology topology) implements Result {}

        /**
         * The system does not tell.
         *
         * @param reason why, one sentence
         */
        record Unknown(String reason) implements Result {}
    }

    /** Asks this system. Never throws. */
    public static Result read() {
        return read(SYSTEM);
    }

    /** Reads a directory that is like Linux's {@code /sys/devices/system}. */
    static Result read(Path system) {
        return new TopologyReader(system).read();
    }

    /** Number of cores, each counted once however many processors it shows. */
    public int cores() {
        return (int) processors.stream().map(Processor::siblings).distinct().count();
    }

    /** Number of packages (sockets). */
    public int packages() {
        return (int)
                processors.stream().map(Processor::packageNumber).distinct().count();
    }
}
