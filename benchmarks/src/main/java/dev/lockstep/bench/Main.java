package dev.lockstep.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line. Exit codes: 0 when all is well, 1 when a check failed or a command ended in an exception, 2 when it
 * was called wrongly.
 */
@Command(
        name = "lockstep",
        description = "Runs Lockstep's experiments. Every figure of RESULTS.md comes from one of these commands.",
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
        System.exit(commandLine().execute(arguments));
    }

    /** The command line with all its commands, ready to execute. */
    static CommandLine commandLine() {
        return new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** Called when no command is named, which is a wrong call. */
    @Override
    public void run() {
        throw new ParameterException(command.commandLine(), "No command is named.");
    }
}
