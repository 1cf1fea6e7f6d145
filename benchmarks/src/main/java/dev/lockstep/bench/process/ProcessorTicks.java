package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How long the processors that this process may use were there since the system started, and how long of that a
 * hypervisor had given them to others while they had work to do (<i>steal</i> in proc_stat(5)), in ticks of the
 * system's clock. What is stolen counts in no thread's processor time where the kernel is told of it, but in every
 * clock.
 *
 * @param all time of every kind
 * @param stolen of it, time that others had
 */
public record ProcessorTicks(long all, long stolen) {
    private static final Path SYSTEM = Path.of("/proc/stat");
    private static final String PROCESSOR = "cpu";

    /** In a processor's line, behind its name: user, nice, system, idle, iowait, irq, softirq. */
    private static final int STOLEN_FIELD = 8;

    /** Fields behind it repeat what is in user and nice already. */
    private static final int FIELDS = STOLEN_FIELD + 1;

    /** Returns what the system tells now, or {@code null} where it tells nothing. */
    public static ProcessorTicks now() {
        if (!Files.isReadable(SYSTEM)) {
            return null;
        }
        try {
            return of(Files.readAllLines(SYSTEM), Processors.allowed());
        } catch (IOException e) {
            return null; // As where there is no such file: the figure is absent.
        }
    }

    /** Sums up the lines of some processors; {@code null} if none of them is there. */
    static ProcessorTicks of(List<String> lines, List<Integer> processors) {
        Set<String> names =
                processors.stream().map(number -> PROCESSOR + number).collect(Collectors.toSet());
        long all = 0;
        long stolen = 0;
        boolean found = false;
        for (String line : lines) {
            String[] fields = line.split(" +", -1);
            if (fields.length >= FIELDS && names.contains(fields[0])) {
                found = true;
                for (int i = 1; i < FIELDS; i++) {
                    all += Long.parseLong(fields[i]);
                }
                stolen += Long.parseLong(fields[STOLEN_FIELD]);
            }
        }
        return found ? new ProcessorTicks(all, stolen) : null;
    }

    /**
     * What part of the time from one moment to another was stolen, 0 to 1.
     *
     * @return {@code null} where one of the moments is, or where no tick lies between them
     */
    public static Double stolenPart(ProcessorTicks before, ProcessorTicks after) {
        return before == null || after == null || after.all <= before.all
                ? null
                : (double) (after.stolen - before.stolen) / (after.all - before.all);
    }
}
