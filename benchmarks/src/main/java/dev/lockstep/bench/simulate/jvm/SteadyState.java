package dev.lockstep.bench.simulate.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether a simulated JVM had reached the steady state of the same run on the machine's processor. Immutable.
 *
 * @param simulatedC2Share part of the instructions of Java methods, in the measured phase, that C2 had compiled: 0 to 1
 * @param machineC2Share the same natively, by the samples of a profiler
 * @param samples the number of these
 * @param jvmShare instructions of collections and compilations in the measured phase, as part of the workload's
 * @param hottest the compiled sizes of the methods that took most time natively
 */
public record SteadyState(
        double simulatedC2Share, double machineC2Share, long samples, double jvmShare, List<CompiledSize> hottest) {
    /** Below this part the interpreter and C1 are what is measured. */
    public static final double C2_SHARE_MIN = 0.95;

    /** By so much the two shares may differ. */
    public static final double DIFFERENCE_MAX = 0.03;

    /**
     * Collections and compilations take no more than this part of the workload's instructions where the JVM is steady;
     * they are not simulated, but what is compiled then is another code before and after.
     */
    public static final double JVM_SHARE_MAX = 0.25;

    /** How many methods' sizes are compared. */
    public static final int HOTTEST_METHODS = 10;

    /** Takes an own copy. */
    public SteadyState {
        hottest = List.copyOf(hottest);
    }

    /** Whether the measurement counts: its code is the control's, and stays. */
    public boolean counts() {
        return codeIsTheControls() && jvmIsQuiet();
    }

    /** Whether C2 had compiled what ran, as in the control. */
    public boolean codeIsTheControls() {
        return simulatedC2Share >= C2_SHARE_MIN && Math.abs(simulatedC2Share - machineC2Share) <= DIFFERENCE_MAX;
    }

    /** Whether the hottest methods were compiled to the same code, as far as their sizes tell. */
    public boolean sizesAgree() {
        return !hottest.isEmpty() && hottest.stream().allMatch(CompiledSize::agrees);
    }

    /** Whether the JVM left the measured phase to the workload. */
    public boolean jvmIsQuiet() {
        return isQuiet(jvmShare);
    }

    /** Whether collections and compilations take so small a part that the measured phase is the workload's. */
    public static boolean isQuiet(double jvmShare) {
        return jvmShare <= JVM_SHARE_MAX;
    }

    /** What to say of that part, one sentence. */
    public static String jvmSentence(double jvmShare) {
        return String.format(
                Locale.ROOT,
                "%sCollections and compilations in the measured phase: %.1f %% of the workload's instructions (at most"
                        + " %.0f %%).",
                isQuiet(jvmShare) ? "" : "NOT QUIET, counts for nothing: ",
                percent(jvmShare),
                percent(JVM_SHARE_MAX));
    }

    /** What to say of it, a sentence a line. */
    public List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        sentences.add(String.format(
                Locale.ROOT,
                "%s: C2 had compiled %.1f %% of the Java instructions, natively %.1f %% by %d samples (at least"
                        + " %.0f %%, and within %.0f points, are needed).",
                codeIsTheControls() ? "Steady" : "NOT STEADY, counts for nothing",
                percent(simulatedC2Share),
                percent(machineC2Share),
                samples,
                percent(C2_SHARE_MIN),
                percent(DIFFERENCE_MAX)));
        sentences.add(jvmSentence(jvmShare));
        if (!counts()) {
            sentences.add(
                    "Remedy: run more before measuring, by --warmup-transactions of tpcc, by -wi or -w of jmh, or in"
                            + " a program of your own before it marks the phase.");
        }
        long agreeing = hottest.stream().filter(CompiledSize::agrees).count();
        sentences.add(String.format(
                Locale.ROOT,
                "%sThe compiled sizes of %d of the %d hottest methods agree within %.0f %%.",
                sizesAgree() ? "" : "MARKED: ",
                agreeing,
                hottest.size(),
                percent(CompiledSize.DIFFERENCE_MAX)));
        hottest.stream()
                .filter(size -> !size.agrees())
                .forEach(size -> sentences.add("  " + size.method() + " natively " + size.machineBytes()
                        + " bytes, simulated " + size.emulatedBytes()));
        return sentences;
    }

    private static double percent(double part) {
        return 100 * part;
    }
}
