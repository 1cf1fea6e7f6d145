package dev.lockstep.bench.codemap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DatabindException;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.simulate.ContinuationSwitches;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The code that each operation executes, by one build of the JVM, and how much data it touches. Kept in a file with a
 * version; see {@link #read}. What a placement of buffers or of switch points goes by at run time is the extract that
 * {@link #writeFootprints} makes. Sizes of executed code are in bytes of distinct cache lines of {@link
 * LineSet#LINE_BYTES}, of user mode. Immutable.
 *
 * @param kind {@link #KIND}
 * @param formatVersion {@link #FORMAT_VERSION}
 * @param jvm name and version of the JVM whose compiler made the code
 * @param jvmFlags its command line
 * @param origin what made it, and where
 * @param workloads what was run, each in a JVM of its own
 */
public record CodeMap(
        String kind,
        int formatVersion,
        String jvm,
        List<String> jvmFlags,
        Origin origin,
        List<WorkloadCode> workloads) {
    /** What tells the file from others in JSON. */
    public static final String KIND = "lockstep-code-map";

    /** Raised whenever a field changes its name or its meaning. */
    public static final int FORMAT_VERSION = 10;

    /** The part of its executions in which a line of an operation has to be executed to count as regular. */
    public static final double REGULAR_PART = 0.01;

    /**
     * The executions in which it has to be at least: into one or two of them a collection, a compilation or a split
     * falls by chance. Of fewer than five, half are enough.
     */
    public static final long REGULAR_EXECUTIONS_MIN = 3;

    /** The part of its executions that touch no more data than what counts as an operation's. */
    public static final double REGULAR_DATA_PART = 0.9;

    private static final String REMEDY = "make one with ./lockstep codemap --json FILE";

    /** In how many of these executions a line of an operation has to be executed to count as regular. */
    static long regularExecutions(long executions) {
        long least = Math.min(REGULAR_EXECUTIONS_MIN, (executions + 1) / 2);
        return Math.max((long) Math.ceil(executions * REGULAR_PART), least);
    }

    /** Takes own copies; a list that a file does not have is empty, so that kind and version can be looked at. */
    public CodeMap {
        jvmFlags = jvmFlags == null ? List.of() : List.copyOf(jvmFlags);
        workloads = workloads == null ? List.of() : List.copyOf(workloads);
    }

    /**
     * A workload without a probe, in the measured phase.
     *
     * @param instructionsPerTransaction of the workload's threads, in user mode
     * @param steady whether its JVM was in the steady state of the same run on the machine's processor, or null where
     *     nothing was warmed up, so that it was not
     */
    public record PlainRun(double instructionsPerTransaction, SteadyState steady) {
        /** Whether the figure is that of code that stays. */
        boolean counts() {
            return steady != null && steady.counts();
        }
    }

    /**
     * One workload, in the measured phase.
     *
     * @param name what was run
     * @param scheduling who ran it: {@code jdk} or {@code steps}; empty if the name says it
     * @param transactions measured
     * @param warmUpTransactions before
     * @param compileMillis time the compilers worked in the measured phase
     * @param instructionsPerTransaction of the workload's threads, in user mode
     * @param plain the same workload in a second run, without a probe: the difference is what telling operations apart
     *     costs; null where there was no such run
     * @param c2Share part of the Java instructions that C2 had compiled, 0 to 1
     * @param unresolvedShare part of all instructions whose place is not known, 0 to 1
     * @param steady whether the JVM was in the steady state of the same run on the machine's processor, or null where
     *     nothing was warmed up, so that it was not
     * @param flags of the JVM that differed between the two all the same
     * @param time what told the engine and the scheduler the time in the simulated run, empty if the verdict says it
     * @param verdict how far to believe it, of a run of another command: it has no scheduling, no warm-up and no time
     *     of compilers of its own, and is judged by its command; null of a workload of code maps, of which {@code
     *     steady} says that
     * @param continuations how often continuations were switched
     * @param operations by name; the same operation within different transactions counts as one
     * @param contexts transaction types, or calls of the application
     * @param pairs what each context executes in each operation
     */
    public record WorkloadCode(
            String name,
            String scheduling,
            long transactions,
            long warmUpTransactions,
            long compileMillis,
            double instructionsPerTransaction,
            PlainRun plain,
            double c2Share,
            double unresolvedShare,
            SteadyState steady,
            List<SameProcessor.Difference> flags,
            String time,
            Verdict verdict,
            ContinuationSwitches continuations,
            List<OperationCode> operations,
            List<ContextCode> contexts,
            List<OperationCode> pairs) {
        /** Takes own copies. */
        public WorkloadCode {
            flags = List.copyOf(flags);
            operations = List.copyOf(operations);
            contexts = List.copyOf(contexts);
            pairs = List.copyOf(pairs);
        }

        /** An operation by its name. */
        public Optional<OperationCode> operation(String operation) {
            return operations.stream()
                    .filter(each -> each.operation().equals(operation))
                    .findFirst();
        }

        /**
         * The regular lines of several operations together: what a processor executes that runs them in turns.
         *
         * @throws IllegalArgumentException if an operation is not in the map
         */
        public LineSet regularLines(Collection<String> names) {
            LineSet all = LineSet.of(List.of());
            for (String each : names) {
                all = all.union(operation(each)
                        .orElseThrow(() -> new IllegalArgumentException("the code map has no such operation: operation="
                                + each + " workload=" + name + "; remedy: make a map of a workload that runs it"))
                        .regularLines());
            }
            return all;
        }
    }

    /**
     * What an operation executes.
     *
     * @param context the transaction type or call, empty for all of them
     * @param operation its name
     * @param executions how often it began
     * @param instructions of all of them
     * @param lines executed at all
     * @param regularLines executed in at least {@link #regularExecutions} of the executions
     * @param compiledBytes size of the compiled methods of which it executes anything
     * @param dataBytes of distinct cache lines of data that {@link #REGULAR_DATA_PART} of the executions do not exceed,
     *     0 if not measured
     * @param parts by part of the JVM
     * @param units compiled methods of which it executes anything, most lines first
     * @param methods methods of the source, inlined or not, that make it up, most bytes first
     */
    public record OperationCode(
            String context,
            String operation,
            long executions,
            long instructions,
            LineSet lines,
            LineSet regularLines,
            long compiledBytes,
            long dataBytes,
            Map<CodePart, PartCode> parts,
            List<UnitCode> units,
            List<MethodCode> methods) {
        /** Takes own copies. */
        public OperationCode {
            parts = Map.copyOf(parts);
            units = List.copyOf(units);
            methods = List.copyOf(methods);
        }

        /** Whether it is an operation, not what lies between operations. */
        boolean isOfEngine() {
            return !operation.equals(OperationMarkers.OUTSIDE) && !operation.equals(OperationMarkers.SCHEDULER);
        }

        /** Instructions of one execution, NaN where it was not counted how many there were. */
        public double instructionsPerExecution() {
            return executions == 0 ? Double.NaN : (double) instructions / executions;
        }
    }

    /**
     * What an operation executes of one part of the JVM.
     *
     * @param lineBytes bytes of the lines executed; a line of two parts counts in both
     * @param regularLineBytes of those executed regularly
     * @param instructions executed
     */
    public record PartCode(long lineBytes, long regularLineBytes, long instructions) {}

    /**
     * What an operation executes of one compiled method, with all that was inlined into it.
     *
     * @param method class, name and signature
     * @param level of the compilation, 4 for C2
     * @param compiledBytes its size
     * @param executedBytes of it, by the byte
     * @param lineBytes bytes of the lines executed
     */
    public record UnitCode(String method, int level, long compiledBytes, long executedBytes, long lineBytes) {}

    /**
     * What an operation executes of one method of the source.
     *
     * @param method class, name and signature
     * @param executedBytes of all places that it was compiled or inlined to
     * @param places compiled methods in which it was executed
     */
    public record MethodCode(String method, long executedBytes, int places) {}

    /**
     * What a transaction type, or a call, executes: how code grows from one operation to all.
     *
     * @param context its name
     * @param executions how often it began
     * @param instructions of all of them, operations and scheduler included
     * @param operations how many different ones it runs
     * @param largestOperationBytes regular lines of the largest
     * @param operationsBytes regular lines of all its operations
     * @param allBytes with what it executes outside operations
     * @param withSchedulerBytes with the scheduler
     */
    public record ContextCode(
            String context,
            long executions,
            long instructions,
            int operations,
            long largestOperationBytes,
            long operationsBytes,
            long allBytes,
            long withSchedulerBytes) {}

    /**
     * Reads a code map.
     *
     * @throws CodeFormatException if the file is no code map, or one of another version
     * @throws IOException if it cannot be read
     */
    public static CodeMap read(Path file) throws IOException {
        CodeMap map;
        try {
            map = Json.read(file, CodeMap.class);
        } catch (DatabindException e) {
            throw new CodeFormatException(
                    "no code map of formatVersion=" + FORMAT_VERSION + ": " + e.getOriginalMessage(), file, REMEDY);
        } catch (JsonProcessingException e) {
            throw new CodeFormatException("no code map: " + e.getOriginalMessage(), file, REMEDY);
        }
        if (!KIND.equals(map.kind) || map.formatVersion != FORMAT_VERSION) {
            throw new CodeFormatException(
                    "no code map of a known version: kind=" + map.kind + " formatVersion=" + map.formatVersion
                            + " kindExpected=" + KIND + " formatVersionExpected=" + FORMAT_VERSION,
                    file,
                    REMEDY);
        }
        return map;
    }

    /**
     * Whether the map is of the JVM that runs here: another build compiles other code, and of that the map says
     * nothing.
     */
    public boolean matchesThisJvm() {
        return jvm.equals(thisJvm());
    }

    /** Name and version of the JVM that runs here. */
    public static String thisJvm() {
        return CodeFootprints.thisJvm();
    }

    /**
     * Writes what {@link CodeFootprints} reads: without methods and addresses, which mean nothing to another process.
     */
    public void writeFootprints(Path file) throws IOException {
        List<String> text = new ArrayList<>();
        text.add(CodeFootprints.HEADER + CodeFootprints.FORMAT_VERSION);
        text.add("jvm " + jvm);
        for (WorkloadCode workload : workloads) {
            text.add("workload " + workload.name());
            List<OperationCode> codes = workload.operations().stream()
                    .filter(OperationCode::isOfEngine)
                    .toList();
            for (OperationCode code : codes) {
                text.add("operation " + code.regularLines().bytes() + " " + code.operation());
            }
            codes.stream()
                    .filter(code -> code.dataBytes() > 0)
                    .forEach(code -> text.add("data " + code.dataBytes() + " " + code.operation()));
            for (int i = 0; i < codes.size(); i++) {
                LineSet one = codes.get(i).regularLines();
                for (int j = i + 1; j < codes.size(); j++) {
                    text.add("shared " + i + " " + j + " "
                            + one.sharedBytes(codes.get(j).regularLines()));
                }
            }
        }
        text.add("end");
        Files.write(file, text);
    }
}
