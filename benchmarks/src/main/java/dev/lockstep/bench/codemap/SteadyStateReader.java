package dev.lockstep.bench.codemap;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.bench.simulate.jvm.CompiledSize;
import dev.lockstep.bench.simulate.jvm.NativeProfile;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import dev.lockstep.counters.Markers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Tells the {@link SteadyState} of a simulated JVM from what it, its agent and its control have left. The control is
 * the same run on the machine's processor, with the same flags of the JVM and a profiler that samples.
 */
public final class SteadyStateReader {
    /**
     * Threads of the JVM that a measured phase should not have, as the plugin calls their class. Collectors are the VM
     * Thread too, which collects where the collector is the serial one.
     */
    private static final Set<String> JVM_AT_WORK = Set.of("collector", "compiler");

    private SteadyStateReader() {}

    /**
     * What the control left.
     *
     * @param samples file of the stacks of its measured phase
     * @param compiled what it had compiled when that began
     */
    public record Control(Path samples, List<CompiledMethod> compiled) {
        /** Takes an own copy. */
        public Control {
            compiled = List.copyOf(compiled);
        }
    }

    /**
     * Tells it of {@link Markers#PHASE_MEASURED}.
     *
     * @param lines what the simulated JVM executed
     * @param events what its agent logged
     * @param workload the classes of threads that run the workload, as the plugin calls them
     * @param compiled what the simulated JVM had compiled when its measured phase began
     * @throws IOException if the control's samples cannot be read
     */
    public static SteadyState read(
            CodeLines lines, CodeEvents events, Set<String> workload, List<CompiledMethod> compiled, Control control)
            throws IOException {
        return read(lines, events, phase -> phase == Markers.PHASE_MEASURED, workload, compiled, control);
    }

    /**
     * Tells it of several phases together.
     *
     * @param measured of the number of a phase, whether it is measured; for the others see above
     * @throws IOException if the control's samples cannot be read
     */
    public static SteadyState read(
            CodeLines lines,
            CodeEvents events,
            IntPredicate measured,
            Set<String> workload,
            List<CompiledMethod> compiled,
            Control control)
            throws IOException {
        InstructionShares shares = measured(lines, events, measured, workload);
        long jvmInstructions = measured(lines, events, measured, JVM_AT_WORK).total();
        NativeProfile profile;
        try (Stream<String> stacks = Files.lines(control.samples())) {
            profile = NativeProfile.parse(stacks);
        }
        return new SteadyState(
                shares.c2OfJava(),
                profile.c2Share(),
                profile.samples(),
                (double) jvmInstructions / Math.max(1, shares.total()),
                CompiledSize.of(
                        // Some have no code of their own when the measured phase begins.
                        profile.hottest(2 * SteadyState.HOTTEST_METHODS),
                        SteadyState.HOTTEST_METHODS,
                        control.compiled(),
                        compiled));
    }

    private static InstructionShares measured(
            CodeLines lines, CodeEvents events, IntPredicate measured, Set<String> threadKinds) {
        return InstructionShares.of(
                lines, events, context -> measured.test(context.phase()) && threadKinds.contains(context.threadKind()));
    }
}
