package dev.lockstep.bench.flame;

import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import one.convert.Arguments;
import one.convert.FlameGraph;

/** Reads a recording of async-profiler, and draws its stacks with the frames that say what they were about. */
final class FlameRecording {
    /** The kind of event that {@link ThreadWork} adds. */
    static final String EVENT = "dev.lockstep.Operation";

    /** Whatever the engine's event is, a sample of processor time or of a thread's state. */
    private static final List<String> SAMPLES = List.of("jdk.ExecutionSample", "profiler.WallClockSample");

    /** Of a sample that stands for several, since a thread that waits is seen in the same place again and again. */
    private static final String SAMPLE_COUNT = "samples";

    private static final String USER_EVENT = "profiler.UserEvent";

    /** The converter's suffix for the colour of the kernel, whose own frames therefore go without one. */
    private static final String MARK = "_[k]";

    /** Narrower frames cannot be seen, and those of the compiler, hundreds deep, would hide the others. */
    private static final String MIN_WIDTH_PERCENT = "0.1";

    private static final int HEX = 16;
    private static final String KERNEL_FRAME = "Kernel";

    private final Map<String, String> transactions;
    private final List<String> operations;

    /**
     * For one run.
     *
     * @param transactions names of transactions by the methods that run them, as {@code package/Class.method}
     * @param operations by their numbers, less 1
     */
    FlameRecording(Map<String, String> transactions, List<String> operations) {
        this.transactions = transactions;
        this.operations = operations;
    }

    /** Draws an HTML page, roots at the top, where a reader begins; returns what its parts add up to. */
    FlameShares draw(Path recording, Path page, String title) throws IOException {
        FlameGraph graph =
                new FlameGraph(new Arguments("--title", title, "--inverted", "--minwidth", MIN_WIDTH_PERCENT));
        List<Entry> entries = read(recording);
        graph.parseCollapsed(new StringReader(collapsed(entries)));
        try (PrintStream out = new PrintStream(Files.newOutputStream(page), false, StandardCharsets.UTF_8)) {
            graph.dump(out);
            if (out.checkError()) {
                throw new IOException("cannot write " + page);
            }
        }
        return shares(entries);
    }

    /**
     * One sample, or one event of the probe.
     *
     * @param threadId of the system
     * @param frames of a sample, the outermost first, as the converter writes them; empty for an event
     * @param layer of a sample; empty for an event
     * @param sampleCount how many samples a sample stands for; 0 for an event
     * @param work of an event
     */
    record Entry(Instant time, long threadId, List<String> frames, String layer, long sampleCount, long work) {
        boolean isSample() {
            return !frames.isEmpty();
        }
    }

