package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.isolation.History.Executed;
import dev.lockstep.bench.prove.isolation.History.Read;
import dev.lockstep.bench.prove.isolation.History.Step;
import dev.lockstep.bench.prove.isolation.History.Write;
import dev.lockstep.engine.Isolation;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Histories written by hand, and exactly what is to be found in each. */
class HistoryCheckerTest {
    /** Registers. */
    private static final int X = 1;

    private static final int Y = 3;

    /** A list. */
    private static final int L = 2;

    private static Step read(int key, long... seen) {
        return new Read(key, seen, 0, 0);
    }

    private static Step scanned(int scan, int key, long... seen) {
        return new Read(key, seen, scan, 0);
    }

    /** Writes a value over what was seen; nothing is 0. */
    private static Step write(int key, long seen, long written) {
        return new Write(key, seen == 0 ? History.NOTHING : new long[] {seen}, written, false);
    }

    private static Step delete(int key, long number, long... seen) {
        return new Write(key, seen, number, true);
    }

    private static Step append(long written, long... seen) {
        return new Write(L, seen, written, false);
    }

    private static Executed committed(Step... steps) {
        return committed(Isolation.SERIALIZABLE, steps);
    }

    private static Executed committed(Isolation level, Step... steps) {
        return new Executed("t", level, true, List.of(steps));
    }

    private static Executed rolledBack(Step... steps) {
        return new Executed("t", Isolation.SERIALIZABLE, false, List.of(steps));
    }

    private static long[] values(long... values) {
        return values;
    }

    private static HistoryChecker.Verdict check(Map<Integer, long[]> end, Executed... transactions) {
        return HistoryChecker.check(new History(List.of(transactions), end, 0, 0));
    }

    private static void expect(Set<Finding> expected, Map<Integer, long[]> end, Executed... transactions) {
        HistoryChecker.Verdict verdict = check(end, transactions);
        assertEquals(expected, verdict.shown().keySet(), verdict::toString);
        assertEquals(expected, verdict.forbidden().keySet(), verdict::toString);
    }

    private static void expectForbidden(Set<Finding> expected, Map<Integer, long[]> end, Executed... transactions) {
        HistoryChecker.Verdict verdict = check(end, transactions);
        assertEquals(expected, verdict.forbidden().keySet(), verdict::toString);
    }

    @Test
    void aSerialHistoryShowsNothing() {
        expect(
                Set.of(),
                Map.of(X, values(12), L, values(1, 2)),
                committed(read(X), write(X, 0, 11), append(1), read(L, 1)),
                rolledBack(write(X, 11, 99), append(98, 1)),
                committed(read(X, 11), write(X, 11, 12), append(2, 1), scanned(1, X, 12), scanned(1, Y)),
                committed(read(L, 1, 2), scanned(1, X, 12), scanned(1, L, 1, 2), scanned(2, Y)));
    }

    @Test
    void dirtyWrites() {
        expect(
                Set.of(Finding.G0, Finding.OTV),
                Map.of(X, values(12), Y, values(21)),
                committed(write(X, 0, 11), write(Y, 22, 21)),
                committed(write(X, 11, 12), write(Y, 0, 22)));
    }

    @Test
    void abortedReads() {
        expect(Set.of(Finding.G1A), Map.of(), rolledBack(write(X, 0, 11)), committed(read(X, 11)));
        expect(
                Set.of(Finding.G1A, Finding.LOST_WRITE),
                Map.of(X, values(12)),
                rolledBack(write(X, 0, 11)),
                committed(write(X, 11, 12)));
        expect(Set.of(Finding.G1A), Map.of(X, values(11)), rolledBack(write(X, 0, 11)));
    }

    @Test
    void valuesThatNobodyWrote() {
        expect(Set.of(Finding.INTERNAL, Finding.LOST_WRITE), Map.of(X, values(12)), committed(write(X, 11, 12)));
        expect(Set.of(Finding.INTERNAL), Map.of(), committed(read(X, 11)));
    }

    @Test
    void intermediateReads() {
        expect(Set.of(Finding.G1B), Map.of(L, values(1, 2)), committed(append(1), append(2, 1)), committed(read(L, 1)));
    }

    @Test
    void circularInformationFlow() {
        expect(
                Set.of(Finding.G1C),
                Map.of(X, values(11), Y, values(21)),
                committed(write(X, 0, 11), read(Y, 21)),
                committed(write(Y, 0, 21), read(X, 11)));
    }

