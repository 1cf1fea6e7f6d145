package dev.lockstep.bench.prove;

import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.check.DatabaseTotals;
import dev.lockstep.tpcc.check.TallyCheck;
import dev.lockstep.tpcc.workload.Tally;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link KillChild} has said: the sum of what the answered transactions did, up to where they saw orders, and of
 * each terminal what the transaction does that may be committed or not. Used by one thread.
 */
final class AnsweredTransactions {
    private final int warehouses;
    private final Tally answered;
    private final Tally[] committing;

    /** By district, see {@link TpccScale#districtIndex}: the highest that a reader was answered, 0 before the first. */
    private final int[] nextOrderIdsSeen;

    private long answers;
    private long answersOfReaders;

    AnsweredTransactions(int terminals, int warehouses) {
        this.warehouses = warehouses;
        answered = new Tally(1, warehouses);
        committing = new Tally[terminals];
        nextOrderIdsSeen = new int[warehouses * TpccScale.DISTRICTS];
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
                if (frame.hasRemaining()) {
                    saw(TpccScale.districtIndex(frame.getInt(), frame.getInt()), frame.getInt());
                }
            }
            case KillChild.ROLLED_BACK -> committing[terminal] = null;
            default -> throw new IllegalStateException("the child says what it cannot: kind=" + kind);
        }
    }

    private void saw(int district, int nextOrderId) {
        nextOrderIdsSeen[district] = Math.max(nextOrderIdsSeen[district], nextOrderId);
        answersOfReaders++;
    }

    /** Answers that said up to where orders were seen. */
    long answersOfReaders() {
        return answersOfReaders;
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
     * Where a database lacks orders that a reader was shown: whether the writer was answered or not, who was answered
     * has read nothing that a crash may take back.
     *
     * @param nextOrderIds what it has as D_NEXT_O_ID, by district, see {@link TpccScale#districtIndex}
     * @return the districts with both numbers; the empty string if it lacks none
     */
    String lostToReaders(int[] nextOrderIds) {
        List<String> lost = new ArrayList<>();
        for (int district = 0; district < nextOrderIdsSeen.length; district++) {
            if (nextOrderIds[district] < nextOrderIdsSeen[district]) {
                lost.add("district=" + district + " nextOrderId=" + nextOrderIds[district] + " seen="
                        + nextOrderIdsSeen[district]);
            }
        }
        return lost.isEmpty() ? "" : "a reader was answered with orders that are gone: " + String.join(", ", lost);
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
