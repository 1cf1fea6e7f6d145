package dev.lockstep.tpcc.ordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.check.ConsistencyCheck;
import dev.lockstep.tpcc.check.TallyCheck;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key2;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key3;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key4;
import dev.lockstep.tpcc.workload.Tally;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each of the twelve conditions holds after loading, and fails when its rows are changed by hand. */
class ConsistencyConditionsTest {
    private static final long SEED = 3;
    private static final int ORDERS = SmallDatabase.SCALE.customersPerDistrict();
    private static final int DELIVERED = SmallDatabase.SCALE.deliveredPerDistrict();
    private static final Key2 DISTRICT = new Key2(1, 2);

    private final OrderedAdapter adapter = new OrderedAdapter();

    ConsistencyConditionsTest() {
        SmallDatabase.load(adapter, SEED);
    }

    private ConsistencyCheck.Report check() {
        try (TpccScanner scanner = adapter.openScanner()) {
            return ConsistencyCheck.afterLoad(SmallDatabase.SCALE, scanner);
        }
    }

    private Set<Integer> violated() {
        Set<Integer> violated = new TreeSet<>();
        check().conditions().forEach((condition, verdict) -> {
            if (!verdict.equals(ConsistencyCheck.OK)) {
                violated.add(condition);
            }
        });
        return violated;
    }

    @Test
    void allHoldAfterLoading() {
        ConsistencyCheck.Report report = check();
        assertEquals(ConsistencyCheck.CONDITIONS, report.conditions().size());
        assertTrue(report.ok(), () -> report.conditions() + " seed=" + SEED);
    }

    static Stream<Arguments> violations() {
        return Stream.of(
                violation("a warehouse's year-to-date total", db -> db.warehouses.get(1).ytdCents++, 1, 8),
                violation("a district's year-to-date total", db -> db.districts.get(DISTRICT).ytdCents++, 1, 9),
                violation("a district's next order number", db -> db.districts.get(DISTRICT).nextOrderId++, 2),
                violation(
                        "a NEW_ORDER row in the middle is missing",
                        db -> db.newOrders.remove(new Key3(1, 2, ORDERS - 1)),
                        3,
                        5,
                        11),
                violation(
                        "the newest NEW_ORDER row is missing",
                        db -> db.newOrders.remove(new Key3(1, 2, ORDERS)),
                        2,
                        5,
                        11),
                violation(
                        "an undelivered order line is missing",
                        db -> db.orderLines.remove(new Key4(1, 2, ORDERS, 1)),
                        4,
                        6),
                violation(
                        "an undelivered order has a carrier",
                        db -> db.orders.get(new Key3(1, 2, ORDERS)).carrierId = 1,
                        5,
                        7),
                violation(
                        "a line moves from one order to another",
                        db -> {
                            OrderLineRow row = new OrderLineRow();
                            db.orderLines.remove(new Key4(1, 2, ORDERS, 5)).to(row);
                            row.orderId = ORDERS - 1;
                            row.number = 16;
                            db.orderLines.put(new Key4(1, 2, ORDERS - 1, 16), new Rows.OrderLine(row));
                        },
                        6),
                violation(
                        "a delivered line has no date",
                        db -> db.orderLines.get(new Key4(1, 2, 1, 1)).deliveryMillis = OrderLineRow.NOT_DELIVERED,
                        7),
                violation("a HISTORY row is missing", db -> db.histories.remove(31L), 8, 9, 10),
                violation("a customer's balance", db -> db.customers.get(new Key3(1, 2, 3)).balanceCents++, 10, 12),
                violation(
                        "a customer's year-to-date payment",
                        db -> db.customers.get(new Key3(1, 2, 3)).ytdPaymentCents++,
                        12),
                violation("a whole order disappears", ConsistencyConditionsTest::removeOldestOrder, 11));
    }

    private static Arguments violation(String what, Consumer<OrderedDatabase> change, Integer... conditions) {
        return Arguments.of(what, change, new TreeSet<>(List.of(conditions)));
    }

    /** Removes a delivered order and its lines, which sum to nothing when they are loaded. */
    private static void removeOldestOrder(OrderedDatabase db) {
        Rows.Order order = db.orders.remove(new Key3(1, 2, 1));
        for (int number = 1; number <= order.lineCount; number++) {
            db.orderLines.remove(new Key4(1, 2, 1, number));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void changedRowsViolate(String what, Consumer<OrderedDatabase> change, Set<Integer> conditions) {
        change.accept(adapter.database());
        assertEquals(conditions, violated(), () -> what + " seed=" + SEED);
    }

    @Test
    void everyConditionHasAViolationOfItsOwn() {
        Set<Integer> covered = new TreeSet<>();
        violations().forEach(arguments -> {
            Object[] values = arguments.get();
            ((Set<?>) values[2]).forEach(condition -> covered.add((Integer) condition));
        });
        assertEquals(ConsistencyCheck.CONDITIONS, covered.size(), covered::toString);
    }

    @Test
    void drainedDistrictHasNothingToCompare() {
        OrderedDatabase db = adapter.database();
        for (int orderId = DELIVERED + 1; orderId <= ORDERS; orderId++) {
            db.newOrders.remove(new Key3(1, 2, orderId));
        }
        assertEquals(Set.of(5, 11), violated(), "2 and 3 look at districts that have NEW_ORDER rows");
    }

    @Test
    void verdictNamesPlaceAndBothSides() {
        adapter.database().districts.get(DISTRICT).ytdCents += 5;
        long ytd = adapter.database().districts.get(DISTRICT).ytdCents;
        assertEquals(
                "warehouseId=1 districtId=2 D_YTD=" + ytd + " sum(H_AMOUNT)=" + (ytd - 5),
                check().conditions().get(9));
    }

    @Test
    void orphanedNewOrderAndLineAreFound() {
        try (TpccLoader loader = adapter.openLoader()) {
            NewOrderRow newOrder = new NewOrderRow();
            newOrder.warehouseId = 1;
            newOrder.districtId = 2;
            newOrder.orderId = ORDERS + 1;
            loader.insert(newOrder);
            OrderLineRow line = new OrderLineRow();
            line.warehouseId = 1;
            line.districtId = 2;
            line.orderId = ORDERS + 2;
            line.number = 1;
            line.deliveryMillis = OrderLineRow.NOT_DELIVERED;
            loader.insert(line);
        }
        assertEquals(Set.of(2, 4, 5, 6, 11), violated());
    }

    @Test
    void tallyFindsWhatTheDriverDidNotCount() {
        ConsistencyCheck.Report before = check();
        OrderedDatabase db = adapter.database();
        db.stocks.get(new Key2(2, 7)).ytd += 3;
        db.districts.get(DISTRICT).nextOrderId++;
        OrderRow order = new OrderRow();
        db.orders.get(new Key3(1, 2, ORDERS)).to(order);
        order.id = ORDERS + 1;
        db.orders.put(new Key3(1, 2, ORDERS + 1), new Rows.Order(order));
        Tally nothing = new Tally(1, SmallDatabase.SCALE.warehouses());
        assertEquals(
                List.of(
                        "orderNumbers warehouseId=1 districtId=2 database=1 driver=0",
                        "orders warehouseId=1 districtId=2 database=1 driver=0",
                        "stockYtd database=3 driver=0"),
                TallyCheck.differences(before.totals(), check().totals(), nothing));
        assertEquals(List.of(), TallyCheck.differences(before.totals(), before.totals(), nothing));
    }
}
