package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.process.AgentJar;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The options by which a JVM of this class path has switch points, or checks of them, in its bytecode. Immutable.
 *
 * @param points file of {@link SwitchPoints}, or null for none
 * @param check file that takes the {@link CheckReport} of the checking mode, or null to insert switches
 */
public record AgentOptions(Path points, Path check) {
    /** Nothing is inserted. */
    public static final AgentOptions NONE = new AgentOptions(null, null);

    private static final String JAR = "switch-points.jar";

    /**
     * Makes the agent and returns the options.
     *
     * @param directory takes the agent, and stays as long as the JVM runs
     * @throws IOException if the agent cannot be written
     */
    public List<String> write(Path directory) throws IOException {
        if (points == null) {
            return List.of();
        }
        Path jar = directory.resolve(JAR).toAbsolutePath();
        AgentJar.write(jar, SwitchPointAgent.class);
        String mode = check == null ? "" : SwitchPointAgent.CHECK + check.toAbsolutePath() + ",";
        return List.of("-javaagent:" + jar + "=" + mode + points.toAbsolutePath());
    }
}
