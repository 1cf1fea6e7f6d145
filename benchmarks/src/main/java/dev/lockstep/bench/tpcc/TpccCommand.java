package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.SourceVersion;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ReportWriter;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ShownArguments;
import dev.lockstep.counters.NativePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Populates a TPC-C database, runs the standard mix under each scheduling, checks the result and compares. */
@Command(
        name = "tpcc",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Loads a TPC-C database, runs its transactions, checks the result, and prints the figures.",
            "Without options: one warehouse on Lockstep, on one core, durable commits; once under the JDK's scheduling"
                    + " and once under STEPS, side by side. Each run has a JVM of its own; where several are compared"
                    + " they take turns.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every run ended, and every check holds",
            "1:a check failed: a consistency condition or the tally of the driver; or a run was given up: a terminal"
                    + " failed, the server of --url cannot be used, its JVM ended without a report, or it made no"
                    + " progress, whose thread dump is named: no transaction ended for 30 s, or nothing was done for"
                    + " 120 s while it loaded, gathered statistics or checked",
            "2:wrong call; or under ./lockstep simulate, and its agent for the JVM is missing"
        },
        footerHeading = "%nUnits: sizes in powers of 1024, times as their names say. Latency lasts from the answer of"
            + " the transaction before on the same thread or connection, so with the wait for a turn, or with --think"
            + " from the end of keying, to the answer of the commit, in microseconds. User, kernel and idle are what"
            + " /proc/stat says of the processors that the run is bound to, or of all where it is bound to none: in"
            + " the measured phase, of all programs there; kernel is with interrupts, idle with waits for a"
            + " disk.%n%nChild JVMs: for Lockstep, whose pages lie outside the heap, -Xms and -Xmx 512 MB, with"
            + " --slices as much for each database, -XX:+UseSerialGC on one core and -XX:+UseParallelGC on more; for"
            + " others 60 %% of the memory (at most 12 GB), two thirds of it young generation, -XX:+UseParallelGC."
            + " Large pages where the system has them; carriers of the JDK's scheduler as many as"
            + " --cores.%n%nExamples:%n",
        footer = {
            "  ./lockstep tpcc",
            "      The main job: STEPS beside the JDK's scheduling, with durable commits.",
            "  ./lockstep tpcc --durability async --repeat 5 --control --json result.json",
            "      The same with commits that do not wait for the disk, five times in turns, with the spread of one",
            "      configuration against itself; everything in a file.",
            "  ./lockstep tpcc --durability async --teams off,on --batches off,on --repeat 5",
            "      What teams and batches are worth, each alone and together, and beside the JDK's scheduling.",
            "  ./lockstep tpcc --durability async --warehouses 10 --cores 1,2 --scheduler steps --repeat 5 --control",
            "      What a second carrier is worth.",
            "  ./lockstep tpcc --engine all --durability async --warehouses 10",
            "      Lockstep beside all engines, in memory, at ten warehouses.",
            "  ./lockstep tpcc --engine postgresql --url \"jdbc:postgresql://localhost:54329/tpcc?user=lockstep\"",
            "      PostgreSQL, on a server made as an ordinary user by: initdb -D pgdata -U lockstep --auth=trust;",
            "      pg_ctl -D pgdata -w -o \"-p 54329 -k '' -c shared_buffers=2GB -c max_wal_size=8GB",
            "      -c synchronous_commit=off\" start; createdb -h localhost -p 54329 -U lockstep tpcc",
            "  ./lockstep tpcc --terminals 100 --fsync-delay 5 --scheduler jdk",
            "      Group commit on a slow disk.",
            "  ./lockstep tpcc --warehouses 10 --pool 256m --duration 60 --scan-beside",
            "      A database larger than the pool, and a full scan that must not empty it.",
            "  ./lockstep tpcc --warehouses 10 --durability async --scheduler jdk --pool 3g --slices 5",
            "      --checkpoint-seconds once --warmup 60 --duration 60 --repeat 5 --control",
            "      --without checksums,torn-pages,checkpoints",
            "      What checksums, the protection from torn pages and checkpoints cost: five databases in one JVM, by",
            "      turns of 5 s, with a checkpoint in each 60 s.",
            "  ./lockstep tpcc --durability async --profile flames.html",
            "      Flame graphs of both: flames-lockstep-jdk.html and flames-lockstep-steps.html.",
            "  ./lockstep tpcc --durability async --repeat 5 --control --out report",
            "      A directory with the table, the JSON, and the flame graphs of two further runs."
        })
