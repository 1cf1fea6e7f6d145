package dev.lockstep.bench.process;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Starts this program again in a JVM of its own: the same JDK, class path, module flags and directory for temporary
 * files, other options. The child ends when this process does, because it watches its standard input; see {@link
 * #endWithParent}.
 */
public final class ChildJvm {
    /** How options begin that this JVM has and a child needs: modules, and where temporary files go. */
    private static final List<String> INHERITED =
            List.of("--add-exports", "--add-opens", "--add-modules", "--enable-native-access", "-Djava.io.tmpdir=");

    private ChildJvm() {}

    /**
     * Runs a child to its end. Does not return where this JVM is told to end, which ends the child first.
     *
     * @param processors where it runs
     * @param directory where it runs, which exists
     * @param environment variables that it gets beside this process's own
     * @param options of the JVM
     * @param mainClass of the child, unless this program runs from one executable jar
     * @param arguments of the main class
     * @param lines receives what the child prints, line by line, on the calling thread; standard error included
     * @return the exit code
     * @throws InterruptedException if the calling thread is interrupted; the child is then killed
     */
    public static int run(
            Processors processors,
            Path directory,
            Map<String, String> environment,
            List<String> options,
            String mainClass,
            List<String> arguments,
            Consumer<String> lines)
            throws IOException, InterruptedException {
        ProcessBuilder builder = NativeProcess.builder(processors.pinning(command(options, mainClass, arguments)))
                .directory(directory.toFile())
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().putAll(processors.environment());
        try (Ending.Watch watch = start(processors, builder)) {
            Process process = watch.process();
            BlockingQueue<Optional<String>> printed = new LinkedBlockingQueue<>();
            Thread.ofPlatform().name("child-reader").daemon().start(() -> read(process, printed));
            Optional<String> line = printed.take();
            while (line.isPresent()) {
                // What a child says to its end is about files that go, and no news.
                Ending.stopIfBegun();
                lines.accept(line.get());
                line = printed.take();
            }
            return process.waitFor();
        }
    }

    /**
     * On a thread of its own, since no interrupt ends a wait for what a process prints.
     *
     * @param printed receives its lines, and an empty one behind the last
     */
    private static void read(Process process, BlockingQueue<Optional<String>> printed) {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().map(Optional::of).forEach(printed::add);
        } catch (IOException | UncheckedIOException e) {
            // The child was killed, whose exit code says so.
        } finally {
            printed.add(Optional.empty());
        }
    }

    /** On a thread of its own, which may be pinned and ends at once. */
    private static Ending.Watch start(Processors processors, ProcessBuilder builder)
            throws IOException, InterruptedException {
        CompletableFuture<Ending.Watch> started = new CompletableFuture<>();
        Thread.ofPlatform().name("child-starter").start(() -> {
            try {
                processors.pinStarter();
                started.complete(Ending.start(builder));
            } catch (IOException | RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        try {
            return started.get();
        } catch (ExecutionException e) {
            throw new IOException("cannot start a child JVM command=" + builder.command(), e.getCause());
        }
    }

    /**
     * The words that start a child.
     *
     * @param options of the JVM
     * @param mainClass of the child, unless this program runs from one executable jar
     * @param arguments of the main class
     */
    public static List<String> command(List<String> options, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(inherited());
        command.addAll(options);
        String classPath = absoluteClassPath();
        if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
            // An executable jar brings its module flags in its manifest, which only -jar honours.
            command.add("-jar");
            command.add(classPath);
        } else {
            command.add("-cp");
            command.add(classPath);
            command.add(mainClass);
        }
        command.addAll(arguments);
        return command;
    }

    private static List<String> inherited() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> INHERITED.stream().anyMatch(argument::startsWith))
                .toList();
    }

    /** Absolute, because the child works in another directory. */
    private static String absoluteClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Called in a child: from now on it ends when its parent does, however that happens. */
    public static void endWithParent() {
        Thread.ofPlatform().name("parent-watch").daemon().start(() -> {
            try {
                // The parent writes nothing; the end of its pipe is the end of the parent.
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // A broken pipe says the same.
                Runtime.getRuntime().halt(1);
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
