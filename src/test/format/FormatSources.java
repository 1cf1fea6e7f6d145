import com.palantir.javaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs palantir-java-format over every Java source of the project, in one process of the toolchain's JDK: the JDK that
 * Maven runs on may be too old to parse the sources. Maven starts it as a source file, with the formatter on the class
 * path. The formatter leaves comments as they are, so the lines of comments that are too long are wrapped here.
 * Arguments: {@code check} or {@code apply}, and the project's directory. Exit code 0 when all files are formatted, 1
 * when {@code check} found one that is not or one cannot be parsed, 2 when it was called wrongly.
 */
final class FormatSources {
    private static final Set<String> SKIPPED_DIRECTORIES = Set.of("target", ".git", ".idea");

    private static final int LINE_LENGTH_MAX = 120;
    private static final Pattern SINGLE_LINE_JAVADOC = Pattern.compile("^( *)/\\*\\* (.*) \\*/$");
    /** Marker, white space, the bullet of a list if there is one, and the words. */
    private static final Pattern COMMENT_LINE = Pattern.compile("^( *(?:\\*(?!/)|///?))( *)((?:[-*] +)?)(.*)$");

    private static final Pattern NEW_PARAGRAPH = Pattern.compile("[@<|+]|\\d+\\. |\\{@snippet");

    private FormatSources() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2 || !Set.of("check", "apply").contains(arguments[0])) {
            System.err.println("usage: FormatSources check|apply DIRECTORY");
            System.exit(2);
        }
        boolean check = arguments[0].equals("check");
        List<String> sources = javaSources(Path.of(arguments[1]));
        boolean wrapped = wrapComments(sources, check);
        List<String> options = new ArrayList<>(List.of("--palantir"));
        options.addAll(check ? List.of("--dry-run", "--set-exit-if-changed") : List.of("--replace"));
        options.addAll(sources);
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int result = new Main(out, err, System.in).format(options.toArray(String[]::new));
        out.flush();
        err.flush();
        if (check && (result != 0 || wrapped)) {
            System.err.println(
                    "The files above are not formatted; format them with: mvn -B -N -Pformat process-sources");
        }
        System.exit(result != 0 || (check && wrapped) ? 1 : 0);
    }

    /** Wraps over-long lines of comments in all files, or says which files have them. True when there were any. */
    private static boolean wrapComments(List<String> sources, boolean check) throws IOException {
        boolean found = false;
        for (String source : sources) {
            String text = Files.readString(Path.of(source));
            String wrapped = wrapComments(text);
            if (!wrapped.equals(text)) {
                found = true;
                if (check) {
                    System.out.println(source);
                } else {
                    Files.writeString(Path.of(source), wrapped);
                }
            }
        }
        return found;
    }

    /**
     * Moves the words that reach past the line's end to the next line of the same paragraph, or to one of their own.
     */
    private static String wrapComments(String text) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            Matcher single = line.length() > LINE_LENGTH_MAX ? SINGLE_LINE_JAVADOC.matcher(line) : null;
            if (single != null && single.matches()) {
                lines.add(single.group(1) + "/**");
                lines.add(single.group(1) + " * " + single.group(2));
                lines.add(single.group(1) + " */");
            } else {
                lines.add(line);
            }
        }
        boolean preformatted = false;
        // Ends: each pass either goes on or shortens line i, and a line that cannot be broken is left as it is.
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            preformatted = (preformatted || line.contains("<pre>")) && !line.contains("</pre>");
            Matcher comment = COMMENT_LINE.matcher(line);
            if (preformatted || line.length() <= LINE_LENGTH_MAX || !comment.matches()) {
                continue;
            }
            String marker = comment.group(1);
            int end = line.lastIndexOf(' ', LINE_LENGTH_MAX);
            if (end
                    < marker.length()
                            + comment.group(2).length()
                            + comment.group(3).length()
                            + 1) {
                continue;
            }
            lines.set(i, line.substring(0, end).stripTrailing());
            String rest = line.substring(end + 1);
            Matcher next = i + 1 < lines.size() ? COMMENT_LINE.matcher(lines.get(i + 1)) : null;
            boolean continues = next != null
                    && next.matches()
                    && next.group(1).equals(marker)
                    && next.group(3).isEmpty()
                    && !next.group(4).isEmpty()
                    && !NEW_PARAGRAPH.matcher(next.group(4)).lookingAt();
            if (continues) {
                lines.set(i + 1, marker + next.group(2) + rest + " " + next.group(4));
            } else {
                boolean hangs =
                        comment.group(4).startsWith("<li>") || comment.group(4).startsWith("@");
                String indent = comment.group(2)
                        + " ".repeat(hangs ? 4 : comment.group(3).length());
                lines.add(i + 1, marker + indent + rest);
            }
        }
        return String.join("\n", lines);
    }

    private static List<String> javaSources(Path directory) throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.sorted().toList()) {
                if (Files.isDirectory(entry)) {
                    if (!SKIPPED_DIRECTORIES.contains(entry.getFileName().toString())) {
                        sources.addAll(javaSources(entry));
                    }
                } else if (entry.toString().endsWith(".java")) {
                    sources.add(entry.toString());
                }
            }
        }
        return sources;
    }
}
