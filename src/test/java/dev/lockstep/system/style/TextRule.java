package dev.lockstep.system.style;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The rules that a file's text decides. Each brings a file that breaks it and one that just keeps it. */
@SuppressWarnings("ImmutableEnumChecker") // SourceFile is a record of strings.
enum TextRule {
    /** As the formatter has it, for what the formatter cannot break or does not see. */
    LINE_LENGTH(java("x".repeat(121)), java("x".repeat(120))) {
        @Override
        List<String> violations(SourceFile file) {
            if (!file.isCode()) {
                return List.of();
            }
            List<String> lines = file.lines();
            return IntStream.range(0, lines.size())
                    .filter(i -> lines.get(i).length() > LINE_LENGTH_MAX)
                    .mapToObj(i -> file.path() + ":" + (i + 1) + " has "
                            + lines.get(i).length() + " characters; at most " + LINE_LENGTH_MAX)
                    .toList();
        }
    },

    FILE_LENGTH(java("\n".repeat(801)), java("\n".repeat(800))) {
        @Override
        List<String> violations(SourceFile file) {
            int lines = file.lines().size();
            return !file.isCode() || lines <= FILE_LINES_MAX
                    ? List.of()
                    : List.of(file.path() + " has " + lines + " lines; at most " + FILE_LINES_MAX
                            + ", so give one of its ideas a class of its own");
        }
    },

    METHOD_LENGTH(
            java("class A {\n void m() {\n" + "\n".repeat(79) + "}\n}"),
            java("class A {\n void m() {\n" + "\n".repeat(78) + "}\n}")) {
        @Override
        List<String> violations(SourceFile file) {
            return file.isJava() ? longMethods(file) : List.of();
        }
    },

    /** Plans belong into issues. */
    BACKLOG(java("// TO" + "DO later"), java("// fixmeter todos")) {
        @Override
        List<String> violations(SourceFile file) {
            return matches(file, BACKLOG_MARKERS, "is a backlog in the source: do it, or write an issue");
        }
    },

    DISABLED_TEST(java("@Disa" + "bled void t() {}"), java("boolean Disabled;")) {
        @Override
        List<String> violations(SourceFile file) {
            return file.isJava() ? matches(file, DISABLED, "disables a test: repair it or remove it") : List.of();
        }
    },

    /** A path of one machine works on no other. */
    MACHINE_PATH(java("\"/ho" + "me/someone/x\""), java("\"/usr/lib/jvm/*\"")) {
        @Override
        List<String> violations(SourceFile file) {
            return matches(file, MACHINE_PATHS, "is a path of one machine");
        }
    },

    /** Where artifacts come from is the business of each user's settings. */
    REPOSITORY(new SourceFile("pom.xml", "<repo" + "sitories>"), new SourceFile("pom.xml", "<dependencies>")) {
        @Override
        List<String> violations(SourceFile file) {
            return file.path().endsWith(".xml")
                    ? matches(file, REPOSITORIES, "names a repository: leave that to the user's Maven settings")
                    : List.of();
        }
    },

    /** Builds repeat only with fixed versions. */
    FLOATING_VERSION(
            new SourceFile("pom.xml", "<version>1.0-SNAP" + "SHOT</version>"),
            new SourceFile("pom.xml", "<version>1.0.RELEASE</version>")) {
        @Override
        List<String> violations(SourceFile file) {
            return file.path().endsWith("pom.xml")
                    ? matches(file, FLOATING_VERSIONS, "is a version that changes by itself")
                    : List.of();
        }
    };

    static final int LINE_LENGTH_MAX = 120;
    /** A class of one idea fits into 700; beyond this, reviewers stop reading from top to bottom. */
    static final int FILE_LINES_MAX = 800;
    /** A screen and a half, signature and closing brace included. */
    static final int METHOD_LINES_MAX = 80;

    /** The longer methods that are better in one piece, as {@code path#method}, each with its reason beside it. */
    static final Set<String> LONG_METHODS = Set.of();

    private static final Pattern BACKLOG_MARKERS = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern DISABLED = Pattern.compile("@(Disa" + "bled|Ign" + "ore)\\w*");
    private static final Pattern MACHINE_PATHS = Pattern.compile(
            "/usr/lib/jvm/[A-Za-z]|(?<![\\w.}~])/(ro" + "ot|ho" + "me|wo" + "rk|Users)/\\w|C:\\\\Users");
    private static final Pattern REPOSITORIES = Pattern.compile("<(plugin)?[rR]epo" + "sitor(y|ies)>|<distribution");
    private static final Pattern FLOATING_VERSIONS =
            Pattern.compile("-SNAP" + "SHOT<|<version>\\s*(LATEST|RELEASE)\\s*<");

    private static final String TEXT_BLOCK = "\"".repeat(3);

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** One for all files: each of its own would open the JDK's once more, which takes longer than to parse a file. */
    private static final JavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    final SourceFile offender;
    final SourceFile innocent;

    TextRule(SourceFile offender, SourceFile innocent) {
        this.offender = offender;
        this.innocent = innocent;
    }

    /** One sentence for each place where the file breaks the rule. */
    abstract List<String> violations(SourceFile file);

    private static SourceFile java(String text) {
        return new SourceFile("engine/src/main/java/A.java", text);
    }

    private static List<String> matches(SourceFile file, Pattern pattern, String what) {
        List<String> lines = file.lines();
        List<String> violations = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String found =
                    pattern.matcher(lines.get(i)).results().map(m -> m.group()).collect(Collectors.joining(", "));
            if (!found.isEmpty()) {
                violations.add(file.path() + ":" + (i + 1) + " " + found + " " + what);
            }
        }
        return violations;
    }

    /**
     * Whether a file is worth parsing, which takes most of this test's time: where the formatter has closed a member of
     * the outermost class often enough, no method is longer, unless text that looks like code hides it.
     */
    private static boolean mayHaveLongMethods(SourceFile file) {
        int sinceMemberEnd = 0;
        for (String line : file.lines()) {
            sinceMemberEnd = line.equals("    }") ? 0 : sinceMemberEnd + 1;
            if (sinceMemberEnd >= METHOD_LINES_MAX || line.contains(TEXT_BLOCK)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> longMethods(SourceFile file) {
        List<String> violations = new ArrayList<>();
        if (!mayHaveLongMethods(file)) {
            return violations;
        }
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///" + file.path()), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return file.text();
                    }
                };
        JavacTask task = (JavacTask)
                COMPILER.getTask(null, FILES, diagnostic -> {}, List.of("-proc:none"), null, List.of(source));
        SourcePositions positions = Trees.instance(task).getSourcePositions();
        try {
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitMethod(MethodTree method, Void unused) {
                        long end = positions.getEndPosition(unit, method);
                        String name = file.path() + "#" + method.getName();
                        if (end >= 0 && !LONG_METHODS.contains(name)) {
                            long lines = unit.getLineMap().getLineNumber(end)
                                    - unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method))
                                    + 1;
                            if (lines > METHOD_LINES_MAX) {
                                violations.add(name + " has " + lines + " lines; at most " + METHOD_LINES_MAX);
                            }
                        }
                        return super.visitMethod(method, null);
                    }
                }.scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return violations;
    }
}
