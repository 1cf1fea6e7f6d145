package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Main;
import dev.lockstep.bench.process.ChildJvm;
import dev.lockstep.bench.simulate.jvm.GuestOptions;
import dev.lockstep.bench.simulate.jvm.NativeProfile;
import dev.lockstep.bench.simulate.jvm.SameProcessor;
import dev.lockstep.engine.Database;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The control of a code map, whose emulated processor is here the machine's own. */
@Execution(ExecutionMode.CONCURRENT)
class CodeMapControlTest {
    @TempDir
    Path directory;

    @Test
    void samplesTheWorkloadWithTheFlagsOfTheOtherSide() throws Exception {
        CodeMapSpec spec = new CodeMapSpec(CodeMapSpec.Workload.OPERATIONS, true, 1_000, 100, 5_000, 10, 1, true, null);
        List<String> options = List.of("-XX:+UseSerialGC", "-Xmx256m");
        SameProcessor same = SameProcessor.find(List.of(), List.of(), options);
        List<String> common = new ArrayList<>(options);
        common.addAll(GuestOptions.compiling());
        CodeMapControl control = CodeMapControl.run(
                spec,
                same,
                common,
                directory,
                (processors, child, flags, arguments, printed) -> ChildJvm.run(
                        processors, child, Map.of(), flags, Main.class.getName(), arguments, printed::add));
        assertEquals(List.of(), control.flags().remaining());
        NativeProfile profile;
        try (Stream<String> stacks = Files.lines(control.left().samples())) {
            profile = NativeProfile.parse(stacks);
        }
        assertTrue(profile.samples() > 0);
        assertTrue(profile.c2Share() > 0 && profile.c2Share() <= 1, () -> "c2Share=" + profile.c2Share());
        String engine = Database.class.getPackageName();
        assertTrue(
                control.left().compiled().stream()
                        .anyMatch(each -> each.method().startsWith(engine)),
                () -> control.left().compiled().toString());
    }
}
