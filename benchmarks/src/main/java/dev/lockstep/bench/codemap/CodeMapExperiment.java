package dev.lockstep.bench.codemap;

import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.simulate.SimulationException;
import dev.lockstep.bench.simulate.Simulator;
import dev.lockstep.bench.simulate.SimulatorSettings;
import dev.lockstep.counters.NativePart;
import dev.lockstep.scheduler.InstalledProbe;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One workload in a JVM under the simulator, and the code it executed. Its files go when it is closed. */
final class CodeMapExperiment implements AutoCloseable {
    /** A small machine: what it simulates is of no interest here, and the less it does the sooner it is done. */
    private static final List<String> MACHINE = List.of("cores=1", "l1i=32K,8,64");

    private static final String HEAP = "256m";

    private final CodeMapSpec spec;
    private final Path directory;
    private CodeMapChildReport child;
    private CodeMap.WorkloadCode code;

    /** Starts the child JVM. */
    @FunctionalInterface
    interface Child {
        /**
         * Runs it to its end.
         *
         * @param printed takes what it prints
         * @return its exit code
         */
        int run(
                Processors processors,
                Path directory,
                List<String> options,
                List<String> arguments,
                List<String> printed)
                throws IOException, InterruptedException;
    }

    CodeMapExperiment(CodeMapSpec spec) throws IOException {
        this.spec = spec;
        directory = Files.createTempDirectory("lockstep-codemap-").toAbsolutePath();
    }

    void run(Child starter) throws IOException, InterruptedException, SimulationException, WorkloadFailedException {
        Path agent =
                switch (NativePart.AGENT.find()) {
                    case NativePart.Result.Available(Path file) -> file;
                    case NativePart.Result.Missing(String reason) -> throw new SimulationException(reason);
                };
        Path lines = directory.resolve("lines.txt");
        Path events = directory.resolve("events.txt");
        Path report = directory.resolve("report.json");
        Path specification = directory.resolve("spec.json");
        Json.write(specification, spec);
        Simulator simulator = Simulator.open(MACHINE, SimulatorSettings.DEFAULT.withCode(lines), directory);
        List<String> printed = new ArrayList<>();
        int exitCode = starter.run(
                Processors.of(launcher(simulator)),
                directory,
                options(agent, events),
                List.of(CodeMapChildCommand.NAME, "--spec", specification.toString(), "--report", report.toString()),
                printed);
        if (exitCode != 0 || !Files.exists(report)) {
            throw new WorkloadFailedException("The workload failed under QEMU: workload="
                    + spec.workload().name().toLowerCase(Locale.ROOT) + " exitCode=" + exitCode + "; it printed: "
                    + String.join(" | ", printed));
        }
        child = Json.read(report, CodeMapChildReport.class);
        if (!child.obstacle().isEmpty()) {
            throw new WorkloadFailedException("Operations could not be marked: " + child.obstacle());
        }
        code = new WorkloadCodeBuilder(CodeLines.read(lines), CodeEvents.read(events), child).build(spec);
    }

    private List<String> options(Path agent, Path events) {
        List<String> options = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-Xms" + HEAP,
                "-Xmx" + HEAP,
                "-XX:-UsePerfData",
                "-D" + InstalledProbe.PROPERTY + "=" + OperationMarkers.class.getName(),
                "-agentpath:" + agent + "=" + events));
        if (spec.warmUpRoundsMax() > 0) {
            // A simulated compiler is slow: code would run in lower tiers for as long as it works. And what runs once
            // in a hundred transactions would not come to C2 in a simulated run.
            options.addAll(List.of(
                    "-XX:-BackgroundCompilation",
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=CompileThresholdScaling,dev.lockstep.*::*,0.1"));
        }
        return options;
    }

    private Processors.Launcher launcher(Simulator simulator) {
        return new Processors.Launcher() {
            @Override
            public List<String> command(List<String> command) {
                return simulator.command(directory.resolve("result.json"), command);
            }

            @Override
            public Map<String, String> environment() {
                return simulator.environment();
            }

            @Override
            public String description() {
                return "simulated: " + String.join(" ", simulator.machine());
            }
        };
    }

    CodeMapChildReport child() {
        return child;
    }

    CodeMap.WorkloadCode code() {
        return code;
    }

    @Override
    public void close() throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException failure) throws IOException {
                Files.delete(each);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
