package dev.lockstep.scheduler;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How many members a team of each operation may have, so that what they touch stays in the L2 cache (STEPS, 3.4.2):
 * each member of a team brings data of its own, and misses beyond the L2 cannot be overlapped as those of the first
 * level are. The part of the cache that a team may fill is divided by what one execution touches. The paper restricts
 * all groups to one size, and leaves this for operators with large data sets and processors with small caches.
 *
 * <p>Immutable.
 *
 * @param l2Bytes size of the L2 cache of a carrier's core, {@link #L2_BYTES_MIN} or more; 0 exactly where
 *     {@code dataBytes} is empty
 * @param dataBytes by the name of an operation, the bytes of distinct cache lines of data that one execution touches as
 *     a rule, 1 or more; operations that are not named are not restricted
 */
public record TeamLimits(long l2Bytes, Map<String, Long> dataBytes) {
    /** Restricts nothing. */
    public static final TeamLimits NONE = new TeamLimits(0, Map.of());

    /** The smallest L2 that is taken for one; of less, it is the unit that was mistaken. */
    public static final long L2_BYTES_MIN = 64 << 10;

    /**
     * What a team may fill of the L2, in percent. The other half is for what the members do not count as theirs: the
     * cache holds instructions too, the S-threads that wait have left their stacks there, and the log's buffer, the
     * lock table and the upper nodes of the trees are everybody's. A cache with few ways also loses lines long before
     * it is full.
     */
    public static final int L2_PERCENT = 50;

    /** However large an operation's data set is: a team of one would pay for its list and share nothing. */
    public static final int MEMBERS_MIN = 2;

    private static final int PERCENT = 100;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a size is out of range
     */
    public TeamLimits {
        dataBytes = Map.copyOf(dataBytes);
        if (dataBytes.isEmpty() ? l2Bytes != 0 : l2Bytes < L2_BYTES_MIN) {
            throw new IllegalArgumentException("size of the L2 cache out of range: l2Bytes=" + l2Bytes + " l2BytesMin="
                    + L2_BYTES_MIN + " operations=" + dataBytes.size()
                    + "; remedy: give that of the carriers' cores, or TeamLimits.NONE to have no such limits");
        }
        dataBytes.forEach((operation, bytes) -> {
            if (bytes < 1) {
                throw new IllegalArgumentException("data set out of range: operation=" + operation + " dataBytes="
                        + bytes + " dataBytesMin=1; remedy: leave out what touches nothing");
            }
        });
    }

    /**
     * Takes data sets as they were measured; of an operation that several workloads run, the largest.
     *
     * @param l2Bytes size of the L2 cache of a carrier's core
     * @return {@link #NONE} if nothing was measured
     */
    public static TeamLimits of(long l2Bytes, Collection<CodeFootprints> measured) {
        Objects.requireNonNull(measured, "measured");
        Map<String, Long> bytes = new HashMap<>();
        measured.forEach(footprints ->
                footprints.dataBytes().forEach((operation, dataBytes) -> bytes.merge(operation, dataBytes, Math::max)));
        return bytes.isEmpty() ? NONE : new TeamLimits(l2Bytes, bytes);
    }

    /**
     * Returns how many members a team of an operation may have.
     *
     * @param teamLimit of all operations, which this one keeps to as well
     */
    public int membersMax(String operation, int teamLimit) {
        Long bytes = dataBytes.get(operation);
        return bytes == null ? teamLimit : membersMax(bytes, teamLimit);
    }

    /** The smallest of the limits of all operations, named or not. */
    int smallest(int teamLimit) {
        return dataBytes.values().stream()
                .mapToInt(bytes -> membersMax(bytes, teamLimit))
                .min()
                .orElse(teamLimit);
    }

    private int membersMax(long bytes, int teamLimit) {
        long fitting = l2Bytes / PERCENT * L2_PERCENT / bytes;
        return (int) Math.min(teamLimit, Math.max(MEMBERS_MIN, fitting));
    }
}
