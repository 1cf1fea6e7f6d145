package dev.lockstep.bench.prove.isolation;

import dev.lockstep.bench.prove.isolation.History.Executed;
import dev.lockstep.bench.prove.isolation.History.Read;
import dev.lockstep.bench.prove.isolation.History.Step;
import dev.lockstep.bench.prove.isolation.History.Write;
import dev.lockstep.engine.Isolation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds in a history what isolation levels are there to prevent: builds Adya's graph of it and searches for cycles.
 *
 * <p>Nothing has to be guessed for that. A write tells which value it found, and no value is written twice; so the
 * versions of a key have one order, which must lead to what the key held at the end. Only the last write of a
 * transaction to a key makes a version, and only if the transaction committed (Adya, Weak Consistency, 1999, 4.2; for
 * lists as in Kingsbury and Alvaro, Elle, VLDB 2020). Who reads that a key is not there may mean that it is not there
 * yet or not any more: of a key that was deleted such a read says nothing.
 *
 * <p>What levels admit is found in the graph of all that is known. What they forbid is judged by transaction, since
 * each may have its own: by what it has seen itself, and by a graph that has of the dependencies those to which a level
 * obliges the transaction that reads (Adya's mixed serialization graph, 1999, 5.4). A cycle there is forbidden whatever
 * it is called, and in a history of one level the cycles there are those that the level forbids.
 *
 * <p>Checks one history; used by one thread.
 */
public final class HistoryChecker {
    /** Of a finding that no transaction has made by itself. */
    private static final int NOBODY = -1;

    private final History history;
    private final List<Executed> transactions;
    private final Map<Long, Written> writes = new HashMap<>();
    private final Map<Integer, List<Long>> versions = new HashMap<>();
    private final Map<Long, Integer> places = new HashMap<>();
    private final Set<Integer> deletedKeys = new HashSet<>();
    private final HistoryGraph graph;
    private final HistoryGraph obliged;
    private final Map<Finding, String> shown = new EnumMap<>(Finding.class);
    private final Map<Finding, String> forbidden = new EnumMap<>(Finding.class);

    /**
     * What was found, each kind with one example in words.
     *
     * @param shown all of it, admitted or not
     * @param forbidden what the levels of the transactions forbid; a part of {@code shown}
     */
    public record Verdict(Map<Finding, String> shown, Map<Finding, String> forbidden) {}

    /**
     * Who wrote a value.
     *
     * @param by the index of the transaction
     * @param last whether it is the last of its transaction for the key
     */
    private record Written(int by, Write write, boolean last) {}

    private HistoryChecker(History history) {
        this.history = history;
        transactions = history.transactions();
        graph = new HistoryGraph(transactions.size());
        obliged = new HistoryGraph(transactions.size());
    }

    /** Checks a history. */
    public static Verdict check(History history) {
        HistoryChecker checker = new HistoryChecker(history);
        checker.collectWrites();
        checker.orderVersions();
        for (int i = 0; i < checker.transactions.size(); i++) {
            if (checker.transactions.get(i).committed()) {
                checker.checkSteps(i);
                checker.addEdges(i);
            }
        }
        checker.addOverwritings();
        checker.searchCycles(checker.graph, checker.shown);
        checker.searchCycles(checker.obliged, checker.forbidden);
        return new Verdict(checker.shown, checker.forbidden);
    }

    /** Notes what a transaction has seen, or what concerns {@link #NOBODY} and is forbidden. */
    private void found(Finding finding, int transaction, String example) {
        shown.putIfAbsent(finding, example);
        if (transaction == NOBODY
                || !finding.isAdmittedBy(transactions.get(transaction).level())) {
            forbidden.putIfAbsent(finding, example);
        }
    }

    /** Whether a transaction has to have what a level and those above it promise. */
    private boolean isPromised(int transaction, Isolation level) {
        return transactions.get(transaction).level().compareTo(level) >= 0;
    }

    private String describe(int transaction) {
        Executed executed = transactions.get(transaction);
        return "T" + transaction + "[" + executed.thread() + (executed.committed() ? "" : ", rolled back") + "] "
                + executed.steps().stream().map(Step::toString).collect(Collectors.joining(" "));
    }

    private void collectWrites() {
        for (int i = 0; i < transactions.size(); i++) {
            Map<Integer, Write> lastOfKey = new HashMap<>();
            for (Step step : transactions.get(i).steps()) {
                if (step instanceof Write write) {
                    lastOfKey.put(write.key(), write);
                }
            }
            for (Step step : transactions.get(i).steps()) {
                if (step instanceof Write write) {
                    boolean last = lastOfKey.get(write.key()).written() == write.written();
                    if (writes.put(write.written(), new Written(i, write, last)) != null) {
                        throw new IllegalArgumentException("a value was written twice: value=" + write.written());
                    }
                }
            }
        }
    }

    /** Follows the writes of each key from what it found first to what it held at the end. */
    private void orderVersions() {
        Map<Integer, Map<Long, Long>> followers = new HashMap<>();
        for (Written written : writes.values()) {
            if (!transactions.get(written.by()).committed()) {
                continue;
            }
            Write write = written.write();
            long before = History.newest(write.seen());
            Long other = followers
                    .computeIfAbsent(write.key(), key -> new HashMap<>())
                    .put(before, write.written());
            if (other != null) {
                found(
                        Finding.LOST_WRITE,
                        NOBODY,
                        "both rest on " + before + ": " + describe(written.by()) + "; "
                                + describe(writes.get(other).by()));
            }
            // What nobody wrote has no source; it is found as a list or register of no order.
            Written source = before == 0 ? null : writes.get(before);
            if (source != null && !transactions.get(source.by()).committed()) {
                // Writers lock alike at every level.
                found(Finding.G1A, NOBODY, describe(written.by()) + "; " + describe(source.by()));
            }
        }
        followers.forEach(this::orderVersionsOf);
        history.end().forEach((key, values) -> {
            if (!followers.containsKey(key) && values.length > 0) {
                found(
                        Finding.G1A,
                        NOBODY,
                        "nobody who committed has written key=" + key + " end=" + Arrays.toString(values));
            }
        });
    }

    private void orderVersionsOf(int key, Map<Long, Long> followers) {
        List<Long> all = new ArrayList<>();
        List<Long> installed = new ArrayList<>();
        // Ends because every round takes one away.
        for (Long value = followers.remove(0L); value != null; value = followers.remove(value)) {
            all.add(value);
            if (writes.get(value).last()) {
                places.put(value, installed.size());
                installed.add(value);
            }
        }
        versions.put(key, installed);
        long[] end = history.end().getOrDefault(key, History.NOTHING);
        long[] expected = all.stream().mapToLong(Long::longValue).toArray();
        if (!all.isEmpty() && writes.get(all.getLast()).write().deletes()) {
            deletedKeys.add(key);
            expected = History.NOTHING;
        } else if (!History.isList(key) && expected.length > 0) {
            expected = new long[] {all.getLast()};
        }
        if (!followers.isEmpty() || !Arrays.equals(expected, end)) {
            found(
                    Finding.LOST_WRITE,
                    NOBODY,
                    "key=" + key + " writes in order=" + all + " end=" + Arrays.toString(end) + " not in the order="
                            + followers.values());
        }
    }

    /** What the steps of a committed transaction show by themselves, without cycles. */
    private void checkSteps(int transaction) {
        Map<Integer, long[]> own = new HashMap<>();
        Map<Integer, Long> versionsRead = new HashMap<>();
        Map<Integer, Boolean> inScans = new HashMap<>();
        List<Integer> writersSeen = new ArrayList<>();
        List<Integer> writersOfBatch = new ArrayList<>();
        int batch = 0;
        for (Step step : transactions.get(transaction).steps()) {
            int stepsBatch = step instanceof Read read ? read.batch() : 0;
            if (stepsBatch == 0 || stepsBatch != batch) {
                writersSeen.addAll(writersOfBatch);
                writersOfBatch.clear();
                batch = stepsBatch;
            }
            int key = step.key();
            long newest = History.newest(step.seen());
            long[] expected = own.get(key);
            if (expected != null ? !Arrays.equals(expected, step.seen()) : !isInOrder(step)) {
                found(Finding.INTERNAL, transaction, step + " in " + describe(transaction));
            }
            if (expected == null) {
                checkSource(transaction, newest);
                checkVanished(transaction, step, writersSeen);
                if (writes.containsKey(newest)) {
                    writersOfBatch.add(writes.get(newest).by());
                }
            }
            if (step instanceof Write write) {
                checkLostUpdate(transaction, write, expected == null ? versionsRead.get(key) : null);
                own.put(key, afterwards(write));
            } else if (step instanceof Read read) {
                boolean there = newest != 0;
                if (there || read.scan() == 0) {
                    versionsRead.putIfAbsent(key, newest);
                }
                Boolean before = read.scan() == 0 ? null : inScans.put(key, there);
                if (before != null && before != there && expected == null) {
                    found(Finding.PMP, transaction, step + " in " + describe(transaction));
                }
            }
        }
    }

    private static long[] afterwards(Write write) {
        if (write.deletes()) {
            return History.NOTHING;
        }
        if (!History.isList(write.key())) {
            return new long[] {write.written()};
        }
        long[] longer = Arrays.copyOf(write.seen(), write.seen().length + 1);
        longer[write.seen().length] = write.written();
        return longer;
    }

    /** Whether a list has its elements in the order of their writes. */
    private boolean isInOrder(Step step) {
        long[] seen = step.seen();
        for (int i = seen.length - 1; i >= 0; i--) {
            Written written = writes.get(seen[i]);
            boolean follows = written != null
                    && written.write().key() == step.key()
                    && (!History.isList(step.key())
                            || History.newest(written.write().seen()) == (i == 0 ? 0 : seen[i - 1]));
            if (!follows) {
                return false;
            }
        }
        return true;
    }

    private void checkSource(int transaction, long value) {
        Written source = value == 0 ? null : writes.get(value);
        if (source == null || source.by() == transaction) {
            return;
        }
        if (!transactions.get(source.by()).committed()) {
            found(Finding.G1A, transaction, describe(transaction) + "; " + describe(source.by()));
        } else if (!source.last()) {
            found(Finding.G1B, transaction, describe(transaction) + "; " + describe(source.by()));
        }
    }

    /** Whether the step misses a write of a transaction of which an earlier step has seen another. */
    private void checkVanished(int transaction, Step step, List<Integer> writersSeen) {
        if (isOfNoPlace(step)) {
            return;
        }
        int place = placeOf(History.newest(step.seen()));
        for (int writer : writersSeen) {
            if (writer == transaction || !transactions.get(writer).committed()) {
                continue;
            }
            for (Step written : transactions.get(writer).steps()) {
                if (written instanceof Write write && write.key() == step.key() && placeOf(write.written()) > place) {
                    found(Finding.OTV, transaction, step + " in " + describe(transaction) + "; " + describe(writer));
                }
            }
        }
    }

    private void checkLostUpdate(int transaction, Write write, Long versionRead) {
        if (versionRead != null && versionRead != History.newest(write.seen())) {
            found(Finding.P4, transaction, write + " in " + describe(transaction));
        }
    }

    /** Where a version stands among those of its key; -1 for nothing, and for what is no version. */
    private int placeOf(long value) {
        return places.getOrDefault(value, -1);
    }

    /** Whether a step found no key where that has two places in the order of the versions, the first and the last. */
    private boolean isOfNoPlace(Step step) {
        return step.seen().length == 0 && deletedKeys.contains(step.key());
    }

    private void add(int source, int target, int kind, boolean isObliged) {
        graph.add(source, target, kind);
        if (isObliged) {
            obliged.add(source, target, kind);
        }
    }

    /** Who comes before and after a committed transaction because of what it read. */
    private void addEdges(int transaction) {
        for (Step step : transactions.get(transaction).steps()) {
            if (!(step instanceof Read read) || isOfNoPlace(step)) {
                continue;
            }
            long value = History.newest(read.seen());
            Written source = value == 0 ? null : writes.get(value);
            if (source != null && source.by() == transaction) {
                continue;
            }
            if (source != null && transactions.get(source.by()).committed()) {
                add(source.by(), transaction, HistoryGraph.WR, isPromised(transaction, Isolation.READ_COMMITTED));
            }
            // An intermediate value belongs to no place of the order; that it was read is a finding by itself.
            List<Long> order = versions.getOrDefault(read.key(), List.of());
            int next = placeOf(value) + 1;
            if ((value == 0 || next > 0) && next < order.size()) {
                boolean ofRange = value == 0 && read.scan() != 0;
                add(
                        transaction,
                        writes.get(order.get(next)).by(),
                        ofRange ? HistoryGraph.RW_RANGE : HistoryGraph.RW,
                        isPromised(transaction, ofRange ? Isolation.SERIALIZABLE : Isolation.REPEATABLE_READ));
            }
        }
    }

    private void addOverwritings() {
        for (List<Long> order : versions.values()) {
            for (int i = 1; i < order.size(); i++) {
                int before = writes.get(order.get(i - 1)).by();
                add(before, writes.get(order.get(i)).by(), HistoryGraph.WW, true);
            }
        }
    }

    private void searchCycles(HistoryGraph searched, Map<Finding, String> into) {
        int dependencies = HistoryGraph.WW | HistoryGraph.WR;
        searchCycle(searched, into, Finding.G0, HistoryGraph.WW, HistoryGraph.WW);
        searchCycle(searched, into, Finding.G1C, HistoryGraph.WR, dependencies);
        searchCycle(searched, into, Finding.G_SINGLE, HistoryGraph.RW, dependencies);
        searchCycle(searched, into, Finding.G_SINGLE_OF_RANGES, HistoryGraph.RW_RANGE, dependencies);
        searchCycle(searched, into, Finding.G2_ITEM, HistoryGraph.RW, dependencies | HistoryGraph.RW);
        searchCycle(searched, into, Finding.G2, HistoryGraph.RW_RANGE, HistoryGraph.ALL);
    }

    private void searchCycle(HistoryGraph searched, Map<Finding, String> into, Finding finding, int first, int others) {
        List<HistoryGraph.Edge> cycle = searched.findCycle(first, others);
        if (!cycle.isEmpty()) {
            into.putIfAbsent(
                    finding,
                    cycle.stream()
                            .map(edge -> describe(edge.source()) + " --" + edge.kindName() + "--> ")
                            .collect(Collectors.joining(
                                    "", "", "T" + cycle.getFirst().source())));
        }
    }
}
