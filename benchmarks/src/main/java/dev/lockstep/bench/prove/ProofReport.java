package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Section;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What came of a proof. Immutable.
 *
 * @param proof its name
 * @param tried points
 * @param survived those that went as they have to
 * @param failed the others
 * @param counts further numbers by name, such as points by kind
 * @param failures all that failed, each with its line of replay; what was found by the first {@link
 *     #FAILURES_IN_FULL} of them in full, by the others in brief
 * @param sections tables and plots for the reader
 */
public record ProofReport(
        String proof,
        long tried,
        long survived,
        long failed,
        SortedMap<String, Long> counts,
        List<ProofFailure> failures,
        List<Section> sections) {
    /** What fails more often than this has one cause, and the first hundred show it. */
    public static final int FAILURES_IN_FULL = 100;

    /** Length of what was found in brief: one line that names it, of so many characters at most. */
    public static final int BRIEF_CHARACTERS_MAX = 300;

    /** Causes of causes that are told: the engine's errors have two at most. */
    private static final int CAUSES_TOLD_MAX = 4;

    /** Frames of the stack that are told: they name the place, and replaying it shows the rest. */
    private static final int FRAMES_TOLD_MAX = 3;

    /** Copies. */
    public ProofReport {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        failures = List.copyOf(failures);
        sections = List.copyOf(sections);
    }

    /** Whether anything was tried, and all of it survived. */
    public boolean ok() {
        return tried > 0 && failed == 0 && survived == tried;
    }

    /** With one more section. */
    ProofReport with(Section section) {
        List<Section> all = new ArrayList<>(sections);
        all.add(section);
        return new ProofReport(proof, tried, survived, failed, counts, failures, all);
    }

    /** The outcome in one sentence. */
    public String summary() {
        return String.format(Locale.ROOT, "%s: %,d tried, %,d survived, %,d failed", proof, tried, survived, failed);
    }

    /** For people: what was thrown, with its causes, and where. */
    public static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < CAUSES_TOLD_MAX; depth++) {
            text.append(depth == 0 ? "" : ", because ").append(cause);
            cause = cause.getCause();
        }
        StackTraceElement[] trace = failure.getStackTrace();
        for (int i = 0; i < Math.min(trace.length, FRAMES_TOLD_MAX); i++) {
            text.append(" at ").append(trace[i]);
        }
        return text.toString();
    }

    /** A report in the making. Used by one thread. */
    public static final class Builder {
        private final String proof;
        private final ProofOptions options;
        private final SortedMap<String, Long> counts = new TreeMap<>();
        private final List<ProofFailure> failures = new ArrayList<>();
        private final List<Section> sections = new ArrayList<>();
        private long survived;
        private long failed;

        /** Nothing was tried yet. */
        public Builder(String proof, ProofOptions options) {
            this.proof = proof;
            this.options = options;
        }

        /** Counts a point that went as it has to. */
        public void survived() {
            survived++;
        }

        /** Counts a point that did not, and keeps what was found and the line that replays it. */
        public void failed(long point, String what) {
            failed(point, what, options.replay(proof, point));
        }

        /** The same with a line of its own. */
        public void failed(long point, String what, String replay) {
            failures.add(new ProofFailure(point, failed < FAILURES_IN_FULL ? what : inBrief(what), replay));
            failed++;
        }

        /** The first line, or as much of it as may be told. By code points, because half of one is no text. */
        private static String inBrief(String what) {
            return what.lines()
                    .findFirst()
                    .orElse("")
                    .codePoints()
                    .limit(BRIEF_CHARACTERS_MAX)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        }

        /** Adds to a number of this name, which is 0 at first. */
        public void count(String name, long more) {
            counts.merge(name, more, Long::sum);
        }

        /** Adds a section for the reader. */
        public void section(Section section) {
            sections.add(section);
        }

        /** Points so far. */
        public long tried() {
            return survived + failed;
        }

        /** The report as it stands. */
        public ProofReport build() {
            return new ProofReport(proof, survived + failed, survived, failed, counts, failures, sections);
        }
    }
}
