package dev.lockstep.bench.simulate.jvm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a sampling profiler saw of a JVM: async-profiler's collapsed stacks, whose frames say how the method ran (option
 * {@code ann}) and its signature ({@code sig}). Samples whose innermost frame is no Java method, such as copies, system
 * calls and the JVM's own work, are left out: instructions of Java code are asked for. Immutable.
 *
 * @param c2Samples in code that C2 compiled
 * @param otherSamples in code of C1, and interpreted
 * @param samplesByMethod of the methods that C2 compiled by themselves, with what was inlined into them; by class, name
 *     and signature
 */
public record NativeProfile(long c2Samples, long otherSamples, Map<String, Long> samplesByMethod) {
    private static final String COMPILED = "_[j]";
    private static final String INLINED = "_[i]";
    private static final String C1 = "_[1]";
    private static final String INTERPRETED = "_[0]";

    /** Takes an own copy. */
    public NativeProfile {
        samplesByMethod = Map.copyOf(samplesByMethod);
    }

    /** Reads collapsed stacks, one a line: frames from the outermost, separated by semicolons, a space, samples. */
    public static NativeProfile parse(Stream<String> lines) {
        Map<String, Long> byMethod = new HashMap<>();
        long[] sums = new long[2];
        lines.forEach(line -> {
            int space = line.lastIndexOf(' ');
            if (space < 0) {
                return;
            }
            String[] frames = line.substring(0, space).split(";", -1);
            long samples = Long.parseLong(line.substring(space + 1).strip());
            String method = compiledMethod(frames);
            if (method.endsWith(COMPILED)) {
                sums[0] += samples;
                byMethod.merge(spelled(method.substring(0, method.length() - COMPILED.length())), samples, Long::sum);
            } else if (method.endsWith(C1) || method.endsWith(INTERPRETED)) {
                sums[1] += samples;
            }
        });
        return new NativeProfile(sums[0], sums[1], byMethod);
    }

    /** As the JVM spells it: dots in the name, slashes and semicolons in the signature, where frames have bars. */
    private static String spelled(String method) {
        int signature = method.indexOf('(');
        int end = signature < 0 ? method.length() : signature;
        return method.substring(0, end).replace('/', '.')
                + method.substring(end).replace('|', ';');
    }

    /** The frame that the innermost one, if it is of Java, was compiled with; empty if it is not of Java. */
    private static String compiledMethod(String... frames) {
        int at = frames.length - 1;
        while (at >= 0 && frames[at].endsWith(INLINED)) {
            at--;
        }
        return at < 0 ? "" : frames[at];
    }

    /** All samples of Java code. */
    public long samples() {
        return c2Samples + otherSamples;
    }

    /** The part of them in code that C2 compiled, 0 to 1; 0 without any. */
    public double c2Share() {
        return samples() == 0 ? 0 : (double) c2Samples / samples();
    }

    /** The names of the methods with most samples, most first; equal ones by name. */
    public List<String> hottest(int count) {
        return samplesByMethod.entrySet().stream()
                .sorted(Comparator.comparing(Map.Entry<String, Long>::getValue)
                        .reversed()
                        .thenComparing(Map.Entry::getKey))
                .limit(count)
                .map(Map.Entry::getKey)
                .toList();
    }
}
