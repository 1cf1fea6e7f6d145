package dev.lockstep.tpcc.plain;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.Arrays;

/**
 * The nine tables as arrays.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>district, customer and stock rows lie at the dense index of their key; numbers that are used together lie
 *       together;
 *   <li>order o of a district is row o - 1 of its {@code orders}, its lines are consecutive rows of the district's
 *       {@code lines};
 *   <li>a district's NEW_ORDER rows are those from {@code firstNewOrder} to before {@code endNewOrder};
 *   <li>{@code middleCustomer} says for each district and last name which customer a selection by name finds; names
 *       never change, so it is computed once.
 * </ul>
 */
final class PlainDatabase {
    /** Fields of the texts of WAREHOUSE and DISTRICT. */
    static final int NAME = 0;

    static final int STREET_1 = 1;
    static final int STREET_2 = 2;
    static final int CITY = 3;
    static final int STATE = 4;
    static final int ZIP = 5;

    /** Fields of the texts of CUSTOMER. */
    static final int C_FIRST = 0;

    static final int C_MIDDLE = 1;
    static final int C_LAST = 2;
    static final int C_STREET_1 = 3;
    static final int C_STREET_2 = 4;
    static final int C_CITY = 5;
    static final int C_STATE = 6;
    static final int C_ZIP = 7;
    static final int C_PHONE = 8;

    /** Fields of the texts of ITEM. */
    static final int I_NAME = 0;

    static final int I_DATA = 1;

    /** Longs of a customer: balance, year-to-date payment, two counts, discount and credit. */
    static final int CUSTOMER_BALANCE = 0;

    static final int CUSTOMER_YTD = 1;
    static final int CUSTOMER_COUNTS = 2;
    static final int CUSTOMER_TERMS = 3;
    static final int CUSTOMER_LONGS = 4;

    /** Ints of a stock row. */
    static final int STOCK_QUANTITY = 0;

    static final int STOCK_YTD = 1;
    static final int STOCK_ORDERS = 2;
    static final int STOCK_REMOTES = 3;
    static final int STOCK_INTS = 4;

    /** Both values of C_CREDIT: good credit from 0, bad credit from 2. */
    static final byte[] CREDITS = {'G', 'C', 'B', 'C'};

    static final int CREDIT_CHARACTERS = 2;
    static final int INFO_CHARACTERS = OrderLineRow.DISTRICT_INFO_CHARACTERS;

    /** Some JVMs make none of the greatest length. */
    private static final int ARRAY_LENGTH_MAX = Integer.MAX_VALUE - Long.BYTES;

    final TpccScale scale;

    final int[] warehouseTax;
    final long[] warehouseYtd;
    final TextRecords warehouseTexts;

    final int[] districtTax;
    final long[] districtYtd;
    final int[] nextOrderId;
    final TextRecords districtTexts;

    final long[] customers;
    final long[] customerSince;
    final long[] customerCreditLimit;
    final int[] lastOrderId;
    final TextRecords customerTexts;
    final byte[] customerData;
    final short[] customerDataLength;
    final int[] middleCustomer;

    final int[] itemPrice;
    final int[] itemImage;
    final TextRecords itemTexts;

    final int[] stocks;
    final byte[] stockInfos;
    final TextRecords stockData;

    final IntRows[] orders;
    final IntRows[] lines;
    final int[] firstNewOrder;
    final int[] endNewOrder;
    final IntRows histories = new IntRows(HistoryLayout.INTS);

    private byte[] loadedInfos = new byte[1 << 20];
    private int loadedInfoCount;

