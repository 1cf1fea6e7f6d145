package dev.lockstep.bench.tpcc;

import dev.lockstep.tpcc.TpccRun;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a child found in the database of another one's run.
 *
 * @param consistencyAfterLoad verdict by condition
 * @param consistency verdict by condition after the run
 * @param tallyDifferences where the database and the tally of the run disagree
 */
record ChildVerdict(
        Map<String, String> consistencyAfterLoad, Map<String, String> consistency, List<String> tallyDifferences) {
    /** Of runs whose database nobody can look at any more, since a later one has failed in it: they are not good. */
    static final ChildVerdict NONE = new ChildVerdict(
            Map.of(), Map.of(), List.of("not looked at, since another repetition has failed in the same database"));

    static ChildVerdict of(TpccRun.Judgement judgement) {
        return new ChildVerdict(
                numbered(judgement.consistencyBefore()),
                numbered(judgement.consistency()),
                judgement.tallyDifferences());
    }

    /** With keys that sort as the numbers do when read by eye; JSON has no order. */
    static Map<String, String> numbered(Map<Integer, String> verdicts) {
        Map<String, String> named = new LinkedHashMap<>();
        verdicts.forEach((number, verdict) -> named.put(String.valueOf(number), verdict));
        return named;
    }
}
