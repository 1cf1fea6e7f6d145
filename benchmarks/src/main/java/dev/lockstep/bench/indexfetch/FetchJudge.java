package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.codemap.CodeEvents;
import dev.lockstep.bench.codemap.CodeLines;
import dev.lockstep.bench.codemap.SteadyStateReader;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.process.Verdict;
import dev.lockstep.bench.report.Json;
import dev.lockstep.bench.report.Spelling;
import dev.lockstep.bench.simulate.WorkloadThreads;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.bench.simulate.jvm.SimulatedTime;
import dev.lockstep.bench.simulate.jvm.SteadyState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Says whether a JVM that executed rounds under the simulator was in its steady state, by a control: the same rounds on
 * the machine's processor, sampled, with the same flags.
 */
final class FetchJudge {
    private final SameProcessor same;
    private final Path scratch;
    private final String mainClass;

    private FetchJudge(SameProcessor same, Path scratch, String mainClass) {
        this.same = same;
        this.scratch = scratch;
        this.mainClass = mainClass;
    }

    /**
     * Finds the flags that differ on the emulated processor.
     *
     * @param emulator the words before a command that run it there
     * @param scratch directory of the controls' files
     * @param mainClass of child JVMs, which knows {@link IndexFetchChildCommand}
     */
    static FetchJudge open(List<String> emulator, Path scratch, String mainClass)
            throws IOException, InterruptedException {
        SameProcessor same = SameProcessor.find(Processors.choose(1).prefix(), emulator, FetchSimulator.basicOptions());
        return new FetchJudge(same, scratch, mainClass);
    }

    /** Options of both JVMs. */
    List<String> bothOptions() {
        List<String> options = new ArrayList<>(same.forced());
        options.addAll(FetchSimulator.basicOptions());
        options.addAll(FetchSimulator.compilingOptions());
        return options;
    }

    /**
     * Runs the control and compares.
     *
     * @param spec of the simulated JVM
     * @param options of both JVMs beside {@link #bothOptions}
     * @param lines what the simulated JVM executed
     * @param events what its agent logged
     * @param simulated what it told
     */
    Verdict judge(FetchSpec spec, List<String> options, CodeLines lines, CodeEvents events, RoundsState simulated)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(scratch, "control");
        Path samples = directory.resolve("samples.txt");
        List<String> all = bothOptions();
        all.addAll(options);
        all.addAll(GuestOptions.sampled());
        Processors machine = Processors.choose(spec.kind().carriers());
        FetchJvm.run(spec.sampled(samples.toString()), machine, directory, Map.of(), all, mainClass)
                .times("a control of kind=" + spec.kind());
        RoundsState control = Json.read(directory.resolve(RoundsState.FILE), RoundsState.class);
        SteadyState steady = SteadyStateReader.read(
                lines,
                events,
                FetchPhases::isWarm,
                WorkloadThreads.KINDS,
                simulated.compiled(),
                new SteadyStateReader.Control(samples, control.compiled()));
        List<String> sentences = new ArrayList<>(steady.sentences());
        sentences.add(SimulatedTime.sentence(simulated.time()));
        sentences.add(same.sentence());
        return new Verdict("indexfetch " + Spelling.of(spec.kind()), steady.counts(), sentences);
    }
}