    /** Seen first and missed later; the other way round, or side by side, it is read skew alone. */
    @Test
    void vanishedTransactions() {
        Executed writer = committed(write(X, 0, 11), write(Y, 0, 21));
        Map<Integer, long[]> end = Map.of(X, values(11), Y, values(21));
        expect(Set.of(Finding.OTV, Finding.G_SINGLE, Finding.G2_ITEM), end, writer, committed(read(X, 11), read(Y)));
        expect(Set.of(Finding.G_SINGLE, Finding.G2_ITEM), end, writer, committed(read(Y), read(X, 11)));
        expect(
                Set.of(Finding.G_SINGLE, Finding.G2_ITEM),
                end,
                writer,
                committed(new Read(X, values(11), 0, 1), new Read(Y, values(), 0, 1)));
    }

    @Test
    void lostUpdates() {
        expect(
                Set.of(Finding.P4, Finding.G_SINGLE, Finding.G2_ITEM),
                Map.of(X, values(12)),
                committed(read(X), write(X, 0, 11)),
                committed(read(X), write(X, 11, 12)));
    }

    @Test
    void writeSkew() {
        expect(
                Set.of(Finding.G2_ITEM),
                Map.of(X, values(11), Y, values(21)),
                committed(read(Y), write(X, 0, 11)),
                committed(read(X), write(Y, 0, 21)));
    }

    @Test
    void writeSkewOfRanges() {
        expect(
                Set.of(Finding.G2),
                Map.of(X, values(11), Y, values(21)),
                committed(scanned(1, Y), write(X, 0, 11)),
                committed(scanned(1, X), write(Y, 0, 21)));
        expect(
                Set.of(Finding.G2),
                Map.of(X, values(11), Y, values(21)),
                committed(scanned(1, Y), write(X, 0, 11)),
                committed(read(X), write(Y, 0, 21)));
    }

    @Test
    void phantoms() {
        expect(
                Set.of(Finding.PMP, Finding.G_SINGLE_OF_RANGES, Finding.G2),
                Map.of(X, values(11)),
                committed(scanned(1, X), scanned(2, X, 11)),
                committed(write(X, 0, 11)));
        expect(
                Set.of(Finding.G_SINGLE_OF_RANGES, Finding.G2),
                Map.of(X, values(11), Y, values(21)),
                committed(scanned(1, X), read(Y, 21)),
                committed(write(X, 0, 11), write(Y, 0, 21)));
    }

    /** Three transactions, none of which meets more than one edge of the cycle with another. */
    @Test
    void longCycles() {
        expect(
                Set.of(Finding.G_SINGLE, Finding.G2_ITEM),
                Map.of(X, values(11), Y, values(21), L, values(1)),
                committed(read(X), read(L, 1)),
                committed(write(X, 0, 11), write(Y, 0, 21)),
                committed(read(Y, 21), append(1)));
    }

    @Test
    void lostWrites() {
        expect(Set.of(Finding.LOST_WRITE), Map.of(), committed(write(X, 0, 11)));
        expect(Set.of(Finding.LOST_WRITE), Map.of(L, values(2)), committed(append(1)), committed(append(2)));
        expect(Set.of(Finding.LOST_WRITE), Map.of(L, values(1, 2, 2)), committed(append(1), append(2, 1)));
    }

    @Test
    void readsWithoutSense() {
        // Its own write, and elements in an order in which they were not appended.
        expect(Set.of(Finding.INTERNAL), Map.of(X, values(11)), committed(write(X, 0, 11), read(X)));
        assertTrue(
                check(Map.of(L, values(1, 2)), committed(append(1)), committed(append(2, 1)), committed(read(L, 2, 1)))
                        .forbidden()
                        .containsKey(Finding.INTERNAL));
    }

    @Test
    void anExampleNamesTheCycle() {
        String example = check(
                        Map.of(X, values(11), Y, values(21)),
                        committed(read(Y), write(X, 0, 11)),
                        committed(read(X), write(Y, 0, 21)))
                .forbidden()
                .get(Finding.G2_ITEM);
        assertEquals("T0[t] r(3)=0 w(1,11) --rw--> T1[t] r(1)=0 w(3,21) --rw--> T0", example);
    }

