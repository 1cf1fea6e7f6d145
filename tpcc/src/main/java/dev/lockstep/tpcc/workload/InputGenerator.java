package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;

/**
 * Makes the inputs of one terminal (clauses 2.4.1, 2.5.1, 2.6.1, 2.7.1 and 2.8.1). Allocates nothing. Not thread-safe.
 */
public final class InputGenerator {
    private static final int ROLLBACK_PERCENT = 1;
    private static final int REMOTE_LINE_PERCENT = 1;
    private static final int REMOTE_PAYMENT_PERCENT = 15;
    private static final int BY_NAME_PERCENT = 60;
    private static final int QUANTITY_MAX = 10;
    private static final int CARRIERS = 10;
    private static final int THRESHOLD_MIN = 10;
    private static final int THRESHOLD_MAX = 20;
    private static final int PAYMENT_MIN_CENTS = 100;
    private static final int PAYMENT_MAX_CENTS = 500_000;

    private final TpccScale scale;
    private final NonUniformConstants constants;
    private final TpccRandom random;
    private final int warehouseId;
    private final int stockLevelDistrictId;
    private long nextHistoryId;

    /**
     * @param constants of the run
     * @param seed of this terminal
     * @param warehouseId its home warehouse
     * @param districtId its district for Stock-Level (clause 2.8.1.1)
     * @param firstHistoryId the first of a range of keys for HISTORY that no other terminal uses
     */
    public InputGenerator(
            TpccScale scale,
            NonUniformConstants constants,
            long seed,
            int warehouseId,
            int districtId,
            long firstHistoryId) {
        this.scale = scale;
        this.constants = constants;
        this.random = new TpccRandom(seed);
        this.warehouseId = warehouseId;
        this.stockLevelDistrictId = districtId;
        this.nextHistoryId = firstHistoryId;
    }

    /** The generator's source of random numbers, for what else is random about the terminal. */
    public TpccRandom random() {
        return random;
    }

    /** Fills in the input of one transaction. */
    public void next(TransactionType type, long nowMillis, TransactionInput input) {
        input.type = type;
        input.warehouseId = warehouseId;
        input.districtId = random.between(1, TpccScale.DISTRICTS);
        input.nowMillis = nowMillis;
        switch (type) {
            case NEW_ORDER -> newOrder(input);
            case PAYMENT -> payment(input);
            case ORDER_STATUS -> {
                home(input);
                customerByNameOrId(input);
            }
            case DELIVERY -> input.carrierId = random.between(1, CARRIERS);
            case STOCK_LEVEL -> {
                input.districtId = stockLevelDistrictId;
                input.threshold = random.between(THRESHOLD_MIN, THRESHOLD_MAX);
            }
        }
    }

    private void newOrder(TransactionInput input) {
        home(input);
        input.customerId = customerId();
        int count = random.between(TpccScale.ORDER_LINES_MIN, TpccScale.ORDER_LINES_MAX);
        input.lineCount = count;
        input.allLocal = 1;
        boolean rollback = random.percent(ROLLBACK_PERCENT);
        for (int line = 0; line < count; line++) {
            int itemId = rollback && line == count - 1
                    ? scale.items() + 1
                    : random.nonUniform(NonUniformConstants.ITEM_A, constants.item(), 1, scale.items());
            int supplier = warehouseId;
            if (scale.warehouses() > 1 && random.percent(REMOTE_LINE_PERCENT)) {
                supplier = otherWarehouse();
                input.allLocal = 0;
            }
            insertSorted(input, line, supplier, itemId, random.between(1, QUANTITY_MAX));
        }
    }

    private static void insertSorted(TransactionInput input, int used, int supplier, int itemId, int quantity) {
        int[] suppliers = input.supplyWarehouseIds;
        int[] items = input.itemIds;
        int[] quantities = input.quantities;
        int at = used;
        while (at > 0 && (suppliers[at - 1] > supplier || (suppliers[at - 1] == supplier && items[at - 1] > itemId))) {
            suppliers[at] = suppliers[at - 1];
            items[at] = items[at - 1];
            quantities[at] = quantities[at - 1];
            at--;
        }
        suppliers[at] = supplier;
        items[at] = itemId;
        quantities[at] = quantity;
    }

    private void payment(TransactionInput input) {
        home(input);
        if (scale.warehouses() > 1 && random.percent(REMOTE_PAYMENT_PERCENT)) {
            input.customerWarehouseId = otherWarehouse();
            input.customerDistrictId = random.between(1, TpccScale.DISTRICTS);
        }
        customerByNameOrId(input);
        input.amountCents = random.between(PAYMENT_MIN_CENTS, PAYMENT_MAX_CENTS);
        input.historyId = nextHistoryId++;
    }

    private static void home(TransactionInput input) {
        input.customerWarehouseId = input.warehouseId;
        input.customerDistrictId = input.districtId;
    }

    private void customerByNameOrId(TransactionInput input) {
        if (random.percent(BY_NAME_PERCENT)) {
            input.customerId = 0;
            input.lastName = LastName.of(
                    random.nonUniform(NonUniformConstants.LAST_NAME_A, constants.lastName(), 0, scale.lastNames() - 1));
        } else {
            input.customerId = customerId();
        }
    }

    private int customerId() {
        return random.nonUniform(NonUniformConstants.CUSTOMER_A, constants.customer(), 1, scale.customersPerDistrict());
    }

    private int otherWarehouse() {
        int other = random.between(1, scale.warehouses() - 1);
        return other < warehouseId ? other : other + 1;
    }
}