public final class TpccCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final String REPORT_TEXT = "report.txt";
    private static final String REPORT_JSON = "result.json";

    @Spec
    private CommandSpec command;

    @Mixin
    private TpccOptions options;

    private final String mainClass;
    private final String version;
    private final Placement placement;
    private final Supplier<NativePart.Result> agent;

    /**
     * For one command line.
     *
     * @param mainClass of child JVMs, which knows {@link TpccChildCommand}
     * @param version of this program
     * @param placement where child JVMs run
     */
    public TpccCommand(String mainClass, String version, Placement placement) {
        this(mainClass, version, placement, NativePart.AGENT::find);
    }

    /** The same with an agent from elsewhere. */
    TpccCommand(String mainClass, String version, Placement placement, Supplier<NativePart.Result> agent) {
        this.mainClass = mainClass;
        this.version = version;
        this.placement = placement;
        this.agent = agent;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.CHILDREN;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Machine machine = Machine.here();
        TpccPlan plan;
        try {
            if (placement.emulation().isPresent()) {
                options.simulated();
            }
            plan = TpccPlan.of(options, machine.memoryBytes(), placement.processorsMax());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        Simulated simulated = null;
        if (placement.emulation().isPresent()) {
            switch (agent.get()) {
                case NativePart.Result.Available(Path file) ->
                    simulated = new Simulated(placement.emulation().get(), file);
                case NativePart.Result.Missing(String reason) -> {
                    command.commandLine().getErr().println("lockstep: " + reason);
                    return CommandLine.ExitCode.USAGE;
                }
            }
        }
        requireWritable();
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        Optional<String> commit = SourceVersion.commit();
        PrintWriter out = command.commandLine().getOut();
        TpccExperiment experiment =
                new TpccExperiment(plan, options, placement::choose, simulated, mainClass, System.err);
        experiment.run();
        List<RunReport> runs = experiment.runs();
        ExperimentReport report = new ExperimentReport(
                ShownArguments.of(command.commandLine().getParseResult().originalArgs()),
                time,
                version,
                commit.orElse(null),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                machine,
                ChildFlags.shared(options.cores),
                experiment.connections(),
                Ratios.of(runs, experiment.connections()),
                runs,
                experiment.flameGraphs(),
                experiment.simulationChecks(),
                runs.stream().allMatch(RunReport::ok)
                        && experiment.flameGraphs().stream().allMatch(FlameGraphReport::ok));
        String text = ReportText.of(new TpccSections(report).sections());
        out.print(text);
        out.flush();
        if (options.json != null) {
            Json.writeResult(options.json, report);
        }
        if (options.out != null) {
            Files.writeString(options.out.resolve(REPORT_TEXT), text);
            Json.writeResult(options.out.resolve(REPORT_JSON), report);
            PrintWriter err = command.commandLine().getErr();
            ReportWriter.write(options.out, TpccReport.of(report, options.out))
                    .ifPresent(obstacle -> err.println("lockstep: the report has no plots, because " + obstacle));
        }
        return report.ok() ? 0 : 1;
    }

    /** A result that cannot be written is better known before the runs than after. */
    private void requireWritable() {
        if (options.directory != null) {
            ResultFile.requireDirectory(command.commandLine(), "--dir", options.directory);
        }
        if (options.out != null) {
            ResultFile.requireDirectory(command.commandLine(), "--out", options.out);
            ResultFile.require(command.commandLine(), "--out", options.out.resolve(REPORT_JSON));
        }
        ResultFile.require(command.commandLine(), "--json", options.json);
        ResultFile.require(command.commandLine(), "--profile", options.profile);
    }
}