    @Test
    void deletedKeys() {
        // Before it came to be, after it went, and in the order of both.
        expect(
                Set.of(),
                Map.of(Y, values(21)),
                committed(read(X), scanned(1, L)),
                committed(write(X, 0, 11), append(1)),
                committed(delete(X, 12, 11), read(X), delete(L, 2, 1), scanned(1, L)),
                committed(read(X), write(Y, 0, 21), scanned(1, L)));
        expect(
                Set.of(Finding.LOST_WRITE),
                Map.of(X, values(11)),
                committed(write(X, 0, 11)),
                committed(delete(X, 12, 11)));
        expect(
                Set.of(Finding.LOST_WRITE),
                Map.of(),
                committed(write(X, 0, 11)),
                committed(delete(X, 12, 11)),
                committed(delete(X, 13, 11)));
        expect(Set.of(Finding.INTERNAL), Map.of(), committed(write(X, 0, 11), delete(X, 12, 11), read(X, 11)));
        // A row that is gone is seen by one who has seen what went with it.
        expect(
                Set.of(Finding.OTV, Finding.G_SINGLE, Finding.G2_ITEM),
                Map.of(Y, values(21)),
                committed(write(X, 0, 11)),
                committed(delete(X, 12, 11), write(Y, 0, 21)),
                committed(read(Y, 21), read(X, 11)));
        expect(
                Set.of(Finding.PMP),
                Map.of(),
                committed(write(X, 0, 11)),
                committed(delete(X, 12, 11)),
                committed(scanned(1, X, 11), scanned(2, X)));
    }

    /** What a level forbids is forbidden to those who have it, whatever the others have. */
    @Test
    void levelsOfTheirOwn() {
        Map<Integer, long[]> end = Map.of(X, values(11), Y, values(21));
        Executed writer = committed(Isolation.READ_UNCOMMITTED, write(X, 0, 11), write(Y, 0, 21));
        for (Isolation level : Isolation.values()) {
            boolean committedReads = level.compareTo(Isolation.READ_COMMITTED) >= 0;
            boolean repeatableReads = level.compareTo(Isolation.REPEATABLE_READ) >= 0;
            boolean serializable = level == Isolation.SERIALIZABLE;
            expectForbidden(
                    repeatableReads
                            ? Set.of(Finding.OTV, Finding.G_SINGLE, Finding.G2_ITEM)
                            : committedReads ? Set.of(Finding.OTV) : Set.of(),
                    end,
                    writer,
                    committed(level, read(X, 11), read(Y)));
            expectForbidden(
                    serializable ? Set.of(Finding.G_SINGLE_OF_RANGES, Finding.G2) : Set.of(),
                    end,
                    writer,
                    committed(level, scanned(1, X), read(Y, 21)));
            expectForbidden(
                    committedReads ? Set.of(Finding.G1A) : Set.of(),
                    Map.of(),
                    rolledBack(write(X, 0, 11)),
                    committed(level, read(X, 11)));
        }
        // Write skew takes two who are promised that there is none.
        for (Isolation other : Isolation.values()) {
            expectForbidden(
                    other.compareTo(Isolation.REPEATABLE_READ) >= 0 ? Set.of(Finding.G2_ITEM) : Set.of(),
                    end,
                    committed(read(Y), write(X, 0, 11)),
                    committed(other, read(X), write(Y, 0, 21)));
        }
    }

    @Test
    void writersLockAtEveryLevel() {
        expectForbidden(
                Set.of(Finding.G0),
                Map.of(X, values(12), Y, values(21)),
                committed(Isolation.READ_UNCOMMITTED, write(X, 0, 11), write(Y, 22, 21)),
                committed(Isolation.READ_UNCOMMITTED, write(X, 11, 12), write(Y, 0, 22)));
    }

    @Test
    void noValueIsWrittenTwice() {
        assertThrows(
                IllegalArgumentException.class,
                () -> check(Map.of(), committed(write(X, 0, 11)), committed(write(Y, 0, 11))));
    }

    /** Every kind is found in one of the histories above, but only where the levels say so it is no error. */
    @Test
    void whatLevelsAdmit() {
        assertEquals(
                List.of(4, 4, 4, 3, 3, 3, 3, 2, 2, 2, 1, 1, 1),
                Stream.of(Finding.values())
                        .map(finding -> (int) Stream.of(Isolation.values())
                                .filter(level -> !finding.isAdmittedBy(level))
                                .count())
                        .toList());
    }
}
