package dev.lockstep.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.SourceVersion;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/**
 * The result of one call of {@code jmh}, as {@code --json} writes it.
 *
 * @param arguments of JMH
 * @param seed of the benchmarks
 * @param time when it ended, ISO 8601
 * @param lockstep version of this program
 * @param gitCommit commit that the classes were built from, with {@code -dirty} if changed; absent if unknown
 * @param jvm version of the JDK
 * @param machine where it ran
 * @param verdicts how far to believe each simulated fork; absent where none was simulated
 * @param results what JMH writes in its own format
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record JmhReport(
        List<String> arguments,
        long seed,
        String time,
        String lockstep,
        String gitCommit,
        String jvm,
        Machine machine,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Verdict> verdicts,
        JsonNode results) {
    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    static JmhReport of(List<String> arguments, long seed, Collection<RunResult> results, List<Verdict> verdicts)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
        }
        return new JmhReport(
                List.copyOf(arguments),
                seed,
                Instant.now().toString(),
                BuildVersion.version(),
                SourceVersion.commit().orElse(null),
                Runtime.version().toString(),
                Machine.here(),
                List.copyOf(verdicts),
                MAPPER.readTree(bytes.toByteArray()));
    }

    /** Writes the file whole at once, so that a failure leaves no half of a result behind. */
    void write(Path file) throws IOException {
        WholeFile.write(file, MAPPER.writeValueAsString(this) + "\n");
    }
}
