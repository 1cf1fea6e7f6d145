package dev.lockstep.tpcc.plain;

/**
 * The ints of an order line; lines of one order follow each other.
 *
 * <pre>
 *   | OL_I_ID | OL_SUPPLY_W_ID above OL_QUANTITY in byte 0 | OL_AMOUNT | OL_DELIVERY_D low, high | OL_DIST_INFO |
 * </pre>
 *
 * OL_DIST_INFO is the index of a text that the line shares with its stock row, as a reference to a string would be; or,
 * for lines that were loaded, the complement of an index into texts of their own.
 */
final class OrderLineLayout {
    static final int ITEM = 0;
    static final int SUPPLY = 1;
    static final int AMOUNT = 2;
    static final int DELIVERY = 3;
    static final int INFO = 5;
    static final int INTS = 6;

    private static final int WAREHOUSE_SHIFT = 8;
    private static final int QUANTITY_MASK = 0xff;

    static {
        assert DELIVERY + 2 == INFO && INFO + 1 == INTS;
    }

    private OrderLineLayout() {}

    static int supply(int warehouseId, int quantity) {
        return warehouseId << WAREHOUSE_SHIFT | quantity;
    }

    static int supplyWarehouseId(int supply) {
        return supply >>> WAREHOUSE_SHIFT;
    }

    static int quantity(int supply) {
        return supply & QUANTITY_MASK;
    }
}
