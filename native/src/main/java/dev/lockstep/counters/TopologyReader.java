package dev.lockstep.counters;

import dev.lockstep.counters.Topology.Cache;
import dev.lockstep.counters.Topology.CacheKind;
import dev.lockstep.counters.Topology.Node;
import dev.lockstep.counters.Topology.Processor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads Linux's description of the processors, caches and nodes. */
final class TopologyReader {
    /** More processors than Linux can be built for; a list that names more is not one. */
    private static final int PROCESSORS_MAX = 1 << 16;

    /** Without which a cache is nothing to tell of. */
    private static final List<String> CACHE_FILES = List.of("level", "type", "size", "shared_cpu_list");

    private static final int BITS_PER_UNIT = 10;
    private static final String UNITS = " KMG";

    private final Path system;

    TopologyReader(Path system) {
        this.system = system;
    }

    Topology.Result read() {
        Path online = system.resolve("cpu/online");
        try {
            if (!Files.isReadable(online)) {
                return new Topology.Result.Unknown("This system does not tell its topology: os="
                        + System.getProperty("os.name") + " missingFile=" + online
                        + "; it is read on Linux where /sys is mounted.");
            }
            List<Integer> numbers = list(online);
            List<Node> nodes = nodes();
            List<Processor> processors = new ArrayList<>();
            for (int number : numbers) {
                processors.add(processor(number, nodes));
            }
            return new Topology.Result.Known(new Topology(processors, caches(numbers), nodes));
        } catch (IOException | IllegalArgumentException e) {
            return new Topology.Result.Unknown("The system's topology cannot be read: directory=" + system + " cause=\""
                    + e.getMessage() + "\"; see the files of that directory.");
        }
    }

    private Processor processor(int number, List<Node> nodes) throws IOException {
        Path topology = processorDirectory(number).resolve("topology");
        Path siblings = topology.resolve("thread_siblings_list");
        return new Processor(
                number,
                optionalNumber(topology.resolve("core_id")),
                optionalNumber(topology.resolve("physical_package_id")),
                Files.isReadable(siblings) ? list(siblings) : List.of(number),
                nodes.stream()
                        .filter(node -> node.processors().contains(number))
                        .mapToInt(Node::number)
                        .findFirst()
                        .orElse(Topology.UNKNOWN));
    }

    private Path processorDirectory(int number) {
        return system.resolve("cpu/cpu" + number);
    }

    private List<Cache> caches(List<Integer> processors) throws IOException {
        // Every processor describes the caches that it shares.
        List<Cache> caches = new ArrayList<>();
        for (int number : processors) {
            for (Path directory : numbered(processorDirectory(number).resolve("cache"), "index")
                    .values()) {
                if (CACHE_FILES.stream().anyMatch(file -> !Files.exists(directory.resolve(file)))) {
                    // What the firmware does not tell, as on many ARM machines, Linux leaves out.
                    continue;
                }
                Cache cache = cache(directory);
                if (!caches.contains(cache)) {
                    caches.add(cache);
                }
            }
        }
        caches.sort(Comparator.comparingInt(Cache::level)
                .thenComparing(Cache::kind)
                .thenComparing(cache -> cache.processors().getFirst()));
        return caches;
    }

    private static Cache cache(Path directory) throws IOException {
        List<Integer> processors = list(directory.resolve("shared_cpu_list"));
        if (processors.isEmpty()) {
            throw new IllegalArgumentException("a cache of nobody: directory=" + directory);
        }
        String kind = text(directory.resolve("type"));
        return new Cache(
                number(directory.resolve("level")),
                Stream.of(CacheKind.values())
                        .filter(known -> known.name().equals(kind.toUpperCase(Locale.ROOT)))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "an unknown type of cache: type=" + kind + " directory=" + directory)),
                new CacheGeometry(
                        bytes(directory.resolve("size")),
                        known(optionalNumber(directory.resolve("ways_of_associativity"))),
                        known(optionalNumber(directory.resolve("coherency_line_size")))),
                processors);
    }

    /** {@link CacheGeometry} writes 0 for what is unknown. */
    private static int known(int number) {
        return Math.max(0, number);
    }

    private List<Node> nodes() throws IOException {
        List<Node> nodes = new ArrayList<>();
        for (Map.Entry<Integer, Path> entry :
                numbered(system.resolve("node"), "node").entrySet()) {
            Path directory = entry.getValue();
            nodes.add(new Node(
                    entry.getKey(), list(directory.resolve("cpulist")), memoryBytes(directory), distances(directory)));
        }
        return nodes;
    }

    private static long memoryBytes(Path node) throws IOException {
        Path file = node.resolve("meminfo");
        if (!Files.isReadable(file)) {
            return 0;
        }
        // Node 0 MemTotal:       23685332 kB
        for (String line : Files.readAllLines(file)) {
            int at = line.indexOf("MemTotal:");
            if (at >= 0) {
                String[] words = line.substring(at).split("\\s+");
                return Long.parseLong(words[1]) << BITS_PER_UNIT;
            }
        }
        return 0;
    }

    private static List<Integer> distances(Path node) throws IOException {
        Path file = node.resolve("distance");
        return Files.isReadable(file)
                ? Stream.of(text(file).split("\\s+")).map(Integer::valueOf).toList()
                : List.of();
    }

    /** Entries of a directory whose names are the prefix and a number, by that number; none without the directory. */
    private static Map<Integer, Path> numbered(Path directory, String prefix) throws IOException {
        Map<Integer, Path> found = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, prefix + "[0-9]*")) {
            for (Path entry : entries) {
                found.put(Integer.valueOf(entry.getFileName().toString().substring(prefix.length())), entry);
            }
        } catch (NoSuchFileException e) {
            return Map.of();
        }
        return found;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    private static int number(Path file) throws IOException {
        return Integer.parseInt(text(file));
    }

    private static int optionalNumber(Path file) throws IOException {
        return Files.isReadable(file) ? number(file) : Topology.UNKNOWN;
    }

    /** A size like {@code 32K}. */
    private static long bytes(Path file) throws IOException {
        String text = text(file);
        int unit = text.isEmpty() ? -1 : UNITS.indexOf(text.charAt(text.length() - 1));
        return unit <= 0
                ? Long.parseLong(text)
                : Long.parseLong(text.substring(0, text.length() - 1)) << (BITS_PER_UNIT * unit);
    }

    /** A list like {@code 0-3,8,10-11}, or nothing. */
    private static List<Integer> list(Path file) throws IOException {
        String text = text(file);
        List<Integer> numbers = new ArrayList<>();
        if (text.isEmpty()) {
            return numbers;
        }
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int from = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int to = Integer.parseInt(dash < 0 ? part : part.substring(dash + 1));
            if (from < 0 || from > to || to >= PROCESSORS_MAX) {
                throw new IllegalArgumentException("not a list of processors: list=" + text + " file=" + file);
            }
            for (int number = from; number <= to; number++) {
                numbers.add(number);
            }
        }
        return numbers;
    }
}
