package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Origin;
import dev.lockstep.bench.report.Report;
import dev.lockstep.bench.report.ReportText;
import dev.lockstep.bench.report.ResultFile;
import dev.lockstep.bench.report.ResultOptions;
import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.ShownArguments;
import dev.lockstep.bench.report.Terminal;
import dev.lockstep.bench.switchpoints.ClassBytes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Finds switch points of a program, inserts them, and sees whether they do what was predicted. */
@Command(
        name = "loop",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        customSynopsis = {
            "./lockstep autosteps loop [--operation NAME]... [--l1i GEOMETRY] [--width N]",
            "    [--height N] [--members N] [--switch-bytes N] [--rounds N] [--unchecked]",
            "    [--points FILE] [--json FILE] [--seed N] [--out DIR] -- COMMAND..."
        },
        description = {
            "Runs COMMAND under ./lockstep simulate and records its operations, finds their switch points, inserts them"
                    + " into its bytecode, and records the operations again. What a further member of a team misses is"
                    + " predicted from the trace before and measured in the trace after, by replaying a team with the"
                    + " code of its switches. Where the two differ by more than 10 %%, and by more than one miss, the"
                    + " search begins anew from the new trace; inserted calls may change what the compiler inlines, and"
                    + " so where the code lies.",
            "COMMAND is what ./lockstep simulate takes: a command of ./lockstep that starts one JVM of S-threads, such"
                    + " as tpcc with one engine and one scheduler, or indexfetch with one kind; or java. There is no"
                    + " --flame: the profiler would see the emulator. Give it to COMMAND outside of the loop.",
            "",
            "Options:"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:prediction and measurement agree, or there is no knee of misses",
            "1:they do not, and it says why; or no point could be inserted",
            "2:wrong call, or COMMAND could not be simulated"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./lockstep autosteps loop --operation fetch --l1i 4K,8,64 --switch-bytes 64 --points points.txt \\",
            "    -- indexfetch --kinds inserted --members 1 --rows 10000",
            "      The index fetch, for a cache that is smaller than its code.",
            "  ./lockstep indexfetch --kinds inserted --switch-points points.txt",
            "      Takes the time of teams with the points."
        })
final class LoopCommand implements Callable<Integer> {
    private static final int ROUNDS_MAX = 20;

    @Spec
    private CommandSpec command;

    @Mixin
    private SearchOptions search;

    @Option(
            names = "--width",
            paramLabel = "N",
            defaultValue = "200",
            description = "Instructions between two misses of a knee at most. Default: ${DEFAULT-VALUE}.")
    private int width;

    @Option(
            names = "--height",
            paramLabel = "N",
            defaultValue = "4",
            description = "Misses that make a knee. Default: ${DEFAULT-VALUE}.")
    private int height;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often points are placed at most, 1 to 20. A simulated run begins it, and each round has"
                    + " one more; one whose JVM was not steady is repeated, up to twice. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--unchecked",
            description = "Leaves out the runs that check, before points are inserted that are new, at each pass"
                    + " whether a latch, lock or monitor is held, whoever has taken it; points where one is are left"
                    + " out, and it says why. What a method has taken itself, or one that it is inlined into, is seen"
                    + " in any case. At a point where the latch of another method is held members may wait for each"
                    + " other for ever.")
    private boolean unchecked;

    @Option(
            names = "--points",
            paramLabel = "FILE",
            description =
                    "Writes the points of the last round, if prediction and measurement agree, or else of the round"
                            + " whose members missed least, for simulate and indexfetch --switch-points.")
    private Path pointsFile;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Kept with the result; nothing here is random. That of COMMAND stands behind --. Default:"
                    + " ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private ResultOptions results;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "What to run, after --.")
    private List<String> words;

    private final Function<Run, TraceRecorder> recorders;
    private final ClassBytes classes;

    /**
     * What is to be recorded.
     *
     * @param directory for files of the recorder
     */
    record Run(LoopCommand asked, Path directory) {
        TraceRecorder simulated(Supplier<CommandLine> simulate) {
            return new SimulatedRecorder(
                    simulate,
                    asked.words,
                    asked.search.shape(),
                    directory,
                    asked.command.commandLine().getErr(),
                    what -> Terminal.progress(asked.command.commandLine().getErr(), what));
        }
    }

    /**
     * For one command line.
     *
     * @param recorders makes what runs the program
     * @param classes of the program
     */
    LoopCommand(Function<Run, TraceRecorder> recorders, ClassBytes classes) {
        this.recorders = recorders;
        this.classes = classes;
    }

    @Override
    public Integer call() throws IOException {
        search.require(rounds >= 1 && rounds <= ROUNDS_MAX, "--rounds is 1 to " + ROUNDS_MAX);
        SearchRounds.Settings settings = new SearchRounds.Settings(
                search.wanted(),
                search.shape(),
                search.knee(width, height),
                search.members(),
                search.switchBytes(),
                rounds,
                !unchecked);
        ResultFile.require(command.commandLine(), "--points", pointsFile);
        results.prepare();
        Origin origin = Origin.here(command.commandLine().getParseResult().originalArgs(), seed);
        try (ScratchDirectory scratch = ScratchDirectory.make("autosteps")) {
            Path points = scratch.path().resolve("points.txt");
            RoundsResult result = new SearchRounds(
                            settings,
                            recorders.apply(new Run(this, scratch.path())),
                            classes,
                            points,
                            round -> print(List.of(RoundsResult.section(round))))
                    .run();
            if (pointsFile != null) {
                Files.copy(points, pointsFile, StandardCopyOption.REPLACE_EXISTING);
            }
            write(result, origin);
            return result.agree() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (RecordingException e) {
            say(e.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
    }

    private void write(RoundsResult result, Origin origin) throws IOException {
        print(List.of(result.sections().getLast()));
        results.write(origin, result, () -> page(result, origin));
    }

    private Report page(RoundsResult result, Origin origin) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        settings.put("command", String.join(" ", ShownArguments.of(words)));
        settings.put("L1 instruction cache", result.instructionCache());
        settings.put("knee", width + " instructions, " + height + " misses");
        settings.put("members", Integer.toString(result.members()));
        settings.put("code of a switch, bytes", Integer.toString(result.switchBytes()));
        return new Report(
                "Switch points, inserted",
                result.verdict().stream().collect(Collectors.joining(" ")),
                result.agree(),
                origin,
                settings,
                result.page());
    }

    private void print(List<Section> sections) {
        PrintWriter out = command.commandLine().getOut();
        out.print(ReportText.of(sections));
        out.flush();
    }

    private void say(String what) {
        PrintWriter err = command.commandLine().getErr();
        err.println("lockstep: " + what);
        err.flush();
    }
}
