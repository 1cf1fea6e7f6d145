package dev.lockstep.bench.simulate.jvm;

import dev.lockstep.scheduler.InstalledBinding;
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

    /**
     * Interpreter and C2, no C1, for engines behind JDBC. With C1, HotSpot leaves methods that only get a field or a
     * constant to it for good; H2 calls some of them through interfaces so often that C2 never comes to 95 % of the
     * instructions, natively either.
     */
    public static final String WITHOUT_C1 = "-XX:-TieredCompilation";

    /**
     * What admits transactions goes another way when the measured phase begins, for the first time. C2 has left that
     * way out, and throws the method away with all that it was inlined into; so it is inlined nowhere.
     */
    private static final List<String> KEEP_COMPILED = List.of(
            "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,dev.lockstep.tpcc.workload.RunControl::admit");

    /** A file in the directory where a child works, to which its JVM writes which compilations it made. */
    public static final String COMPILATIONS = "compilations.txt";

    private GuestOptions() {}

    /**
     * What both sides have.
     *
     * @param same the flags forced on both
     */
    public static List<String> both(SameProcessor same) {
        List<String> options = new ArrayList<>(same.forced());
        options.addAll(compiling());
        return options;
    }

    /** How both compile, and that they log it. */
    public static List<String> compiling() {
        List<String> options = new ArrayList<>();
        options.add(COMPILE_AT_ONCE);
        options.addAll(KEEP_COMPILED);
        options.add(logCompilations(COMPILATIONS));
        return options;
    }

    /** By which a JVM logs its compilations, as {@link CompiledMethod#here} reads them. */
    public static String logCompilations(String file) {
        return "-Xlog:jit+compilation=debug:file=" + file + ":none:filecount=0";
    }

    /** What the side that is sampled has beside: stacks then name inlined methods too; the code is the same. */
    public static List<String> sampled() {
        return List.of("-XX:+DebugNonSafepoints", "-XX:+EnableDynamicAgentLoading");
    }

    /** What the simulated side has beside: the simulated time and the simulated processors. */
    public static List<String> simulated() {
        return List.of(
                "-D" + InstalledTime.PROPERTY + "=" + SimulatedTime.class.getName(),
                "-D" + InstalledBinding.PROPERTY + "=" + BoundMachine.class.getName());
    }
}