    PlainDatabase(TpccScale scale) {
        this.scale = scale;
        int warehouses = scale.warehouses();
        int districts = scale.districts();
        int customerCount = scale.customers();
        int stockCount = arrayLength(warehouses, scale.items());
        // The longest array: refused before anything is allocated.
        arrayLength(stockCount, TpccScale.DISTRICTS * INFO_CHARACTERS);
        warehouseTax = new int[warehouses];
        warehouseYtd = new long[warehouses];
        warehouseTexts = new TextRecords(warehouses, 10, 20, 20, 20, 2, 9);
        districtTax = new int[districts];
        districtYtd = new long[districts];
        nextOrderId = new int[districts];
        districtTexts = new TextRecords(districts, 10, 20, 20, 20, 2, 9);
        customers = new long[arrayLength(customerCount, CUSTOMER_LONGS)];
        customerSince = new long[customerCount];
        customerCreditLimit = new long[customerCount];
        lastOrderId = new int[customerCount];
        customerTexts = new TextRecords(customerCount, 16, 2, 16, 20, 20, 20, 2, 9, 16);
        customerData = new byte[arrayLength(customerCount, CustomerRow.DATA_CHARACTERS)];
        customerDataLength = new short[customerCount];
        middleCustomer = new int[districts * TpccScale.LAST_NAMES];
        itemPrice = new int[scale.items()];
        itemImage = new int[scale.items()];
        itemTexts = new TextRecords(scale.items(), 24, 50);
        stocks = new int[arrayLength(stockCount, STOCK_INTS)];
        stockInfos = new byte[arrayLength(stockCount, TpccScale.DISTRICTS * INFO_CHARACTERS)];
        stockData = new TextRecords(stockCount, 50);
        orders = new IntRows[districts];
        lines = new IntRows[districts];
        for (int district = 0; district < districts; district++) {
            orders[district] = new IntRows(OrderLayout.INTS);
            lines[district] = new IntRows(OrderLineLayout.INTS);
        }
        firstNewOrder = new int[districts];
        endNewOrder = new int[districts];
    }

    /** How many warehouses of so many items fit; the texts of their stock need the longest array. */
    static int warehousesMax(int items) {
        return ARRAY_LENGTH_MAX / (items * TpccScale.DISTRICTS * INFO_CHARACTERS);
    }

    /** The length of an array for some rows; dense arrays end where an index of type int does. */
    static int arrayLength(int rows, int stride) {
        long length = (long) rows * stride;
        if (length > ARRAY_LENGTH_MAX) {
            throw new IllegalArgumentException("too many warehouses for dense arrays rows=" + rows + " stride=" + stride
                    + ": load fewer, or less of each");
        }
        return (int) length;
    }

    int stockIndex(int warehouseId, int itemId) {
        return (warehouseId - 1) * scale.items() + itemId - 1;
    }

    void stockInfo(int stockIndex, int districtId, Text text) {
        text.wrap(stockInfos, infoSlot(stockIndex, districtId) * INFO_CHARACTERS, INFO_CHARACTERS);
    }

    static int infoSlot(int stockIndex, int districtId) {
        return stockIndex * TpccScale.DISTRICTS + districtId - 1;
    }

    /** What to store for a line's OL_DIST_INFO: a reference where it shows a stock row's text, otherwise a copy. */
    int infoReference(Text text) {
        if (text.bytes() == stockInfos) {
            return text.offset() / INFO_CHARACTERS;
        }
        int start = loadedInfoCount * INFO_CHARACTERS;
        if (start + INFO_CHARACTERS > loadedInfos.length) {
            loadedInfos = Arrays.copyOf(loadedInfos, arrayLength(2, loadedInfos.length));
        }
        text.copyTo(loadedInfos, start);
        return ~loadedInfoCount++;
    }

    void info(int reference, Text text) {
        if (reference >= 0) {
            text.wrap(stockInfos, reference * INFO_CHARACTERS, INFO_CHARACTERS);
        } else {
            text.wrap(loadedInfos, ~reference * INFO_CHARACTERS, INFO_CHARACTERS);
        }
    }

    static long terms(int discountTenThousandths, boolean badCredit) {
        return (long) discountTenThousandths << 1 | (badCredit ? 1 : 0);
    }

    static int discount(long terms) {
        return (int) (terms >>> 1);
    }

    static void credit(long terms, Text text) {
        text.wrap(CREDITS, (int) (terms & 1) * CREDIT_CHARACTERS, CREDIT_CHARACTERS);
    }

    static long counts(int paymentCount, int deliveryCount) {
        return (long) paymentCount << Integer.SIZE | deliveryCount;
    }

    static int paymentCount(long counts) {
        return (int) (counts >>> Integer.SIZE);
    }

    static int deliveryCount(long counts) {
        return (int) counts;
    }
}
