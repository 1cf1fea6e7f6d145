package dev.lockstep.bench.process;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** The diagnostic commands of this JVM, those of {@code jcmd}, called from within. Thread-safe. */
public final class DiagnosticCommand {
    /** Where com.sun.management.DiagnosticCommandMBean is registered. */
    private static final String NAME = "com.sun.management:type=DiagnosticCommand";

    private DiagnosticCommand() {}

    /**
     * Runs a command.
     *
     * @param command as the bean calls it: {@code gcHeapInfo} for {@code GC.heap_info}
     * @param arguments none for a command that has no options
     * @return what it prints
     * @throws JMException if this JVM has no such command, or no module jdk.management
     */
    public static String run(String command, String... arguments) throws JMException {
        boolean hasArguments = arguments.length > 0;
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName(NAME),
                        command,
                        hasArguments ? new Object[] {arguments} : new Object[0],
                        hasArguments ? new String[] {String[].class.getName()} : new String[0]);
    }
}
