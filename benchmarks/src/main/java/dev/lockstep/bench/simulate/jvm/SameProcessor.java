package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.bench.process.JvmtiAgents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The flags by which JVMs on the machine's processor and on the emulated one compile the same code: what a JVM chose
 * for the emulated one is forced on both, and that agents stay out of switches. Immutable.
 *
 * @param forced options of both JVMs, those that unlock flags first
 * @param chosen flags that differed without them, with both values
 * @param remaining flags that differ all the same
 */
public record SameProcessor(List<String> forced, List<Difference> chosen, List<Difference> remaining) {
    /** Drawn anew by each JVM, from so few values that two may draw the same. */
    private static final String DRAWN_ADDRESS = "SharedBaseAddress";

    /**
     * Flags that are forced decide about others: a collector about clocks, UseAVX about vectors. Two rounds are enough
     * for those that the JVM has; what goes on differing is told.
     */
    private static final int ROUNDS_MAX = 3;

    /** Takes own copies. */
    public SameProcessor {
        forced = List.copyOf(forced);
        chosen = List.copyOf(chosen);
        remaining = List.copyOf(remaining);
    }

    /**
     * One flag.
     *
     * @param flag its name
     * @param machine its value on the machine's processor
     * @param emulated its value on the emulated one
     */
    public record Difference(String flag, String machine, String emulated) {}

    /**
     * Compares. Starts some JVMs: two on the machine, since some flags, such as addresses, differ from run to run; one
     * emulated; and on the machine one with the flags forced, and once more with those that only differ then.
     *
     * @param pinned the words before a command that run it where the control runs, since a JVM's flags go by the number
     *     of processors too; none if that is anywhere on the machine
     * @param emulator the words before a command that run it on the emulated processor
     * @param options that both have beside
     * @throws IOException if a JVM does not start
     */
    public static SameProcessor find(List<String> pinned, List<String> emulator, List<String> options)
            throws IOException, InterruptedException {
        // Also where one of them has no agent.
        List<String> both = new ArrayList<>(options);
        both.addAll(JvmtiAgents.OUT_OF_SWITCHES);
        VmFlags machine = VmFlags.read(pinned, both);
        Set<String> unstable = unstable(machine, VmFlags.read(pinned, both));
        VmFlags emulated = VmFlags.read(emulator, both);
        List<String> forced = new ArrayList<>(JvmtiAgents.OUT_OF_SWITCHES);
        forced.addAll(VmFlags.UNLOCKED);
        List<Difference> chosen = new ArrayList<>();
        List<Difference> remaining = differences(machine, emulated, unstable);
        VmFlags now = machine;
        for (int round = 0; round < ROUNDS_MAX && !remaining.isEmpty(); round++) {
            forced.addAll(forced(now, emulated, unstable));
            for (Difference each : remaining) {
                if (chosen.stream().noneMatch(known -> known.flag().equals(each.flag()))) {
                    chosen.add(each);
                }
            }
            List<String> all = new ArrayList<>(options);
            all.addAll(forced);
            now = VmFlags.read(pinned, all);
            remaining = differences(now, emulated, unstable);
        }
        return new SameProcessor(forced, chosen, remaining);
    }

    /** What to say of it. */
    public String sentence() {
        return remaining.isEmpty()
                ? "No flag of the JVM differs from the control but those of its profiler, "
                        + String.join(" ", GuestOptions.sampled()) + "; forced on both sides: " + text(chosen) + "."
                : sentence(remaining);
    }

    /** What to say of the flags that {@linkplain #remaining remained}. */
    public static String sentence(List<Difference> remaining) {
        return remaining.isEmpty()
                ? "No flag of the JVM differs from the control but those of its profiler, "
                        + String.join(" ", GuestOptions.sampled()) + "."
                : "MARKED: flags of the JVM that differ from the control: " + text(remaining) + ".";
    }

    private static String text(List<Difference> differences) {
        return differences.isEmpty()
                ? "none"
                : differences.stream()
                        .map(each -> each.flag() + "=" + each.emulated() + " (by itself " + each.machine() + ")")
                        .collect(Collectors.joining(", "));
    }

    /** Flags that differ from run to run on one processor, those included that did not in these two runs. */
    static Set<String> unstable(VmFlags machine, VmFlags again) {
        Set<String> unstable = machine.differing(again);
        unstable.add(DRAWN_ADDRESS);
        return unstable;
    }

    static List<String> forced(VmFlags machine, VmFlags emulated, Set<String> unstable) {
        List<String> forced = new ArrayList<>();
        for (String name : machine.differing(emulated)) {
            if (!unstable.contains(name) && emulated.values().containsKey(name)) {
                forced.add(emulated.option(name));
            }
        }
        return forced;
    }

    static List<Difference> differences(VmFlags machine, VmFlags emulated, Set<String> unstable) {
        return machine.differing(emulated).stream()
                .filter(name -> !unstable.contains(name))
                .map(name -> new Difference(name, machine.value(name), emulated.value(name)))
                .toList();
    }
}
