package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.bench.process.DiagnosticCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;

/**
 * A method of this JVM that is compiled now. Immutable.
 *
 * @param method class and name, with dots, and signature, such as {@code java.lang.String.hashCode()I}
 * @param level 1 to 3 for C1, 4 for C2
 * @param bytes of its code
 * @param ofLoop whether it is code for a loop that was entered while it ran (OSR), not by a call; which methods get
 *     some depends on the moment, and it is seldom run again
 */
public record CompiledMethod(String method, int level, long bytes, boolean ofLoop) {
    /** The level of C2. */
    static final int LEVEL_C2 = 4;

    private static final String CODE_LIST = "compilerCodelist";

    /** Number of the compilation, level, state (0: may be entered), method, addresses of header, code, and its end. */
    private static final Pattern LINE =
            Pattern.compile("\\s*(\\d+)\\s+(\\d)\\s+0\\s+(\\S+)\\s+\\[0x\\p{XDigit}+,\\s*0x(\\p{XDigit}+)\\s*-\\s*"
                    + "0x(\\p{XDigit}+)\\]\\s*");

    /** A compilation of a loop, which is entered in its middle: number, percent sign, level. */
    private static final Pattern OF_LOOP = Pattern.compile("\\s*(\\d+)\\s+%.*");

    /** Whether C2 made it what it is when called. */
    public boolean byC2() {
        return level == LEVEL_C2 && !ofLoop;
    }

    /**
     * All methods that are compiled in this JVM and may be entered.
     *
     * @param compilations the JVM's log of its compilations so far, see {@link GuestOptions#logCompilations}
     * @throws UncheckedIOException if it cannot be read
     * @throws IllegalStateException if the JVM does not tell
     */
    public static List<CompiledMethod> here(Path compilations) {
        Set<String> ofLoops;
        try (Stream<String> lines = Files.lines(compilations)) {
            ofLoops = ofLoops(lines);
        } catch (IOException e) {
            throw new UncheckedIOException("this JVM was to log its compilations file=" + compilations, e);
        }
        try {
            return parse(DiagnosticCommand.run(CODE_LIST).lines(), ofLoops);
        } catch (JMException e) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "this JVM does not list its compiled code: command=%s", CODE_LIST), e);
        }
    }

    static List<CompiledMethod> parse(Stream<String> lines, Set<String> ofLoops) {
        return lines.map(line -> parse(line, ofLoops)).flatMap(Optional::stream).toList();
    }

    private static Optional<CompiledMethod> parse(String line, Set<String> ofLoops) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long bytes = Long.parseUnsignedLong(matcher.group(5), 16) - Long.parseUnsignedLong(matcher.group(4), 16);
        return Optional.of(new CompiledMethod(
                matcher.group(3), Integer.parseInt(matcher.group(2)), bytes, ofLoops.contains(matcher.group(1))));
    }

    /** The numbers of compilations of loops. */
    static Set<String> ofLoops(Stream<String> lines) {
        return lines.map(OF_LOOP::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .collect(Collectors.toSet());
    }
}
