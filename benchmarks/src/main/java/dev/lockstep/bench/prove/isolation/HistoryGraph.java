package dev.lockstep.bench.prove.isolation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Who depends on whom, as in Adya's direct serialization graph: transactions are nodes, and an edge says that its
 * source comes before its target in every serial order that explains the history.
 *
 * <p>Invariants:
 * <ul>
 *   <li>{@code targets.get(n)[i]} and {@code kinds.get(n)[i]}, {@code i < counts[n]}, are the edges that leave node n.
 *   <li>No edge leads from a node to itself.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class HistoryGraph {
    /** The target overwrote what the source wrote. */
    static final int WW = 1;
    /** The target read what the source wrote. */
    static final int WR = 2;
    /** The target overwrote what the source read by key. */
    static final int RW = 4;
    /** The target made a key of which a scan of the source found nothing. */
    static final int RW_RANGE = 8;

    static final int ALL = WW | WR | RW | RW_RANGE;

    private static final int EDGES_INITIAL = 8;
    private static final int NONE = -1;

    private final int[][] targets;
    private final byte[][] kinds;
    private final int[] counts;

    HistoryGraph(int nodes) {
        targets = new int[nodes][];
        kinds = new byte[nodes][];
        counts = new int[nodes];
    }

    void add(int source, int target, int kind) {
        if (source == target) {
            return;
        }
        int count = counts[source]++;
        if (count == 0) {
            targets[source] = new int[EDGES_INITIAL];
            kinds[source] = new byte[EDGES_INITIAL];
        } else if (count == targets[source].length) {
            targets[source] = Arrays.copyOf(targets[source], 2 * count);
            kinds[source] = Arrays.copyOf(kinds[source], 2 * count);
        }
        targets[source][count] = target;
        kinds[source][count] = (byte) kind;
    }

    /** An edge of a cycle. */
    record Edge(int source, int kind, int target) {
        String kindName() {
            return switch (kind) {
                case WW -> "ww";
                case WR -> "wr";
                case RW -> "rw";
                default -> "rw(range)";
            };
        }
    }

    /**
     * Searches for a cycle.
     *
     * @param first the kinds of edges of which the cycle has at least one
     * @param others the kinds of all its other edges
     * @return its edges, the first of a kind of {@code first}; empty if there is none
     */
    List<Edge> findCycle(int first, int others) {
        int[] component = components(first | others);
        for (int source = 0; source < counts.length; source++) {
            for (int i = 0; i < counts[source]; i++) {
                int target = targets[source][i];
                if ((kinds[source][i] & first) == 0 || component[source] != component[target]) {
                    continue;
                }
                List<Edge> back = findPath(target, source, others, component);
                if (!back.isEmpty()) {
                    List<Edge> cycle = new ArrayList<>();
                    cycle.add(new Edge(source, kinds[source][i], target));
                    cycle.addAll(back);
                    return cycle;
                }
            }
        }
        return List.of();
    }

    /** The shortest path by edges of some kinds inside a component; empty if there is none. */
    private List<Edge> findPath(int from, int to, int allowed, int[] component) {
        Edge[] cameBy = new Edge[counts.length];
        Deque<Integer> reached = new ArrayDeque<>();
        reached.add(from);
        // Ends because each node is reached once.
        while (!reached.isEmpty() && cameBy[to] == null) {
            int node = reached.remove();
            for (int i = 0; i < counts[node]; i++) {
                int target = targets[node][i];
                boolean isNew = target != from && cameBy[target] == null && component[target] == component[from];
                if (isNew && (kinds[node][i] & allowed) != 0) {
                    cameBy[target] = new Edge(node, kinds[node][i], target);
                    reached.add(target);
                }
            }
        }
        List<Edge> path = new ArrayList<>();
        for (Edge edge = cameBy[to]; edge != null; edge = cameBy[edge.source()]) {
            path.addFirst(edge);
        }
        return path;
    }

    /** Numbers the strongly connected components by edges of some kinds (Tarjan, 1972, without recursion). */
    private int[] components(int allowed) {
        int nodes = counts.length;
        int[] component = new int[nodes];
        int[] order = new int[nodes];
        int[] low = new int[nodes];
        int[] next = new int[nodes];
        int[] path = new int[nodes];
        int[] open = new int[nodes];
        Arrays.fill(component, NONE);
        Arrays.fill(order, NONE);
        int visited = 0;
        int openCount = 0;
        int componentCount = 0;
        for (int root = 0; root < nodes; root++) {
            int depth = 0;
            if (order[root] == NONE) {
                path[depth++] = root;
            }
            while (depth > 0) {
                int node = path[depth - 1];
                if (order[node] == NONE) {
                    order[node] = visited;
                    low[node] = visited++;
                    open[openCount++] = node;
                }
                int deeper = NONE;
                while (next[node] < counts[node] && deeper == NONE) {
                    int target = targets[node][next[node]];
                    if ((kinds[node][next[node]] & allowed) == 0 || component[target] != NONE) {
                        next[node]++;
                    } else if (order[target] == NONE) {
                        deeper = target;
                    } else {
                        low[node] = Math.min(low[node], low[target]);
                        next[node]++;
                    }
                }
                if (deeper != NONE) {
                    path[depth++] = deeper;
                    continue;
                }
                if (low[node] == order[node]) {
                    int member;
                    do {
                        member = open[--openCount];
                        component[member] = componentCount;
                    } while (member != node);
                    componentCount++;
                }
                depth--;
            }
        }
        return component;
    }
}
