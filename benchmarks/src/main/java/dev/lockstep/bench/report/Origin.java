package dev.lockstep.bench.report;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.SourceVersion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where figures come from: what somebody needs to get them again.
 *
 * @param command the command line, without passwords
 * @param commit of the source, with {@code -dirty} if changed, or {@code unknown}
 * @param jvm name and version
 * @param processor model, as the system names it
 * @param seed of everything random
 * @param time when it began, ISO 8601
 */
public record Origin(String command, String commit, String jvm, String processor, long seed, String time) {
    private static final String SEPARATOR = " · ";
    private static final char NO_BREAK = '\u00A0';

    /**
     * The origin of what runs now, in this JVM's own release and on this machine.
     *
     * @param arguments of the program, the command's name first
     */
    public static Origin here(List<String> arguments, long seed) {
        return new Origin(
                "./lockstep " + String.join(" ", ShownArguments.of(arguments)),
                SourceVersion.commit().orElse("unknown"),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                Machine.here().processor(),
                seed,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /** All of it in one line, as it stands under each picture; what belongs together has blanks that do not break. */
    public String caption() {
        return Stream.of("commit " + commit, jvm, processor, "seed " + seed, time)
                .map(part -> part.replace(' ', NO_BREAK))
                .collect(Collectors.joining(SEPARATOR, command + SEPARATOR, ""));
    }
}
