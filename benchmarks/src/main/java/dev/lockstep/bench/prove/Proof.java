package dev.lockstep.bench.prove;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * One of the proofs of {@code ./lockstep prove}: tries something many times and looks each time whether Lockstep keeps
 * its word. An implementation keeps nothing between two runs, so it is thread-safe.
 */
public interface Proof {
    /** The word on the command line. */
    String name();

    /** What is done and what has to be true afterwards, in one or two sentences for the help. */
    String description();

    /** How many points are tried unless said otherwise; 0 where the time says how long it goes on. */
    default long pointsDefault() {
        return 0;
    }

    /** How many points have to be asked for at least, to tell anything. */
    default long pointsMin() {
        return 1;
    }

    /** How many points may be asked for. */
    default long pointsMax() {
        return Long.MAX_VALUE;
    }

    /** How long it goes on unless said otherwise; zero where the number of points says it. */
    default Duration timeDefault() {
        return Duration.ZERO;
    }

    /**
     * The number of a point, by what the command line calls it.
     *
     * @param text its number, or the name that the proof prints for it
     * @throws IllegalArgumentException if no point is called so
     */
    default long pointNumber(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--point of prove " + name() + " is a number: point=" + text, e);
        }
    }

    /**
     * Whether the numbers of points do not depend on how many are tried, so that {@code --point} needs no {@code
     * --points}.
     */
    default boolean isPointIndependent() {
        return false;
    }

    /**
     * Whether the clock has its part in what happens, so that a failure need not come again from its seed: its files
     * are kept then, to be looked at.
     */
    default boolean isByTheClock() {
        return false;
    }

    /** Whether it keeps inputs in files, which {@code --input} has it try again. */
    default boolean takesInput() {
        return false;
    }

    /**
     * Runs it. A point that did not go as it has to is part of the report, and no exception; of a proof that is
     * {@link #isByTheClock} the report then says where its files are.
     *
     * @param options how long, from which seed, where
     * @param progress is told how it gets on, on this thread
     * @return what was tried and what came of it
     * @throws IOException if the proof itself cannot work: no room for its files, a child JVM that does not start
     * @throws InterruptedException if this thread is interrupted
     */
    default ProofReport run(ProofOptions options, ProofProgress progress) throws IOException, InterruptedException {
        try (ScratchDirectory scratch = ScratchDirectory.make(options.directory(), "prove-" + name())) {
            ProofReport report = run(options, progress, scratch.path());
            if (report.ok() || !isByTheClock()) {
                return report;
            }
            scratch.keep();
            return report.with(Section.of(
                    "Kept", new Paragraph("What it left is there to be looked at: directory=" + scratch.path())));
        }
    }

    /**
     * As {@link #run(ProofOptions, ProofProgress)}.
     *
     * @param scratch an empty directory for the proof's files, which is removed afterwards
     */
    ProofReport run(ProofOptions options, ProofProgress progress, Path scratch)
            throws IOException, InterruptedException;
}
