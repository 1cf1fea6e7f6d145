package dev.lockstep.bench.prove;

import dev.lockstep.tpcc.check.DatabaseTotals;
import dev.lockstep.tpcc.check.TallyCheck;
import dev.lockstep.tpcc.workload.Tally;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link KillChild} has said: the sum of what the answered transactions did, and of each terminal what the
 * transaction does that may be committed or not. Used by one thread.
 */
final class AnsweredTransactions {
    private final int warehouses;
    private final Tally answered;
    private final Tally[] committing;
    private long answers;

    AnsweredTransactions(int terminals, int warehouses) {
        this.warehouses = warehouses;
        answered = new Tally(1, warehouses);
        committing = new Tally[terminals];
    }

    /** Takes note of a frame. */
    void heard(ByteBuffer frame) {
        int terminal = frame.getInt();
        int kind = frame.getInt();
        if (terminal < 0) {
            return;
        }
        switch (kind) {
            case KillChild.COMMITS -> {
                List<Long> numbers = new ArrayList<>();
                while (frame.hasRemaining()) {
                    numbers.add(frame.getLong());
                }
                committing[terminal] = Tally.of(warehouses, numbers);
            }
            case KillChild.ANSWERED -> {
                answered.add(committing[terminal]);
                committing[terminal] = null;
                answers++;
            }
            case KillChild.ROLLED_BACK -> committing[terminal] = null;
            default -> throw new IllegalStateException("the child says what it cannot: kind=" + kind);
        }
    }

    /** Commits that were answered. */
    long answers() {
        return answers;
    }

    /** Commits that were neither answered nor rolled back. */
    long inFlight() {
        return Arrays.stream(committing).filter(Objects::nonNull).count();
    }

    /**
     * Where a database disagrees: with the answered transactions and any choice of those in flight.
     *
     * @param before its totals before
     * @param after its totals
     * @return the fewest differences of all choices; the empty string if there is a choice without
     */
    String differences(DatabaseTotals before, DatabaseTotals after) {
        List<Tally> open = Arrays.stream(committing).filter(Objects::nonNull).toList();
        List<String> fewest = null;
        for (int choice = 0; choice < 1 << open.size(); choice++) {
            Tally expected = Tally.of(warehouses, answered.numbers());
            for (int i = 0; i < open.size(); i++) {
                if ((choice >> i & 1) != 0) {
                    expected.add(open.get(i));
                }
            }
            List<String> differences = TallyCheck.differences(before, after, expected);
            if (differences.isEmpty()) {
                return "";
            }
            if (fewest == null || differences.size() < fewest.size()) {
                fewest = differences;
            }
        }
        return "the database is not what was answered: inFlight=" + open.size() + " answered=" + answers
                + " differences=" + fewest;
    }
}
