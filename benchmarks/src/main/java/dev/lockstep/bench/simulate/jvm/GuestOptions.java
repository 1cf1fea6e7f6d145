package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.scheduler.InstalledTime;
import java.util.ArrayList;
import java.util.List;

/** The options of a JVM that is simulated, and of the one on the machine's processor that it is compared with. */
public final class GuestOptions {
    /**
     * A thread that makes a method hot waits until it is compiled. Emulated, C2 is some fifty times slower than
     * natively and the program hardly slower than the interpreter: without waiting it runs for minutes in code that is
     * not the one to be measured, and methods are compiled in another order than natively, with other profiles.
     */
    public static final String COMPILE_AT_ONCE = "-XX:-BackgroundCompilation";

    private GuestOptions() {}

    /**
     * What both sides have.
     *
     * @param same the flags forced on both
     */
    public static List<String> both(SameProcessor same) {
        List<String> options = new ArrayList<>(same.forced());
        options.add(COMPILE_AT_ONCE);
        return options;
    }

    /** What the simulated side has beside: the simulated time. */
    public static List<String> simulated() {
        return List.of("-D" + InstalledTime.PROPERTY + "=" + SimulatedTime.class.getName());
    }
}
