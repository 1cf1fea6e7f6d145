package dev.lockstep.bench.process;

import java.nio.file.Path;
import java.util.List;

/** What a JVM is started with that has a JVMTI agent: ours that tells of compiled code, or a profiler. */
public final class JvmtiAgents {
    /**
     * Keeps an agent out of the switches of virtual threads. As soon as a JVMTI agent is loaded, whichever it is,
     * HotSpot tells JVMTI of each mount and unmount, by two calls each into the JVM, in case the agent wants to hear of
     * them. Ours and the profiler do not: what is measured would be the instrument (ARCHITECTURE.md). Both sides of a
     * comparison have it, also where one has no agent, since the compiled code is another one without those calls.
     */
    public static final List<String> OUT_OF_SWITCHES =
            List.of("-XX:+UnlockExperimentalVMOptions", "-XX:-DoJVMTIVirtualThreadTransitions");

    private JvmtiAgents() {}

    /**
     * The options that load our agent.
     *
     * @param agent its library
     * @param events the file that it writes
     */
    public static List<String> options(Path agent, Path events) {
        return List.of(OUT_OF_SWITCHES.getFirst(), OUT_OF_SWITCHES.getLast(), "-agentpath:" + agent + "=" + events);
    }
}
