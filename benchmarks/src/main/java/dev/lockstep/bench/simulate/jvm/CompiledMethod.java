package dev.lockstep.bench.simulate.jvm;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * A method of this JVM that is compiled now. Immutable.
 *
 * @param method class and name, with dots, and signature, such as {@code java.lang.String.hashCode()I}
 * @param level 1 to 3 for C1, 4 for C2
 * @param bytes of its code
 */
public record CompiledMethod(String method, int level, long bytes) {
    /** The level of C2. */
    static final int LEVEL_C2 = 4;

    private static final String COMMANDS = "com.sun.management:type=DiagnosticCommand";
    private static final String CODE_LIST = "compilerCodelist";

    /** Number of the compilation, level, state (0: may be entered), method, addresses of header, code, and its end. */
    private static final Pattern LINE =
            Pattern.compile("\\s*\\d+\\s+(\\d)\\s+0\\s+(\\S+)\\s+\\[0x\\p{XDigit}+,\\s*0x(\\p{XDigit}+)\\s*-\\s*"
                    + "0x(\\p{XDigit}+)\\]\\s*");

    /**
     * All methods that are compiled in this JVM and may be entered.
     *
     * @throws IllegalStateException if the JVM does not tell
     */
    public static List<CompiledMethod> here() {
        try {
            String list = (String)
                    ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName(COMMANDS), CODE_LIST, null, null);
            return parse(list.lines());
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException("not a name: " + COMMANDS, e);
        } catch (JMException e) {
            throw new IllegalStateException(
                    String.format(Locale.ROOT, "this JVM does not list its compiled code: command=%s", CODE_LIST), e);
        }
    }

    static List<CompiledMethod> parse(Stream<String> lines) {
        return lines.map(CompiledMethod::parse).flatMap(Optional::stream).toList();
    }

    private static Optional<CompiledMethod> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long bytes = Long.parseUnsignedLong(matcher.group(4), 16) - Long.parseUnsignedLong(matcher.group(3), 16);
        return Optional.of(new CompiledMethod(matcher.group(2), Integer.parseInt(matcher.group(1)), bytes));
    }

    /** The method without its signature. */
    String name() {
        int signature = method.indexOf('(');
        return signature < 0 ? method : method.substring(0, signature);
    }
}
