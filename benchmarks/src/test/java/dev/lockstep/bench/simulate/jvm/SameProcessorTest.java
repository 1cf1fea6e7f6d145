package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import dev.lockstep.bench.process.JvmtiAgents;
import dev.lockstep.bench.process.Processors;
import dev.lockstep.bench.simulate.Simulator;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SameProcessorTest {
    private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC");

    private static VmFlags flags(String... lines) {
        return VmFlags.parse(List.of(lines));
    }

    @Test
    void flagsAreReadAsTheJvmPrintsThem() {
        VmFlags flags = flags(
                "[Global flags]",
                "      int UseAVX                    = 3                {ARCH product} {default}",
                "     bool UseXmmI2D                 = true             {ARCH product} {default}",
                "    ccstr AOTCache                  =                         {product} {default}",
                "openjdk version \"25\"");
        assertEquals(Set.of("UseAVX", "UseXmmI2D", "AOTCache"), flags.values().keySet());
        assertEquals("3", flags.value("UseAVX"));
        assertEquals("", flags.value("AOTCache"));
        assertEquals("none", flags.value("NoSuchFlag"));
        assertEquals("-XX:UseAVX=3", flags.option("UseAVX"));
        assertEquals("-XX:+UseXmmI2D", flags.option("UseXmmI2D"));
    }

    @Test
    void whatTheEmulatedProcessorChoseIsForced() {
        VmFlags machine =
                flags("int UseAVX = 3 {p} {d}", "bool A = true {p} {d}", "bool B = true {p} {d}", "uint X = 7 {p} {d}");
        VmFlags emulated = flags("int UseAVX = 2 {p} {d}", "bool A = false {p} {d}", "bool B = true {p} {d}");
        assertEquals(List.of("-XX:-A", "-XX:UseAVX=2"), SameProcessor.forced(machine, emulated, Set.of()));
        assertEquals(
                List.of(
                        new SameProcessor.Difference("UseAVX", "3", "2"),
                        new SameProcessor.Difference("X", "7", "none")),
                SameProcessor.differences(machine, emulated, Set.of("A")));
    }

    /** Two runs on the machine had drawn the same address, and a third another one. */
    @Test
    void anAddressThatTwoRunsHaveDrawnIsNotForced() {
        VmFlags machine = flags("uintx SharedBaseAddress = 7 {p} {d}", "uintx Y = 1 {p} {d}");
        Set<String> unstable =
                SameProcessor.unstable(machine, flags("uintx SharedBaseAddress = 7 {p} {d}", "uintx Y = 2 {p} {d}"));
        assertEquals(Set.of("SharedBaseAddress", "Y"), unstable);
        VmFlags third = flags("uintx SharedBaseAddress = 9 {p} {d}", "uintx Y = 1 {p} {d}");
        assertEquals(List.of(), SameProcessor.forced(machine, third, unstable));
    }

    /** On the same processor nothing differs, though addresses do from run to run. */
    @Test
    void nothingIsForcedWhereNothingDiffers() throws Exception {
        SameProcessor same = SameProcessor.find(List.of(), List.of(), SMALL);
        List<String> forced = new ArrayList<>(JvmtiAgents.OUT_OF_SWITCHES);
        forced.addAll(VmFlags.UNLOCKED);
        assertEquals(forced, same.forced());
        assertEquals(List.of(), same.chosen());
        assertEquals(List.of(), same.remaining());
    }

    @Test
    void noFlagDiffersFromTheEmulatedProcessorAnyMore() throws Exception {
        Needed.requireEmulator();
        SameProcessor same = SameProcessor.find(
                Processors.choose(1).prefix(),
                List.of(Simulator.qemu().get().toString(), "-cpu", "max,vendor=GenuineIntel"),
                SMALL);
        assertEquals(List.of(), same.remaining());
        assertTrue(same.forced().size() >= same.chosen().size(), same::toString);
    }
}
