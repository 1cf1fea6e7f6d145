package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.StraightCode;
import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Makes the code of a switch larger: whenever an S-thread goes on after a switch, it first executes so many bytes of
 * straight code. Figure 8 of the STEPS paper pads with {@code nop}s, which no compiler of Java emits.
 */
public final class SwitchPadding implements OperationProbe {
    private static final String PROPERTY = "dev.lockstep.bench.indexfetch.switchPadding";

    private final IntUnaryOperator code;

    /** Written so that no compiler leaves the code out; by whom does not matter. */
    private int last;

    /** For the service loader. */
    public SwitchPadding() {
        this(Integer.getInteger(PROPERTY));
    }

    SwitchPadding(int bytes) {
        code = StraightCode.ofBytes(bytes);
    }

    int last() {
        return last;
    }

    /** By which a JVM has so many bytes in each switch. */
    static List<String> options(int bytes) {
        return List.of(
                "-D" + InstalledProbe.PROPERTY + "=" + SwitchPadding.class.getName(), "-D" + PROPERTY + "=" + bytes);
    }

    /** Whether a method is one of the padding. */
    static boolean isOf(String method) {
        return method.contains(StraightCode.NAME);
    }

    @Override
    public int number(String name) {
        return 1;
    }

    @Override
    public void begin(SThread sThread, int number) {
        // Not a switch.
    }

    @Override
    public void end(SThread sThread) {
        // Not a switch.
    }

    @Override
    public void left(SThread sThread) {
        // Comes twice in a switch.
    }

    @Override
    public void resumed(SThread sThread) {
        if (sThread != null) {
            last = code.applyAsInt(last);
        }
    }
}
