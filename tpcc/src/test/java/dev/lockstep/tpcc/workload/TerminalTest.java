package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.HashSet;
import java.util.Set;
import org.HdrHistogram.AbstractHistogram;
import org.junit.jupiter.api.Test;

class TerminalTest {
    private static final long SEED = 41;
    private static final long NOW_MILLIS = 1_763_000_000_000L;
    private static final TpccScale SCALE = TpccScale.standard(3);

    private static Terminal terminal(int number, long nowMillis) {
        return new Terminal(number, SCALE, NonUniformConstants.ofRun(SEED), TransactionMix.STANDARD, SEED, nowMillis);
    }

    @Test
    void terminalsSpreadOverWarehousesAndDistricts() {
        Set<String> homes = new HashSet<>();
        TransactionInput input = new TransactionInput();
        for (int number = 0; number < 30; number++) {
            terminal(number, NOW_MILLIS).input(TransactionType.STOCK_LEVEL, NOW_MILLIS, input);
            homes.add(input.warehouseId + "/" + input.districtId);
        }
        assertEquals(30, homes.size());
    }

    @Test
    void keysOfHistoryNeverRepeat() {
        Set<Long> keys = new HashSet<>();
        TransactionInput input = new TransactionInput();
        int[] numbers = {0, 1, 2, 10_000, Terminal.TERMINALS_MAX - 1};
        for (int number : numbers) {
            for (int run = 0; run < 3; run++) {
                Terminal terminal = terminal(number, NOW_MILLIS + run * 1_000L);
                for (int i = 0; i < 100; i++) {
                    terminal.input(TransactionType.PAYMENT, NOW_MILLIS, input);
                    assertTrue(input.historyId > SCALE.customers(), "beyond the keys of the population");
                    assertTrue(keys.add(input.historyId), "terminal " + number + " key " + input.historyId);
                }
            }
        }
        assertEquals(numbers.length * 300, keys.size());
    }

    @Test
    void thinkTimesAreExponentialAndCutOff() {
        UserDelays delays = new UserDelays();
        TpccRandom random = new TpccRandom(SEED);
        double sum = 0;
        for (int i = 0; i < 100_000; i++) {
            long nanos = delays.thinkNanos(TransactionType.PAYMENT, random);
            assertTrue(nanos >= 0 && nanos <= 120_000_000_000L);
            sum += nanos;
        }
        assertEquals(12e9, sum / 100_000, 0.2e9, "mean of 12 seconds, seed " + SEED);
        assertEquals(18_000_000_000L, delays.keyingNanos(TransactionType.NEW_ORDER));
    }

    @Test
    void latenciesOfSharedAndOwnRecordersAddUp() {
        LatencyRecorder own = new LatencyRecorder(false);
        LatencyRecorder shared = new LatencyRecorder(true);
        own.record(RunControl.MEASURE, TransactionType.DELIVERY, 1_000_000);
        shared.record(RunControl.MEASURE, TransactionType.DELIVERY, 3_000_000);
        shared.record(RunControl.MEASURE, TransactionType.DELIVERY, Long.MAX_VALUE);
        own.record(RunControl.WARM_UP, TransactionType.DELIVERY, 1);
        shared.record(RunControl.STOP, TransactionType.PAYMENT, 1);
        LatencyRecorder sum = new LatencyRecorder(false);
        sum.add(own);
        sum.add(shared);
        AbstractHistogram histogram = sum.histogram(TransactionType.DELIVERY);
        assertEquals(3, histogram.getTotalCount());
        assertEquals(1e6, (double) histogram.getMinValue(), 1e4);
        assertEquals(3_600e9, (double) histogram.getMaxValue(), 3_600e7);
        assertEquals(0, sum.histogram(TransactionType.PAYMENT).getTotalCount());
        own.record(RunControl.MEASURE, TransactionType.STOCK_LEVEL, 9_000_000);
        assertEquals(5_000.0, own.summaryOfAll().mean(), 10);
        assertEquals(2, own.summaryOfAll().count());
        assertEquals(2, shared.summaryOfAll().count());
    }
}
