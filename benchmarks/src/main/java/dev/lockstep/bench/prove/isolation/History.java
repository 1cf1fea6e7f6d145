package dev.lockstep.bench.prove.isolation;

import dev.lockstep.engine.Isolation;
import java.util.List;
import java.util.Map;

/**
 * What transactions that ran at the same time did and saw. A key with an even number holds a list, and a write appends
 * to it; one with an odd number is a register, and a write replaces its value. No value is written twice, 0 never. A
 * key that was deleted never comes back, so its versions have one order, whose last one nobody sees.
 *
 * @param transactions all that ended, committed or not, in any order
 * @param end what each key held when all had ended: a list, or a register as a list of one; keys that never came to be
 *     are left out
 * @param pagesMoved pages that compactions have moved meanwhile
 * @param operationsStaged operations that the leader of a staged team has run, its own included
 */
public record History(List<Executed> transactions, Map<Integer, long[]> end, long pagesMoved, long operationsStaged) {
    /** What a backup shows counts as read by a transaction of this thread. */
    static final String BACKUP = "backup";

    /** A key that is not there, or a list without elements. */
    public static final long[] NOTHING = {};

    /** Copies the collections. */
    public History {
        transactions = List.copyOf(transactions);
        end = Map.copyOf(end);
    }

    /** Whether the key holds a list. */
    public static boolean isList(int key) {
        return key % 2 == 0;
    }

    /**
     * A transaction.
     *
     * @param thread what ran it, for messages
     * @param level what it was promised; {@link Isolation#SERIALIZABLE} where it read a snapshot
     * @param committed whether its commit was answered; otherwise it was rolled back
     * @param steps what it did, in that order
     */
    public record Executed(String thread, Isolation level, boolean committed, List<Step> steps) {
        /** Copies the steps. */
        public Executed {
            steps = List.copyOf(steps);
        }
    }

    /** A read or a write of one key. */
    public sealed interface Step {
        /** The key. */
        int key();

        /** What the key held when the step was done, the newest value last; {@link #NOTHING} if it was not there. */
        long[] seen();
    }

    /**
     * A read.
     *
     * @param scan 0 where the key was asked for; otherwise the read is part of a scan over a range of keys, with a
     *     number of its own in the transaction
     * @param batch 0 where the read was made alone; otherwise the reads of this number were made side by side, in an
     *     order that nobody knows
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    public record Read(int key, long[] seen, int scan, int batch) implements Step {
        @Override
        public String toString() {
            return (scan == 0 ? "r(" : "scan" + scan + "(") + key + ")=" + newest(seen);
        }
    }

    /**
     * A write.
     *
     * @param seen what was there before, read under the lock of the write
     * @param written what was appended, or put in its place; where the key was deleted, a number that nobody sees
     * @param deletes whether the key was deleted
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    public record Write(int key, long[] seen, long written, boolean deletes) implements Step {
        @Override
        public String toString() {
            return (deletes ? "d(" : "w(") + key + "," + written + ")";
        }
    }

    /** The newest of the values, 0 if there is none. */
    static long newest(long[] values) {
        return values.length == 0 ? 0 : values[values.length - 1];
    }
}
