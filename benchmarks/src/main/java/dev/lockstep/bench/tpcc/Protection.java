package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.TornPageProtection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What Lockstep does in a run for the time after a crash, and how it writes it; or what of that it leaves out, so that
 * the cost or the worth of it can be seen.
 *
 * @param checkpoints {@link #BY_LOG}, {@link #OFF}, {@link #ONCE}, or seconds between two checkpoints
 * @param checkpointLogBytes after how much log a checkpoint begins where that is by the log, or {@link #AS_ENGINE}
 * @param checksums whether pages have checksums
 * @param tornPages spelled as {@link TornPageProtection}
 * @param pacing whether checkpoints write their pages over a share of the time between two of them, or at once
 * @param uncachedWrites whether the log and the copies of pages are written past the system's cache
 */
record Protection(
        String checkpoints,
        long checkpointLogBytes,
        boolean checksums,
        String tornPages,
        boolean pacing,
        boolean uncachedWrites) {
    /** Checkpoints by the length of the log, as the engine does unless told otherwise. */
    static final String BY_LOG = "by-log";

    /** No checkpoints while the run lasts. */
    static final String OFF = "off";

    /** One at the beginning of what is measured, which the run asks for. */
    static final String ONCE = "once";

    /** As much log as the engine takes by itself, which follows the pool. */
    static final long AS_ENGINE = 0;

    /** Longest interval, a day. */
    private static final double SECONDS_MAX = 86_400;

    private static final double MILLIS_PER_SECOND = 1e3;

    private static final int MIB_SHIFT = 20;

    /** A mechanism that can be left out. */
    enum Mechanism {
        /** Page checksums, made and looked at. */
        CHECKSUMS,
        /** Whatever mends torn pages. */
        TORN_PAGES,
        /** Checkpoints during the run. */
        CHECKPOINTS,
        /** Writing the pages of a checkpoint little by little; without it they are written at once. */
        PACING,
        /** Writing log and copies past the system's cache; without it they are written through it. */
        UNCACHED_WRITES,
        /** Checksums, protection from torn pages and checkpoints. */
        ALL
    }

    /** One of the runs that the options ask for. */
    record Named(String name, Protection protection) {}

    /**
     * What the options ask for: each protection from torn pages with everything, then each mechanism left out in turn.
     *
     * @param checkpointLogBytes see {@link #checkpointLogBytes()}
     * @param tornPages spelled as {@link TornPageProtection}, one or more
     * @param without spelled as {@link Mechanism}
     */
    static List<Named> all(String checkpoints, long checkpointLogBytes, List<String> tornPages, List<String> without) {
        List<Named> all = new ArrayList<>();
        for (String each : tornPages) {
            all.add(new Named(
                    tornPages.size() > 1 ? each : "",
                    new Protection(checkpoints, checkpointLogBytes, true, each, true, true)));
        }
        for (String each : without) {
            Mechanism mechanism = Spelling.parse(Mechanism.class, each);
            all.add(new Named(
                    mechanism == Mechanism.ALL ? "without all three" : "without " + each,
                    all.getFirst().protection().without(mechanism)));
        }
        return all;
    }

    private Protection without(Mechanism mechanism) {
        boolean everything = mechanism == Mechanism.ALL;
        return new Protection(
                everything || mechanism == Mechanism.CHECKPOINTS ? OFF : checkpoints,
                checkpointLogBytes,
                !everything && mechanism != Mechanism.CHECKSUMS && checksums,
                everything || mechanism == Mechanism.TORN_PAGES ? Spelling.of(TornPageProtection.NONE) : tornPages,
                mechanism != Mechanism.PACING && pacing,
                mechanism != Mechanism.UNCACHED_WRITES && uncachedWrites);
    }

    /** Whether a text is a value of {@code --checkpoint-seconds}. */
    static boolean isCheckpoints(String text) {
        if (text.equals(BY_LOG) || text.equals(OFF) || text.equals(ONCE)) {
            return true;
        }
        try {
            double seconds = Double.parseDouble(text);
            return seconds * MILLIS_PER_SECOND >= DatabaseOptions.CHECKPOINT_INTERVAL_MIN.toMillis()
                    && seconds <= SECONDS_MAX;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Sets the engine's options. */
    DatabaseOptions.Builder applyTo(DatabaseOptions.Builder options) {
        options.pageChecksums(checksums)
                .tornPageProtection(Spelling.parse(TornPageProtection.class, tornPages))
                .uncachedWrites(uncachedWrites);
        if (!pacing) {
            options.checkpointSpread(0);
        }
        if (!checkpoints.equals(BY_LOG)) {
            options.checkpointLogBytes(DatabaseOptions.CHECKPOINT_LOG_BYTES_MAX);
        } else if (checkpointLogBytes != AS_ENGINE) {
            options.checkpointLogBytes(checkpointLogBytes);
        }
        if (!checkpoints.equals(BY_LOG) && !checkpoints.equals(OFF) && !asksForOne()) {
            options.checkpointInterval(
                    Duration.ofMillis(Math.round(Double.parseDouble(checkpoints) * MILLIS_PER_SECOND)));
        }
        return options;
    }

    /** Whether the run is to ask for a checkpoint when its measured phase begins. */
    boolean asksForOne() {
        return checkpoints.equals(ONCE);
    }

    /** For the heading of a result; empty where all is as the engine has it by default. */
    String inWords() {
        String interval =
                switch (checkpoints) {
                    case BY_LOG ->
                        checkpointLogBytes == AS_ENGINE
                                ? ""
                                : ", a checkpoint every " + (checkpointLogBytes >> MIB_SHIFT) + " MiB of log";
                    case OFF -> ", no checkpoints";
                    case ONCE -> ", a checkpoint in each repetition";
                    default -> ", a checkpoint every " + checkpoints + " s";
                };
        String torn = tornPages.equals(Spelling.of(TornPageProtection.DOUBLE_WRITE)) ? "" : ", torn pages " + tornPages;
        return interval
                + (pacing ? "" : " written at once")
                + torn
                + (checksums ? "" : ", no page checksums")
                + (uncachedWrites ? "" : ", written through the system's cache");
    }
}
