package dev.lockstep.bench;

import dev.lockstep.bench.autosteps.AutoStepsCommand;
import dev.lockstep.bench.codemap.CodeMapChildCommand;
import dev.lockstep.bench.codemap.CodeMapCommand;
import dev.lockstep.bench.codemap.MissedCodeReader;
import dev.lockstep.bench.disk.DiskChildCommand;
import dev.lockstep.bench.disk.DiskCommand;
import dev.lockstep.bench.files.InspectCommand;
import dev.lockstep.bench.files.RecoverCommand;
import dev.lockstep.bench.files.VerifyCommand;
import dev.lockstep.bench.indexfetch.IndexFetchChildCommand;
import dev.lockstep.bench.indexfetch.IndexFetchCommand;
import dev.lockstep.bench.process.ChildCommand;
import dev.lockstep.bench.process.Ending;
import dev.lockstep.bench.process.Placement;
import dev.lockstep.bench.prove.ProveCommand;
import dev.lockstep.bench.restart.RestartCommand;
import dev.lockstep.bench.simulate.SimulateCommand;
import dev.lockstep.bench.simulate.validation.ValidateCommand;
import dev.lockstep.bench.steps.StepsCommand;
import dev.lockstep.bench.tpcc.SlicedChildCommand;
import dev.lockstep.bench.tpcc.TpccChildCommand;
import dev.lockstep.bench.tpcc.TpccCommand;
import dev.lockstep.engine.LeakedHandleException;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.TransactionStateException;
import dev.lockstep.engine.WrongThreadException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * The command line. Exit codes: 0 when all is well, 1 when a check failed or a command ended in an exception, 2 when it
 * was called wrongly.
 */
@Command(
        name = "./lockstep",
        description = "Runs Lockstep's experiments. Every figure of RESULTS.md comes from one of these commands.",
        commandListHeading = "%nCommands:%n",
        footer = {"", "Start with: ./lockstep tpcc", "Every command explains itself: ./lockstep COMMAND --help"},
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = BuildVersion.class)
public final class Main implements Runnable {
    @Spec
    private CommandSpec command;

    /** For picocli. */
    Main() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param arguments the command and its options
     */
    public static void main(String[] arguments) {
        Optional<ChildCommand> child = arguments.length == 0 ? Optional.empty() : child(arguments[0]);
        System.exit(
                child.isPresent()
                        ? child.get().execute(arguments)
                        : commandLine().execute(arguments));
    }

    /** What a child JVM does whose parent begins with a word. */
    private static Optional<ChildCommand> child(String name) {
        return switch (name) {
            case TpccChildCommand.NAME -> Optional.of(new TpccChildCommand());
            case SlicedChildCommand.NAME -> Optional.of(new SlicedChildCommand());
            case IndexFetchChildCommand.NAME -> Optional.of(new IndexFetchChildCommand());
            case DiskChildCommand.NAME -> Optional.of(new DiskChildCommand());
            case CodeMapChildCommand.NAME -> Optional.of(new CodeMapChildCommand());
            default -> Optional.empty();
        };
    }

    /** The command line with all its commands, ready to execute. */
    public static CommandLine commandLine() {
        return commandLine(Placement.ofMachine());
    }

    /** The same with child processes where the placement says. */
    static CommandLine commandLine(Placement placement) {
        return new CommandLine(new Main())
                .addSubcommand(new TpccCommand(Main.class.getName(), BuildVersion.version(), placement))
                .addSubcommand(new JmhCommand(placement))
                .addSubcommand(new SimulateCommand(
                        Main::commandLine, Main.class.getName(), BuildVersion.version(), new MissedCodeReader()))
                .addSubcommand(new ValidateCommand(Main::commandLine, BuildVersion.version()))
                .addSubcommand(ProveCommand.commandLine(System.err, Main.class.getName()))
                .addSubcommand(new RestartCommand())
                .addSubcommand(new DiskCommand(Main.class.getName()))
                .addSubcommand(new VerifyCommand())
                .addSubcommand(new InspectCommand())
                .addSubcommand(new RecoverCommand())
                .addSubcommand(new CountersCommand())
                .addSubcommand(new IndexFetchCommand(Main.class.getName(), placement))
                .addSubcommand(new StepsCommand(Main::quietCommands))
                .addSubcommand(AutoStepsCommand.commandLine(Main::quietSimulation))
                .addSubcommand(new CodeMapCommand(Main.class.getName()))
                .setExecutionStrategy(EmptyArguments::refuseOrRun)
                .setExecutionExceptionHandler(Main::failed)
                .setParameterExceptionHandler(Main::wrongCall);
    }

    /** A simulation of which only files are wanted, not what its command prints. */
    private static CommandLine quietSimulation() {
        return new CommandLine(new SimulateCommand(
                        placement -> commandLine(placement).setOut(new PrintWriter(Writer.nullWriter())),
                        Main.class.getName(),
                        BuildVersion.version(),
                        new MissedCodeReader()))
                .setParameterExceptionHandler(Main::wrongCall);
    }

    /** The commands whose results {@code steps} reads from files. */
    private static CommandLine quietCommands() {
        return new CommandLine(new Main())
                .addSubcommand(new TpccCommand(Main.class.getName(), BuildVersion.version(), Placement.ofMachine()))
                .addSubcommand(quietSimulation())
                .setParameterExceptionHandler(Main::wrongCall);
    }

    /** Says what is wrong and where help is, in two lines that a full help would push off the screen. */
    private static int wrongCall(ParameterException exception, String[] arguments) {
        CommandLine called = exception.getCommandLine();
        called.getErr().println("lockstep: " + exception.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(exception, called.getErr())) {
            called.getErr().println("See: " + called.getCommandSpec().qualifiedName() + " --help");
        }
        return CommandLine.ExitCode.USAGE;
    }

    /**
     * Says in one sentence which input or output failed, or what the engine refused; where that was is no help to a
     * user, unlike with all other exceptions, which are mistakes of this program.
     *
     * @throws Exception the one given, where it is another
     */
    static int failed(Exception exception, CommandLine called, ParseResult arguments) throws Exception {
        if (Ending.hasBegun()) {
            // Of files that go because the user wants an end.
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (exception instanceof LockstepException refusal && !isOurMistake(refusal)) {
            called.getErr().println("lockstep: " + refusal.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (!(exception instanceof IOException) && !(exception instanceof UncheckedIOException)) {
            throw exception;
        }
        String what = exception instanceof IOException ? exception.toString() : exception.getMessage();
        String cause = String.valueOf(exception.getCause());
        called.getErr()
                .println("lockstep: Input or output failed: command="
                        + called.getCommandName() + " cause="
                        + (exception.getCause() == null || what.contains(cause) ? what : what + ": " + cause)
                        + "; see that what is named is there and may be used, and that its disk has room.");
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Whether a program uses the engine as nobody may, whatever its user asks for. */
    private static boolean isOurMistake(LockstepException refusal) {
        return refusal instanceof WrongThreadException
                || refusal instanceof LeakedHandleException
                || refusal instanceof TransactionStateException;
    }

    /** Called when no command is named, which is a wrong call. */
    @Override
    public void run() {
        throw new ParameterException(command.commandLine(), "No command is named.");
    }
}
