package dev.lockstep.tpcc.plain;

/**
 * The ints of a history row.
 *
 * <pre>
 *   | H_ID low, high | H_C_ID | H_C_W_ID | H_W_ID | H_C_D_ID, H_D_ID, length of H_DATA in bytes 2, 1, 0
 *   | H_DATE low, high | H_AMOUNT | H_DATA in 6 ints, 4 characters each |
 * </pre>
 */
final class HistoryLayout {
    static final int ID = 0;
    static final int CUSTOMER = 2;
    static final int CUSTOMER_WAREHOUSE = 3;
    static final int WAREHOUSE = 4;
    static final int PACKED = 5;
    static final int DATE = 6;
    static final int AMOUNT = 8;
    static final int DATA = 9;
    static final int DATA_INTS = 6;
    static final int INTS = DATA + DATA_INTS;

    private static final int CUSTOMER_DISTRICT_SHIFT = 16;
    private static final int DISTRICT_SHIFT = 8;
    private static final int BYTE = 0xff;

    static {
        assert PACKED + 1 == DATE && DATE + 2 == AMOUNT && AMOUNT + 1 == DATA;
    }

    private HistoryLayout() {}

    static int pack(int customerDistrictId, int districtId, int dataLength) {
        return customerDistrictId << CUSTOMER_DISTRICT_SHIFT | districtId << DISTRICT_SHIFT | dataLength;
    }

    static int customerDistrictId(int packed) {
        return packed >>> CUSTOMER_DISTRICT_SHIFT;
    }

    static int districtId(int packed) {
        return packed >>> DISTRICT_SHIFT & BYTE;
    }

    static int dataLength(int packed) {
        return packed & BYTE;
    }
}
