package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.process.Machine;
import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.process.SimulatedAs;
import dev.lockstep.bench.process.SourceVersion;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.report.Terminal;
import dev.lockstep.bench.simulate.SimulationException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the simulator's counts beside what they ought to be. */
@Command(
        name = "simulate-validate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Is the simulator right? Runs small programs under it and prints its counts beside what they ought to be,"
                    + " with a verdict for each.",
            "The programs are compiled here by the C compiler, linked at fixed addresses and without a C library, so"
                    + " that they execute the same instructions everywhere. There is no --flame: the profiler would"
                    + " see the emulator.",
            "",
            "Parts:",
            "  hand        one thread, counts computed by hand, to be met exactly: caches, TLBs, write-through,"
                    + " prefetchers, nodes, changed code",
            "  sharing     two threads: true and false sharing, upgrades, remote transfers, changed code, by hand",
            "  pace        do simulated cores keep step? a line that 4 to 32 add to",
            "  cachegrind  six C programs beside cachegrind, within 1 %%",
            "  repeat      the same run twice: C exactly, a JVM within 1 %% and 3 %%",
            "  jvm         a JVM's steady state beside cachegrind, within 15 %%",
            "  speed       instructions a second; wants an idle machine",
            "  repeat-tpcc TPC-C simulated twice, within 1 %% and 3 %%; six minutes, only if it is named",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every figure lies within its bound",
            "1:a figure does not",
            "2:wrong call, or a tool is missing or a program failed, which is named"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep simulate-validate",
            "      Everything, in about five minutes.",
            "  ./lockstep simulate-validate --brief hand sharing cachegrind repeat",
            "      Small parts of these, in less than a minute.",
            "  ./lockstep simulate-validate --json validation.json",
            "      The tables of RESULTS.md, also in a file.",
            "  ./lockstep simulate-validate --out report speed pace",
            "      A page with plots of what was simulated beside what was to be."
        })
public final class ValidateCommand implements Callable<Integer>, SimulatedAs.Told {
    private static final String PLATFORM = "Linux/amd64";

    @Spec
    private CommandSpec command;

    @Parameters(
            arity = "0..*",
            paramLabel = "PART",
            description = "Only these parts: ${COMPLETION-CANDIDATES}. Default: all but repeat-tpcc.",
            completionCandidates = PartNames.class)
    private final List<String> parts = new ArrayList<>();

    @Option(names = "--brief", description = "A third of the cases computed by hand, one geometry, no JVM twice.")
    private boolean brief;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of both runs of TPC-C in repeat-tpcc; in the other parts nothing is at random. Default:"
                    + " ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private ResultOptions results;

    private final Supplier<CommandLine> commands;
    private final String version;

    /**
     * For one command line.
     *
     * @param commands makes a command line of this program
     * @param version of this program
     */
    public ValidateCommand(Supplier<CommandLine> commands, String version) {
        this.commands = commands;
        this.version = version;
    }

    @Override
    public SimulatedAs simulatedAs() {
        return SimulatedAs.ALONE;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Set<Part> wanted = wanted();
        requirePlatform();
        results.prepare();
        Path compiler = require("a C compiler", "apt-get install gcc", "cc", "gcc", "clang");
        Path valgrind = wanted.stream().anyMatch(Part::needsCachegrind)
                ? require(
                        "valgrind",
                        "apt-get install valgrind; or name the parts that do without: hand sharing pace repeat speed",
                        "valgrind")
                : null;
        try (ScratchDirectory scratch = ScratchDirectory.make("validation")) {
            Path directory = scratch.path();
            SimulatedInstrument simulator = new SimulatedInstrument(directory);
            simulator.tryOut();
            Validation validation = new Validation(
                    new Programs(compiler, directory),
                    simulator,
                    valgrind == null ? null : new Cachegrind(valgrind, directory),
                    brief,
                    commands,
                    seed,
                    progress());
            return report(validation, wanted) ? 0 : 1;
        } catch (SimulationException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        } catch (ToolException e) {
            command.commandLine().getErr().println("lockstep: " + e.getMessage());
            return 2;
        }
    }

    private Set<Part> wanted() {
        if (parts.isEmpty()) {
            return Part.usual();
        }
        Set<Part> wanted = EnumSet.noneOf(Part.class);
        try {
            parts.forEach(part -> wanted.add(Spelling.parse(Part.class, part)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
        return wanted;
    }

    private boolean report(Validation validation, Set<Part> wanted) throws IOException, InterruptedException {
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        PrintWriter out = command.commandLine().getOut();
        List<ValidationTable> tables = new ArrayList<>();
        for (Part part : wanted) {
            ValidationTable table = validation.run(part);
            tables.add(table);
            out.println(table.text());
            out.flush();
        }
        ValidationReport result = new ValidationReport(
                origin.time(),
                version,
                SourceVersion.commit().orElse(null),
                origin.jvm(),
                Machine.here(),
                tables,
                tables.stream().allMatch(ValidationTable::passes));
        results.write(result, () -> ValidationPage.of(result, origin));
        return result.ok();
    }

    /** The programs are of one platform, QEMU's host aside. */
    private void requirePlatform() {
        String platform = System.getProperty("os.name") + "/" + System.getProperty("os.arch");
        if (!platform.equals(PLATFORM)) {
            throw new ParameterException(
                    command.commandLine(),
                    "The simulator is not there for platform=" + platform + "; it runs on " + PLATFORM + ".");
        }
    }

    private Path require(String what, String remedy, String... names) {
        return Tool.find(names)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), what + " is not there: on Debian and Ubuntu " + remedy + "."));
    }

    /** A line on a terminal that the next one overwrites, nothing elsewhere. */
    private static Consumer<String> progress() {
        if (!Terminal.isStandardError()) {
            return next -> {};
        }
        // ESC [ K clears what is left of the line before.
        return next -> System.err.print("\r" + next + "\u001b[K");
    }
}
