import com.palantir.javaformat.java.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs palantir-java-format over every Java source of the project, in one process of the toolchain's JDK: the JDK that
 * Maven runs on may be too old to parse the sources. Maven starts it as a source file, with the formatter on the class
 * path; arguments: {@code check} or {@code apply}, and the project's directory. Exit code 0 when all files are
 * formatted, 1 when {@code check} found one that is not or one cannot be parsed, 2 when it was called wrongly.
 */
final class FormatSources {
    private static final Set<String> SKIPPED_DIRECTORIES = Set.of("target", ".git", ".idea");

    private FormatSources() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2 || !Set.of("check", "apply").contains(arguments[0])) {
            System.err.println("usage: FormatSources check|apply DIRECTORY");
            System.exit(2);
        }
        boolean check = arguments[0].equals("check");
        List<String> options = new ArrayList<>(List.of("--palantir"));
        options.addAll(check ? List.of("--dry-run", "--set-exit-if-changed") : List.of("--replace"));
        options.addAll(javaSources(Path.of(arguments[1])));
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int result = new Main(out, err, System.in).format(options.toArray(String[]::new));
        out.flush();
        err.flush();
        if (result != 0 && check) {
            System.err.println(
                    "The files above are not formatted; format them with: mvn -B -N -Pformat process-sources");
        }
        System.exit(result == 0 ? 0 : 1);
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
