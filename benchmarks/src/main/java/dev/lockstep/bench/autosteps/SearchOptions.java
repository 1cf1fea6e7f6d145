package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.report.InputFile;
import dev.lockstep.bench.simulate.CacheShape;
import dev.lockstep.bench.simulate.ThisMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every search for switch points is told, to be mixed into its command. */
final class SearchOptions {
    /** What a continuation switch of this JVM executes takes up to so many bytes of code (ARCHITECTURE.md). */
    private static final String SWITCH_BYTES = "7168";

    private static final int SWITCH_BYTES_MAX = 1 << 20;
    private static final int MEMBERS_MAX = 1000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--operation",
            paramLabel = "NAME",
            description = "Only operations whose name contains NAME; may be repeated. Default: all.")
    private List<String> wanted = List.of();

    @Option(
            names = "--l1i",
            paramLabel = "GEOMETRY",
            description = "L1 instruction cache: SIZE,WAYS,LINE, like 32K,8,64; ways may be direct or full. Default:"
                    + " this machine's.")
    private String geometry;

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "10",
            description = "Members of the team that is replayed, 2 to 1000. Default: ${DEFAULT-VALUE}.")
    private int members;

    @Option(
            names = "--switch-bytes",
            paramLabel = "N",
            defaultValue = SWITCH_BYTES,
            description = "Executed code of one switch in the replay that has it, in bytes. Default: ${DEFAULT-VALUE},"
                    + " the most that a continuation switch takes.")
    private int switchBytes;

    /** Parts of the names of operations; empty for all. */
    List<String> wanted() {
        return wanted;
    }

    int members() {
        return members;
    }

    int switchBytes() {
        return switchBytes;
    }

    /**
     * The instruction cache.
     *
     * @throws ParameterException if an option is out of range or no geometry
     */
    CacheShape shape() {
        require(members >= 2 && members <= MEMBERS_MAX, "--members is 2 to " + MEMBERS_MAX);
        require(switchBytes >= 0 && switchBytes <= SWITCH_BYTES_MAX, "--switch-bytes is 0 to " + SWITCH_BYTES_MAX);
        try {
            CacheShape shape = geometry == null ? ThisMachine.instructionCache() : CacheShape.parse(geometry);
            require(
                    shape.bytes() / shape.lineBytes() <= MarkedCache.LINES_MAX,
                    "--l1i has up to " + MarkedCache.LINES_MAX + " lines");
            return shape;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** A knee, if it is one. */
    Knee knee(int width, int height) {
        try {
            return new Knee(width, height);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** Reads a trace that the user has named. */
    TraceFile read(Path file) throws IOException {
        require(InputFile.isReadable(file), "TRACE cannot be read: file=" + file);
        try {
            return TraceFile.read(file);
        } catch (TraceFormatException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** The operations of a trace that are wanted, by their numbers. */
    List<Integer> operations(TraceFile traces) {
        List<Integer> operations = traces.operations(wanted);
        require(!operations.isEmpty(), "--operation fits none of: " + traces.names());
        return operations;
    }

    /** Requires something of what the user has asked for, said in a sentence without its full stop. */
    void require(boolean condition, String sentence) {
        if (!condition) {
            throw new ParameterException(command.commandLine(), sentence + ".");
        }
    }
}
