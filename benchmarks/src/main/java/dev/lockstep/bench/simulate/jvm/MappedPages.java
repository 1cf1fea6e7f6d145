package dev.lockstep.bench.simulate.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * In pages of which size the system maps this process's memory, from {@code /proc/self/smaps}. Immutable.
 *
 * @param mappings by address
 */
record MappedPages(List<Mapping> mappings) {
    static final long SMALL_BYTES = 4096;
    static final long LARGE_BYTES = 2L << 20;

    private static final Path SYSTEM = Path.of("/proc/self/smaps");
    private static final Pattern HEAD = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) \\S{4} .*");
    private static final Pattern FIELD = Pattern.compile("(KernelPageSize|Rss|AnonHugePages): +(\\d+) kB");
    private static final long KIB_BYTES = 1024;
    private static final int HEXADECIMAL = 16;

    /**
     * One mapping.
     *
     * @param end address of the first byte behind it
     * @param pageBytes that it was made with
     * @param residentBytes that are there
     * @param largeBytes of these, those that the system has put into large pages by itself
     */
    record Mapping(long begin, long end, long pageBytes, long residentBytes, long largeBytes) {}

    MappedPages {
        mappings = List.copyOf(mappings);
    }

    /** Of this process now; without mappings where the system does not tell. */
    static MappedPages read() {
        if (!Files.isReadable(SYSTEM)) {
            return new MappedPages(List.of());
        }
        try {
            return parse(Files.readAllLines(SYSTEM, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            // It ends with the process it is about; there is nothing else to ask.
            return new MappedPages(List.of());
        }
    }

    static MappedPages parse(List<String> lines) {
        List<Mapping> mappings = new ArrayList<>();
        for (String line : lines) {
            Matcher head = HEAD.matcher(line);
            if (head.matches()) {
                mappings.add(new Mapping(
                        Long.parseUnsignedLong(head.group(1), HEXADECIMAL),
                        Long.parseUnsignedLong(head.group(2), HEXADECIMAL),
                        SMALL_BYTES,
                        0,
                        0));
                continue;
            }
            Matcher field = FIELD.matcher(line);
            if (field.matches() && !mappings.isEmpty()) {
                mappings.add(with(mappings.removeLast(), field.group(1), Long.parseLong(field.group(2)) * KIB_BYTES));
            }
        }
        return new MappedPages(mappings);
    }

    private static Mapping with(Mapping mapping, String field, long bytes) {
        return switch (field) {
            case "KernelPageSize" ->
                new Mapping(mapping.begin, mapping.end, bytes, mapping.residentBytes, mapping.largeBytes);
            case "Rss" -> new Mapping(mapping.begin, mapping.end, mapping.pageBytes, bytes, mapping.largeBytes);
            default -> new Mapping(mapping.begin, mapping.end, mapping.pageBytes, mapping.residentBytes, bytes);
        };
    }

    /**
     * The size of the pages of a range: large ones where its mappings were made with them, or where the system has put
     * most of what is there into such by itself; else {@link #SMALL_BYTES}.
     */
    long pageBytes(long address, long bytes) {
        long residentBytes = 0;
        long largeBytes = 0;
        for (Mapping mapping : mappings) {
            if (mapping.begin < address + bytes && mapping.end > address) {
                if (mapping.pageBytes > SMALL_BYTES) {
                    return mapping.pageBytes;
                }
                residentBytes += mapping.residentBytes;
                largeBytes += mapping.largeBytes;
            }
        }
        return largeBytes * 2 > residentBytes ? LARGE_BYTES : SMALL_BYTES;
    }
}
