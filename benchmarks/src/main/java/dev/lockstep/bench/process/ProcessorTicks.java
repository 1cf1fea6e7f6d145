package dev.lockstep.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the processors that this process may use did since the system started, for all programs, in ticks of the
 * system's clock (proc_stat(5)). What a hypervisor had given to others while there was work to do (<i>steal</i>) counts
 * in no thread's processor time where the kernel is told of it, but in every clock.
 *
 * @param user programs, those of lower priority included
 * @param kernel the kernel, for programs and for interrupts
 * @param idle nothing, or nothing but waiting for a disk
 * @param stolen time that others had
 */
public record ProcessorTicks(long user, long kernel, long idle, long stolen) {
    private static final Path SYSTEM = Path.of("/proc/stat");
    private static final String PROCESSOR = "cpu";

    /** Fields of a processor's line, behind its name. */
    private static final int USER_FIELD = 1;

    private static final int NICE_FIELD = 2;
    private static final int SYSTEM_FIELD = 3;
    private static final int IDLE_FIELD = 4;
    private static final int DISK_WAIT_FIELD = 5;
    private static final int INTERRUPT_FIELD = 6;
    private static final int SOFT_INTERRUPT_FIELD = 7;
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
        return lines.stream()
                .map(line -> line.split(" +", -1))
                .filter(fields -> fields.length >= FIELDS && names.contains(fields[0]))
                .map(ProcessorTicks::of)
                .reduce(ProcessorTicks::plus)
                .orElse(null);
    }

    private static ProcessorTicks of(String[] fields) {
        return new ProcessorTicks(
                sum(fields, USER_FIELD, NICE_FIELD),
                sum(fields, SYSTEM_FIELD, INTERRUPT_FIELD, SOFT_INTERRUPT_FIELD),
                sum(fields, IDLE_FIELD, DISK_WAIT_FIELD),
                sum(fields, STOLEN_FIELD));
    }

    private static long sum(String[] fields, int... numbers) {
        return Arrays.stream(numbers)
                .mapToLong(number -> Long.parseLong(fields[number]))
                .sum();
    }

    private ProcessorTicks plus(ProcessorTicks other) {
        return new ProcessorTicks(user + other.user, kernel + other.kernel, idle + other.idle, stolen + other.stolen);
    }

    private ProcessorTicks minus(ProcessorTicks other) {
        return new ProcessorTicks(user - other.user, kernel - other.kernel, idle - other.idle, stolen - other.stolen);
    }

    /** Time of every kind. */
    private long all() {
        return user + kernel + idle + stolen;
    }

    /**
     * What the processors did from one moment to another.
     *
     * @return {@code null} where one of the moments is, or where no tick lies between them
     */
    public static ProcessorShares shares(ProcessorTicks before, ProcessorTicks after) {
        ProcessorTicks between = between(before, after);
        if (between == null) {
            return null;
        }
        double all = between.all();
        return new ProcessorShares(between.user / all, between.kernel / all, between.idle / all);
    }

    /**
     * What part of the time from one moment to another was stolen, 0 to 1.
     *
     * @return {@code null} where one of the moments is, or where no tick lies between them
     */
    public static Double stolenPart(ProcessorTicks before, ProcessorTicks after) {
        ProcessorTicks between = between(before, after);
        return between == null ? null : (double) between.stolen / between.all();
    }

    private static ProcessorTicks between(ProcessorTicks before, ProcessorTicks after) {
        return before == null || after == null || after.all() <= before.all() ? null : after.minus(before);
    }
}
