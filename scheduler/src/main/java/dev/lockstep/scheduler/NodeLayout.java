package dev.lockstep.scheduler;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The nodes of a machine: groups of processors, each with memory of its own, which is nearer to them than that of the
 * others.
 *
 * <p>What it changes, where a {@link MachineBinding} is installed; nothing without one:
 * <ul>
 *   <li>In {@link SchedulerOptions#withNodes}: carrier <i>i</i> is bound to a processor of node <i>i</i> modulo the
 *       number of nodes, so that carriers are spread over all nodes; within a node they take its processors in turn.
 *   <li>In a database's options: the frames of the buffer pool are dealt to the nodes in equal consecutive parts, and
 *       each part is touched first by a thread bound to its node, whose memory it comes from therefore. Without a
 *       layout all frames come from the node of the thread that opens the database. Which page is in which frame does
 *       not follow from the layout: with N nodes one page in N is local to a carrier, wherever that runs.
 * </ul>
 *
 * <p>As a file, in UTF-8, format version {@value #VERSION}: the first line {@code lockstep-nodes 1}, then a line for
 * each node in the order of their numbers, its processors as the system counts them; empty lines and those that begin
 * with {@code #} are skipped.
 *
 * <pre>
 * lockstep-nodes 1
 * node 0: 0-3,8
 * node 1: 4-7
 * </pre>
 *
 * <p>Immutable and thread-safe.
 *
 * @param nodes by number; empty for a machine that is not divided
 */
public record NodeLayout(List<Node> nodes) {
    /** Of the format of the file. */
    public static final int VERSION = 1;

    /** Nodes a machine may have; the largest in use have some hundred. */
    public static final int NODES_MAX = 255;

    /** Numbers of processors are below this; more than Linux can be built for. */
    public static final int PROCESSORS_MAX = 1 << 16;

    /** A machine that is not divided. */
    public static final NodeLayout NONE = new NodeLayout(List.of());

    private static final String HEADER = "lockstep-nodes ";
    private static final String NODE = "node ";
    private static final int FILE_BYTES_MAX = 1 << 20;

    /**
     * One node.
     *
     * @param number from 0
     * @param processors that its memory is local to, at least one
     */
    public record Node(int number, List<Integer> processors) {
        /** Copies the list. */
        public Node {
            processors = List.copyOf(processors);
        }
    }

    /**
     * Checks and copies the list.
     *
     * @throws NodeLayoutException if there are more than {@link #NODES_MAX} nodes, they are not numbered from 0 on, one
     *     has no processor, or a processor belongs to two
     */
    public NodeLayout {
        nodes = List.copyOf(nodes);
        if (nodes.size() > NODES_MAX) {
            throw new NodeLayoutException(
                    "too many nodes: nodes=" + nodes.size() + " nodesMax=" + NODES_MAX + "; remedy: name fewer");
        }
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            if (node.number() != i) {
                throw new NodeLayoutException("nodes are not in the order of their numbers: node=" + node.number()
                        + " nodeExpected=" + i + "; remedy: number them from 0 on");
            }
            if (node.processors().isEmpty()) {
                throw new NodeLayoutException("a node has no processor: node=" + i + "; remedy: name at least one");
            }
            for (int processor : node.processors()) {
                if (processor < 0 || processor >= PROCESSORS_MAX || !seen.add(processor)) {
                    throw new NodeLayoutException("not a processor, or named twice: node=" + i + " processor="
                            + processor + "; remedy: name each once, from 0 to " + (PROCESSORS_MAX - 1));
                }
            }
        }
    }

    /**
     * Reads a file.
     *
     * @throws NodeLayoutException if it cannot be read, is of another version, or a line is wrong, which is named
     */
    public static NodeLayout read(Path file) {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new NodeLayoutException("too large for a layout of nodes: file=" + file + " bytesMax="
                        + FILE_BYTES_MAX + "; remedy: name a file that begins with \"" + HEADER + VERSION + "\"");
            }
            return parse(file.toString(), Files.readAllLines(file, StandardCharsets.UTF_8));
        } catch (CharacterCodingException e) {
            throw new NodeLayoutException(
                    "not a layout of nodes: file=" + file + " is no text in UTF-8; remedy: write it anew", e);
        } catch (IOException e) {
            throw new NodeLayoutException(
                    "a layout of nodes cannot be read: file=" + file + " cause=" + e
                            + "; remedy: name a file that is there and may be read",
                    e);
        }
    }

    private static NodeLayout parse(String file, List<String> lines) {
        String first = lines.isEmpty() ? "" : lines.getFirst().strip();
        if (!first.equals(HEADER + VERSION)) {
            throw new NodeLayoutException("not a layout of nodes of this version: file=" + file + " firstLine=\""
                    + first + "\"; remedy: begin with \"" + HEADER + VERSION + "\"");
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                nodes.add(node(line));
            } catch (NumberFormatException e) {
                throw new NodeLayoutException(
                        "not a node: file=" + file + " line=" + (i + 1) + " text=\"" + line
                                + "\"; remedy: write \"node NUMBER: PROCESSORS\", such as \"node 0: 0-3,8\"",
                        e);
            }
        }
        if (nodes.isEmpty()) {
            throw new NodeLayoutException("no node is named: file=" + file + "; remedy: add \"node 0: 0\"");
        }
        try {
            return new NodeLayout(nodes);
        } catch (NodeLayoutException e) {
            throw new NodeLayoutException(e.getMessage() + ": file=" + file, e);
        }
    }

    private static Node node(String line) {
        int colon = line.indexOf(':');
        if (!line.startsWith(NODE) || colon < 0) {
            throw new NumberFormatException(line);
        }
        int number = number(line.substring(NODE.length(), colon));
        List<Integer> processors = new ArrayList<>();
        for (String part : line.substring(colon + 1).split(",", -1)) {
            int dash = part.indexOf('-');
            int from = number(dash < 0 ? part : part.substring(0, dash));
            int to = number(dash < 0 ? part : part.substring(dash + 1));
            if (to < from) {
                throw new NumberFormatException(part);
            }
            for (int processor = from; processor <= to; processor++) {
                processors.add(processor);
            }
        }
        return new Node(number, processors);
    }

    /** A number without a sign, below {@link #PROCESSORS_MAX}. */
    private static int number(String text) {
        String digits = text.strip();
        int value = Integer.parseInt(digits);
        if (!Character.isDigit(digits.charAt(0)) || value >= PROCESSORS_MAX) {
            throw new NumberFormatException(text);
        }
        return value;
    }

    /** The lines of a file that {@link #read} reads. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(HEADER + VERSION));
        for (Node node : nodes) {
            List<String> numbers =
                    node.processors().stream().map(Object::toString).toList();
            lines.add(NODE + node.number() + ": " + String.join(",", numbers));
        }
        return lines;
    }

    /** The processor that a carrier is bound to, or -1 where the machine is not divided. */
    public int processorOfCarrier(int carrier) {
        if (nodes.isEmpty()) {
            return -1;
        }
        List<Integer> processors = nodes.get(carrier % nodes.size()).processors();
        return processors.get(carrier / nodes.size() % processors.size());
    }
}
