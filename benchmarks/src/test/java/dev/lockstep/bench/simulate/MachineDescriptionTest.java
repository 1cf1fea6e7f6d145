package dev.lockstep.bench.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.scheduler.NodeLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class MachineDescriptionTest {
    /** The options alone. */
    @Command
    private static final class Options {
        @Mixin
        private SimulateOptions options;
    }

    private static SimulateOptions options(String... arguments) {
        Options command = new Options();
        new CommandLine(command).parseArgs(arguments);
        return command.options;
    }

    @Test
    void theSeedPlacesThePages() {
        List<String> lines = options("--l1i=32K,8,64", "--seed=5").machineLines();
        assertTrue(lines.contains("page.seed=5"), lines::toString);
        assertEquals(5, SimulationPage.seed(lines));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "32K,8,64|32K,8,64",
                "32768,8,64|32K,8,64",
                "1m,direct,32|1M,1,32",
                "4k,FULL,256|4K,16,256",
                "33K,8,64|33K,8,64",
                "2G,16,64|2G,16,64"
            })
    void geometriesAreReadAsTheyAreWritten(String text, String written) {
        assertEquals(written, CacheShape.parse(text).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "32K",
                "32K,8",
                "32K,8,64,1",
                "32K,x,64",
                "32K,0,64",
                "32K,7,64",
                "0,1,64",
                "32K,8,63",
                "32K,8,8",
                "32K,8,512",
                "64,2,64",
                "32Q,8,64"
            })
    void wrongGeometriesAreNamed(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> CacheShape.parse(text));
        assertTrue(e.getMessage().startsWith("'" + text + "'"), e::getMessage);
    }

    @Test
    void anotherDescriptionOverridesAndObserversAddUp() {
        MachineDescription machine = MachineDescription.parse(
                List.of("# a machine", "", "cores = 4", "l1i=64K,8,64", "observe=l1i:16K,4,64", "observe=l1d:8K,1,32"));
        assertEquals(
                List.of("cores=4", "l1i=64K,8,64", "observe=l1i:16K,4,64", "observe=l1d:8K,1,32"), machine.lines());
        assertTrue(machine.has(MachineDescription.L1I));
        assertFalse(machine.has(MachineDescription.L2));
        assertEquals(4, machine.number(MachineDescription.CORES, 1));
        MachineDescription other = machine.with(MachineDescription.parse(List.of("cores=2", "l1i=none")));
        assertFalse(other.has(MachineDescription.L1I));
        assertEquals(2, other.number(MachineDescription.CORES, 1));
    }

    @Test
    void aKeyGivenTwiceIsRefusedAsTheSimulatorDoes() {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> MachineDescription.parse(List.of("l1i=32K,8,64", "cores=2", "l1i = 64K,8,64")));
        assertEquals("line 3: l1i is given twice; keep one", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cores", "=4", "l1d=32K", "observe=16K,4,64", "observe=l1i:16K"})
    void wrongLinesAreNumbered(String line) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> MachineDescription.parse(List.of("cores=1", line)));
        assertTrue(e.getMessage().startsWith("line 2"), e::getMessage);
    }

    @ParameterizedTest
    @EnumSource(value = MachinePreset.class, mode = Mode.EXCLUDE, names = "THIS")
    void presetsAreMachines(MachinePreset preset) {
        MachineDescription machine = preset.description();
        assertTrue(machine.has(MachineDescription.L1I));
        assertTrue(machine.has(MachineDescription.L1D));
        assertTrue(machine.has(MachineDescription.L2));
        assertFalse(preset.source().isEmpty());
        assertFalse(preset.summary().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(value = MachinePreset.class, mode = Mode.EXCLUDE, names = "THIS")
    void presetsHaveTheFiguresOfTheirSources(MachinePreset preset) {
        assertEquals(figures(preset), String.join(" ", preset.description().lines()));
    }

    /**
     * What the tables and sections say that the sources name, and for what those leave out, the sources themselves. An
     * L2 without {@code l2.cores} is private, a last level without {@code llc.cores} one of all cores.
     */
    private static String figures(MachinePreset preset) {
        return switch (preset) {
            case THIS -> throw new IllegalArgumentException("read from the system: preset=" + preset);
            case ALPHA ->
                "cores=4 l1i=32K,2,64 l1d=32K,2,64 l2=2M,direct,64 coherence=mesi classes=split latency.l2=21"
                        + " latency.memory=80 latency.transfer=125";
            case ALPHASERVER_4100 ->
                "cores=4 l1i=8K,direct,32 l1d=8K,direct,32 l1d.write=through l2=96K,3,64 llc=2M,direct,64 llc.cores=1"
                        + " coherence=mesi classes=split latency.l2=7 latency.llc=21 latency.memory=80"
                        + " latency.transfer=125";
            case PENTIUM_4 -> "l1i=16K,8,64 l1d=16K,8,64 l2=1M,8,128 itlb=128,128 latency.l2=18 latency.memory=276";
            case ATHLON_XP -> "l1i=64K,2,64 l1d=64K,2,64 l2=256K,16,64";
            case PENTIUM_III -> "l1i=16K,4,32 l1d=16K,4,32 l2=256K,8,32";
            case ITANIUM_2 ->
                "cores=32 nodes=8 l1i=16K,4,64 l1d=16K,4,64 l2=256K,8,128 llc=6M,24,128 llc.cores=1 coherence=mesi"
                        + " classes=split itlb=32,32 dtlb=32,32 stlb=128,128";
        };
    }

    @Test
    void optionsChangeWhatAPresetSays() {
        List<String> lines = options("--machine", "Itanium-2", "--cores", "4", "--l2", "512K,8,128")
                .machineLines();
        assertTrue(lines.containsAll(List.of("cores=4", "nodes=1", "l2=512K,8,128", "l1i=16K,4,64")), lines::toString);
        assertTrue(options("--machine", "itanium-2", "--cores", "4", "--nodes", "2")
                .machineLines()
                .contains("nodes=2"));
    }

    @Test
    void furtherGeometriesWatch() {
        assertEquals(
                List.of("l1i=32K,8,64", "observe=l1i:16K,1,64", "observe=l1i:64K,1024,64"),
                options("--l1i", "32K,8,64", "--l1i", "16K,direct,64", "--l1i", "64K,full,64")
                        .machineLines());
    }

    @Test
    void furtherLastLevelsWatch() {
        assertEquals(
                List.of("llc=1M,16,64", "observe=llc:2M,16,64"),
                options("--llc", "1M,16,64", "--llc", "2M,16,64").machineLines());
    }

    @Test
    void coresThatShareAreCoherentUnlessTheMachineSaysOtherwise() {
        String[] shared = {"--cores", "2", "--l1i", "32K,8,64", "--l1d", "32K,8,64", "--l2", "1M,16,64"};
        assertTrue(options(shared).machineLines().containsAll(List.of("coherence=mesi", "classes=merged")));
        String[] privateOnly = {"--cores", "8", "--l1i", "32K,8,64", "--l1d", "32K,8,64"};
        assertTrue(options(privateOnly).machineLines().containsAll(List.of("coherence=mesi", "classes=merged")));
        String[] apart = {"--cores", "8", "--l1i", "32K,8,64", "--l1d", "32K,8,64", "--set", "coherence=none"};
        assertEquals(
                List.of("cores=8", "l1i=32K,8,64", "l1d=32K,8,64", "coherence=none"),
                options(apart).machineLines());
        assertEquals(
                List.of("cores=8", "l1i=32K,8,64"),
                options("--cores", "8", "--l1i", "32K,8,64").machineLines());
        String[] alone = {"--l1i", "32K,8,64", "--l1d", "32K,8,64", "--l2", "1M,16,64", "--set", "page.map=random"};
        List<String> lines = options(alone).machineLines();
        assertFalse(lines.contains("coherence=mesi"), lines::toString);
        assertTrue(lines.contains("page.map=random"), lines::toString);
    }

    @Test
    void unknownMachineIsNamedWithThoseThereAre() {
        SimulateOptions options = options("--machine", "vax");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, options::machineLines);
        assertTrue(e.getMessage().contains("vax") && e.getMessage().contains("alpha"), e::getMessage);
    }

    @Test
    void wrongGeometryNamesItsOption() {
        SimulateOptions options = options("--l1d", "32K,7,64");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, options::machineLines);
        assertTrue(e.getMessage().startsWith("--l1d '32K,7,64'"), e::getMessage);
    }

    @Test
    void coresAreDealtToNodesInEqualRuns() {
        assertEquals(
                List.of("lockstep-nodes 1", "node 0: 0,1", "node 1: 2,3"),
                Simulator.nodes(MachineDescription.parse(List.of("cores=4", "nodes=2")))
                        .lines());
        assertEquals(NodeLayout.NONE, Simulator.nodes(MachineDescription.parse(List.of("cores=4"))));
        // The simulator refuses it by itself.
        assertEquals(NodeLayout.NONE, Simulator.nodes(MachineDescription.parse(List.of("cores=4", "nodes=3"))));
    }
}
