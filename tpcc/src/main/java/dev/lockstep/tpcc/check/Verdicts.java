package dev.lockstep.tpcc.check;

import java.util.SortedMap;
import java.util.TreeMap;

/** Collects, for each condition, the first violation and how many there are. */
final class Verdicts {
    /** What a condition that holds is reported as. */
    static final String OK = "ok";

    private final int conditions;
    private final String[] first;
    private final long[] counts;

    Verdicts(int conditions) {
        this.conditions = conditions;
        first = new String[conditions + 1];
        counts = new long[conditions + 1];
    }

    /** Notes that two sides of a condition, which should be equal, are what they are. */
    void equal(
            int condition,
            String where,
            int a,
            int b,
            int c,
            String left,
            long leftValue,
            String right,
            long rightValue) {
        if (leftValue != rightValue) {
            violation(condition, where(where, a, b, c) + " " + left + "=" + leftValue + " " + right + "=" + rightValue);
        }
    }

    void violation(int condition, String text) {
        if (counts[condition]++ == 0) {
            first[condition] = text;
        }
    }

    private static String where(String where, int a, int b, int c) {
        StringBuilder text = new StringBuilder("warehouseId=").append(a);
        if (b > 0) {
            text.append(" districtId=").append(b);
        }
        if (c > 0) {
            text.append(' ').append(where).append('=').append(c);
        }
        return text.toString();
    }

    SortedMap<Integer, String> result() {
        SortedMap<Integer, String> result = new TreeMap<>();
        for (int condition = 1; condition <= conditions; condition++) {
            String verdict = OK;
            if (counts[condition] > 0) {
                verdict = first[condition] + (counts[condition] > 1 ? " (violations=" + counts[condition] + ")" : "");
            }
            result.put(condition, verdict);
        }
        return result;
    }
}
