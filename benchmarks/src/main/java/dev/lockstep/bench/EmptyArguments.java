package dev.lockstep.bench;

import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Values that say nothing where a command wants something: picocli makes an empty list of a comma, and of an empty text
 * the path of the current directory.
 */
final class EmptyArguments {
    private EmptyArguments() {}

    /**
     * Runs a command, unless one of its arguments is empty.
     *
     * @return its exit code
     * @throws ParameterException if one is
     */
    static int refuseOrRun(ParseResult parsed) {
        for (CommandLine line : parsed.asCommandLineList()) {
            for (ArgSpec argument : line.getCommandSpec().args()) {
                require(line, argument);
            }
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static void require(CommandLine line, ArgSpec argument) {
        boolean isPath = Stream.concat(Stream.of(argument.type()), Stream.of(argument.auxiliaryTypes()))
                .anyMatch(Path.class::equals);
        String separator = argument.splitRegex();
        for (String value : argument.originalStringValues()) {
            if (isPath && value.isBlank()) {
                throw new ParameterException(
                        line, name(argument) + " is empty: name a file or directory, or leave it out");
            }
            if (!separator.isEmpty() && Stream.of(value.split(separator, -1)).anyMatch(String::isBlank)) {
                throw new ParameterException(
                        line, name(argument) + " " + value + " lacks a value in front of a comma or behind one");
            }
        }
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
