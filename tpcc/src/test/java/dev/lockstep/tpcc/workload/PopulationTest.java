package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.TableContents;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.TextPattern;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.ordered.OrderedAdapter;
import dev.lockstep.tpcc.plain.PlainAdapter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of clause 4.3.3.1, on one warehouse of the specification's size and on a small one. */
class PopulationTest {
    private static final long SEED = 29;
    private static final TpccScale SCALE = TpccScale.standard(1);

    private static TpccAdapter standard() {
        PlainAdapter adapter = new PlainAdapter(SCALE);
        try (TpccLoader loader = adapter.openLoader()) {
            new Population(SCALE, SEED, SmallDatabase.LOAD_MILLIS).parts().forEach(part -> part.load(loader, r -> {}));
        }
        adapter.loaded();
        return adapter;
    }

    @Test
    void tablesHaveTheirCardinalitiesAndValues() {
        int[] rows = new int[9];
        int[] originals = new int[2];
        int[] badCredit = new int[1];
        Map<Integer, Integer> lastNames = new HashMap<>();
        try (TpccAdapter adapter = standard();
                TpccScanner scanner = adapter.openScanner()) {
            scanner.warehouses(row -> {
                rows[0]++;
                assertEquals(30_000_000, row.ytdCents);
                assertTrue(row.taxTenThousandths <= 2_000);
                assertTrue(row.zip.toString().matches("[0-9]{4}11111"), row.zip::toString);
            });
            scanner.districts(row -> {
                rows[1]++;
                assertEquals(3_000_000, row.ytdCents);
                assertEquals(3_001, row.nextOrderId);
            });
            scanner.customers(row -> {
                rows[2]++;
                badCredit[0] += row.badCredit() ? 1 : 0;
                assertEquals("OE", row.middle.toString());
                assertEquals(-1_000, row.balanceCents);
                assertEquals(1_000, row.ytdPaymentCents);
                assertEquals(1, row.paymentCount);
                assertEquals(0, row.deliveryCount);
                assertTrue(row.discountTenThousandths <= 5_000);
                assertTrue(row.data.length() >= 300 && row.data.length() <= 500);
                int number = LastName.numberOf(row.last.toString());
                if (row.id <= 1_000) {
                    assertEquals(row.id - 1, number);
                }
                lastNames.merge(number, 1, Integer::sum);
            });
            scanner.histories(row -> {
                rows[3]++;
                assertEquals(1_000, row.amountCents);
            });
            scanner.newOrders(row -> {
                rows[4]++;
                assertTrue(row.orderId >= 2_101 && row.orderId <= 3_000);
            });
            scanner.orders(row -> {
                rows[5]++;
                assertEquals(row.id < 2_101, row.carrierId != OrderRow.NO_CARRIER);
                assertTrue(row.lineCount >= 5 && row.lineCount <= 15);
            });
            scanner.orderLines(row -> {
                rows[6]++;
                boolean delivered = row.orderId < 2_101;
                assertEquals(delivered ? SmallDatabase.LOAD_MILLIS : OrderLineRow.NOT_DELIVERED, row.deliveryMillis);
                assertEquals(delivered, row.amountCents == 0);
                assertEquals(5, row.quantity);
                assertEquals(24, row.districtInfo.length());
            });
            scanner.items(row -> {
                rows[7]++;
                assertTrue(row.priceCents >= 100 && row.priceCents <= 10_000);
                originals[0] += TextPattern.ORIGINAL.in(row.data) ? 1 : 0;
            });
            scanner.stocks(row -> {
                rows[8]++;
                assertTrue(row.quantity >= 10 && row.quantity <= 100);
                originals[1] += TextPattern.ORIGINAL.in(row.data) ? 1 : 0;
            });
        }
        assertEquals(
                List.of(1, 10, 30_000, 30_000, 9_000, 30_000),
                List.of(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]));
        assertEquals(300_000, rows[6], 3_000);
        assertEquals(100_000, rows[7]);
        assertEquals(100_000, rows[8]);
        assertEquals(10_000, originals[0], 500);
        assertEquals(10_000, originals[1], 500);
        assertEquals(3_000, badCredit[0], 300);
        assertEquals(1_000, lastNames.size());
        // 10 of each by rule, the other 20,000 by NURand: some names come up far more often than others.
        assertTrue(Collections.max(lastNames.values()) > 60, lastNames::toString);
    }

    @Test
    void everyCustomerHasOneOrderInRandomOrder() {
        try (TpccAdapter adapter = new OrderedAdapter()) {
            SmallDatabase.load(adapter, SEED);
            Map<Integer, List<Integer>> customers = new HashMap<>();
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.orders(row -> customers
                        .computeIfAbsent(row.warehouseId * 100 + row.districtId, d -> new ArrayList<>())
                        .add(row.customerId));
            }
            assertEquals(SmallDatabase.SCALE.districts(), customers.size());
            Set<List<Integer>> permutations = new HashSet<>(customers.values());
            assertEquals(customers.size(), permutations.size());
            customers.values().forEach(permutation -> {
                assertEquals(SmallDatabase.SCALE.customersPerDistrict(), new HashSet<>(permutation).size());
                assertEquals(SmallDatabase.SCALE.customersPerDistrict(), permutation.size());
            });
        }
    }

    @Test
    void sameSeedGivesSameRowsInAnyOrderOfParts() {
        try (TpccAdapter forwards = new OrderedAdapter();
                TpccAdapter backwards = new OrderedAdapter();
                TpccAdapter other = new OrderedAdapter()) {
            SmallDatabase.load(forwards, SEED);
            SmallDatabase.load(other, SEED + 1);
            List<Population.Part> parts =
                    new ArrayList<>(new Population(SmallDatabase.SCALE, SEED, SmallDatabase.LOAD_MILLIS).parts());
            Collections.reverse(parts);
            long[] committed = new long[1];
            try (TpccLoader loader = backwards.openLoader()) {
                parts.forEach(part -> part.load(loader, rows -> committed[0] += rows));
            }
            Map<String, List<String>> tables = TableContents.of(forwards);
            assertEquals(tables, TableContents.of(backwards));
            assertNotEquals(tables, TableContents.of(other));
            assertEquals(tables.values().stream().mapToInt(List::size).sum(), committed[0]);
        }
    }
}
