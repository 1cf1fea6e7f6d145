package dev.lockstep.tpcc.ordered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.lockstep.tpcc.SmallDatabase;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.ordered.OrderedDatabase.Key3;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

class OrderedDatabaseTest {
    private static final long SEED = 3;

    /** A tree would take longer for nothing, and what is compared with this engine would look the better. */
    @Test
    void whatIsOnlyLookedUpIsHashed() {
        OrderedDatabase db = new OrderedDatabase();
        for (Map<?, ?> table :
                List.of(db.warehouses, db.districts, db.customers, db.histories, db.orders, db.items, db.stocks)) {
            assertFalse(table instanceof SortedMap, () -> "" + table.getClass());
        }
    }

    @Test
    void hashedOrdersAreReadInTheOrderOfTheirKeys() {
        try (OrderedAdapter adapter = new OrderedAdapter()) {
            SmallDatabase.load(adapter, SEED);
            List<Key3> keys = new ArrayList<>();
            try (TpccScanner scanner = adapter.openScanner()) {
                scanner.orders(row -> keys.add(new Key3(row.warehouseId, row.districtId, row.id)));
            }
            assertEquals(adapter.database().orders.keySet().stream().sorted().toList(), keys);
        }
    }
}
