package dev.lockstep.tpcc.plain;

/**
 * The ints of an order of a district; O_ID is its index plus one.
 *
 * <pre>
 *   | O_C_ID | O_ENTRY_D low, high | O_CARRIER_ID, O_OL_CNT, O_ALL_LOCAL in bytes 2, 1, 0 | first line |
 * </pre>
 */
final class OrderLayout {
    static final int CUSTOMER = 0;
    static final int ENTRY = 1;
    static final int PACKED = 3;
    static final int FIRST_LINE = 4;
    static final int INTS = 5;

    private static final int CARRIER_SHIFT = 16;
    private static final int COUNT_SHIFT = 8;
    private static final int BYTE = 0xff;

    static {
        assert ENTRY + 2 == PACKED && FIRST_LINE + 1 == INTS;
    }

    private OrderLayout() {}

    static int pack(int carrierId, int lineCount, int allLocal) {
        return carrierId << CARRIER_SHIFT | lineCount << COUNT_SHIFT | allLocal;
    }

    static int carrierId(int packed) {
        return packed >>> CARRIER_SHIFT;
    }

    static int lineCount(int packed) {
        return packed >>> COUNT_SHIFT & BYTE;
    }

    static int allLocal(int packed) {
        return packed & BYTE;
    }
}