    private static List<Entry> read(Path recording) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (RecordingFile file = new RecordingFile(recording)) {
            // Ends with the file.
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String type = event.getEventType().getName();
                if (SAMPLES.contains(type) && event.getStackTrace() != null) {
                    List<String> frames = frames(event.getStackTrace());
                    entries.add(new Entry(
                            event.getStartTime(),
                            threadId(event.getValue("sampledThread")),
                            frames,
                            Layer.of(frames, inKernel(event.getStackTrace())),
                            event.hasField(SAMPLE_COUNT) ? event.getLong(SAMPLE_COUNT) : 1,
                            Work.NONE));
                } else if (type.equals(USER_EVENT) && EVENT.equals(event.getString("type"))) {
                    entries.add(new Entry(
                            event.getStartTime(),
                            threadId(event.getValue("eventThread")),
                            List.of(),
                            "",
                            0,
                            Long.parseUnsignedLong(event.getString("data"), HEX)));
                }
            }
        }
        return entries;
    }

    private static long threadId(RecordedThread thread) {
        return thread == null ? -1 : thread.getOSThreadId();
    }

    private static boolean inKernel(RecordedStackTrace stack) {
        return !stack.getFrames().isEmpty()
                && KERNEL_FRAME.equals(stack.getFrames().getFirst().getType());
    }

    private static List<String> frames(RecordedStackTrace stack) {
        List<String> frames = new ArrayList<>();
        for (RecordedFrame frame : stack.getFrames()) {
            String suffix = suffix(frame);
            String method = frame.getMethod().getName();
            // Of native code the class is its library; a function has a name without it.
            String name = suffix.isEmpty() || frame.getMethod().getType() == null
                    ? method
                    : frame.getMethod().getType().getName().replace('.', '/') + "." + method;
            frames.addFirst(name.replace(';', ',') + suffix);
        }
        return frames;
    }

    private static String suffix(RecordedFrame frame) {
        return switch (frame.getType()) {
            case "JIT compiled" -> "_[j]";
            case "Inlined" -> "_[i]";
            case "Interpreted" -> "_[0]";
            case "C1 compiled" -> "_[1]";
            default -> "";
        };
    }

    /** The stacks with their counts, a line each, in the form that async-profiler calls collapsed. */
    String collapsed(List<Entry> entries) {
        Map<String, Long> counts = new TreeMap<>();
        eachSample(
                entries,
                (sample, work) ->
                        counts.merge(String.join(";", with(sample.frames(), work)), sample.sampleCount(), Long::sum));
        StringBuilder lines = new StringBuilder();
        counts.forEach(
                (stack, count) -> lines.append(stack).append(' ').append(count).append('\n'));
        return lines.toString();
    }

    /** What the samples were about. */
    FlameShares shares(List<Entry> entries) {
        Map<String, Long> byTransaction = new TreeMap<>();
        Map<String, Long> byOperation = new TreeMap<>();
        Map<String, Long> byLayer = new TreeMap<>();
        eachSample(entries, (sample, work) -> {
            String transaction = sample.frames().stream()
                    .map(frame -> transactions.get(withoutSuffix(frame)))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(FlameShares.OUTSIDE);
            byTransaction.merge(transaction, sample.sampleCount(), Long::sum);
            String operation = Work.operation(work, operations).orElse(FlameShares.OUTSIDE);
            byOperation.merge(operation, sample.sampleCount(), Long::sum);
            byLayer.merge(sample.layer(), sample.sampleCount(), Long::sum);
        });
        return new FlameShares(
                byLayer.values().stream().mapToLong(Long::longValue).sum(), byTransaction, byOperation, byLayer);
    }

    /** Hands out each sample with the work it was taken in. */
    private static void eachSample(List<Entry> entries, BiConsumer<Entry, Long> taker) {
        Map<Long, NavigableMap<Instant, Long>> workEnds = new HashMap<>();
        for (Entry entry : entries) {
            if (!entry.isSample()) {
                workEnds.computeIfAbsent(entry.threadId(), id -> new TreeMap<>())
                        .put(entry.time(), entry.work());
            }
        }
        for (Entry entry : entries) {
            if (entry.isSample()) {
                NavigableMap<Instant, Long> ends = workEnds.getOrDefault(entry.threadId(), new TreeMap<>());
                Map.Entry<Instant, Long> end = ends.ceilingEntry(entry.time());
                taker.accept(entry, end == null ? Work.NONE : end.getValue());
            }
        }
    }

    /**
     * A stack below the frames that say what it was about: transaction, operation, team. Inside a transaction the stack
     * begins with the method that runs it: how its thread came there differs from sample to sample, and would part
     * what belongs together.
     */
    private List<String> with(List<String> frames, long work) {
        List<String> result = new ArrayList<>();
        int first = 0;
        for (int i = 0; i < frames.size(); i++) {
            String transaction = transactions.get(withoutSuffix(frames.get(i)));
            if (transaction != null) {
                result.add(transaction + MARK);
                first = i;
                break;
            }
        }
        Work.frames(work, operations).forEach(name -> result.add(name + MARK));
        result.addAll(frames.subList(first, frames.size()));
        return result;
    }

    private static String withoutSuffix(String frame) {
        int suffix = frame.lastIndexOf("_[");
        return suffix < 0 ? frame : frame.substring(0, suffix);
    }
}
