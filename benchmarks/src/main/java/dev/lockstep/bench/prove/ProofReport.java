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
 * @param failures the first of those that failed, at most {@link #FAILURES_MAX}
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
    public static final int FAILURES_MAX = 100;

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

    /** The outcome in one sentence. */
    public String summary() {
        return String.format(Locale.ROOT, "%s: %,d tried, %,d survived, %,d failed", proof, tried, survived, failed);
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

        /** Counts a point that did not, and keeps the line that replays it. */
        public void failed(long point, String what) {
            failed(point, what, options.replay(proof, point));
        }

        /** The same with a line of its own. */
        public void failed(long point, String what, String replay) {
            failed++;
            if (failures.size() < FAILURES_MAX) {
                failures.add(new ProofFailure(point, what, replay));
            }
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
