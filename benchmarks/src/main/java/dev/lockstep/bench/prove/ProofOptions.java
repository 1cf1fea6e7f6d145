package dev.lockstep.bench.prove;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a proof is run.
 *
 * @param points how many points to try, from 0; 0 where the time says how long
 * @param time how long to go on; zero where the number of points says it
 * @param seed of everything random
 * @param point the only one to try, of those that seed and number of points make; empty for all
 * @param input a file that a proof has kept, which is tried again in place of points; for most there is none
 * @param directory where files may be made, below names of their own; it exists
 */
public record ProofOptions(
        long points, Duration time, long seed, OptionalLong point, Optional<Path> input, Path directory) {
    /**
     * Checks the relations.
     *
     * @throws IllegalArgumentException if there is nothing to do, or the point is none of the points
     */
    public ProofOptions {
        if (points < 0 || time.isNegative() || (points == 0 && time.isZero())) {
            throw new IllegalArgumentException("a proof needs points or a time: points=" + points + " time=" + time);
        }
        if (point.isPresent() && (point.getAsLong() < 0 || (points > 0 && point.getAsLong() >= points))) {
            throw new IllegalArgumentException("point=" + point.getAsLong() + " is none of the points from 0 to "
                    + (points - 1) + ": give the --points of the run in which it failed");
        }
    }

    /** Tries points, or one of them. */
    public ProofOptions(long points, Duration time, long seed, OptionalLong point, Path directory) {
        this(points, time, seed, point, Optional.empty(), directory);
    }

    /** What a proof does unless said otherwise. */
    public static ProofOptions of(Proof proof, long seed, Path directory) {
        return new ProofOptions(proof.pointsDefault(), proof.timeDefault(), seed, OptionalLong.empty(), directory);
    }

    /** The same, but of one input alone. */
    public ProofOptions withInput(Path file) {
        return new ProofOptions(points, time, seed, OptionalLong.empty(), Optional.of(file), directory);
    }

    /** The same with another number of points, and no limit of time. */
    public ProofOptions withPoints(long value) {
        return new ProofOptions(value, Duration.ZERO, seed, point, directory);
    }

    /** The same going by time. */
    public ProofOptions withTime(Duration value) {
        return new ProofOptions(0, value, seed, point, directory);
    }

    /** Whether a point is to be tried. */
    public boolean wants(long index) {
        return point.isEmpty() || point.getAsLong() == index;
    }

    /**
     * The command that tries one point again. Of a proof that goes by time unless told otherwise it is the whole run,
     * since its points cannot be had alone; where points were
     * tried for some time, it names as many as there were up to this one.
     */
    public String replay(String proof, long index) {
        if (Proofs.named(proof).filter(its -> its.pointsDefault() == 0).isPresent()) {
            String amount = points > 0 ? " --points " + points : " --minutes " + minutes(time);
            return String.format(Locale.ROOT, "./lockstep prove %s%s --seed %d", proof, amount, seed);
        }
        return String.format(
                Locale.ROOT,
                "./lockstep prove %s --points %d --seed %d --point %d",
                proof,
                points == 0 ? index + 1 : points,
                seed,
                index);
    }

    /** The command that tries an input again. */
    public String replay(String proof, Path file) {
        return String.format(Locale.ROOT, "./lockstep prove %s --seed %d --input %s", proof, seed, file);
    }

    private static String minutes(Duration time) {
        double minutes = time.toMillis() / 60_000.0;
        return minutes == Math.rint(minutes) ? Long.toString((long) minutes) : Double.toString(minutes);
    }
}
