package dev.lockstep.tpcc.adapter;

/**
 * A connection to an engine: the statements that the five transactions are made of. A session runs one transaction at a
 * time and is used by one thread at a time; from one transaction to the next that may be another one.
 *
 * <p>A read fills the named columns of the row it is given and may leave the others as they are. {@code lock…} reads a
 * row that the same transaction is going to change; the matching {@code update…} follows before the next
 * {@code lock…} of that table, with the same row object, so that an engine may keep a handle on the record in between.
 *
 * <p>Every method may throw an exception that {@link TpccAdapter#retryReason} knows; the caller then calls
 * {@link #rollback()} and tries the whole transaction again. Any other exception means that the run has failed.
 */
public interface TpccSession extends AutoCloseable {
    /** Begins a transaction, at the isolation level that the engine was opened with for this type. */
    void begin(TransactionType type);

    /**
     * Makes the transaction's changes permanent. They may be on disk later, when the {@link CommitAnswer} says so that
     * was named last.
     */
    void commit();

    /**
     * Names who waits for the durability of the commits to come; without, each commit does.
     *
     * @param answer made by the same engine
     */
    default void answerTo(CommitAnswer answer) {}

    /** Takes the transaction's changes back. Does nothing when the engine has rolled back already. */
    void rollback();

    // New-Order, clause 2.4.2.2

    /** W_TAX in ten-thousandths. */
    int readWarehouseTax(int warehouseId);

    /** Reads D_TAX and D_NEXT_O_ID, and increments the latter in the table; the row holds the value before. */
    void takeOrderId(int warehouseId, int districtId, DistrictRow row);

    /**
     * Says what {@link #readCustomerForOrder}, {@link #readItems} and {@link #lockStocks} are going to be asked in this
     * transaction, before the first of them: a session may read and lock all of it now.
     *
     * @param itemIds of the order's lines, which ascend by supplying warehouse and item; the same line may occur again,
     *     and there need be no such item
     * @param supplyWarehouseIds of the lines
     */
    default void expectOrder(
            int warehouseId, int districtId, int customerId, int[] itemIds, int[] supplyWarehouseIds, int lineCount) {}

    /** Reads C_DISCOUNT, C_LAST and C_CREDIT. */
    void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row);

    /** Inserts into ORDERS; O_CARRIER_ID is NULL where the row says {@link OrderRow#NO_CARRIER}. */
    void insertOrder(OrderRow row);

    /** Inserts into NEW_ORDER. */
    void insertNewOrder(int warehouseId, int districtId, int orderId);

    /**
     * Reads I_ID, I_PRICE, I_NAME and I_DATA of several items; {@link ItemRow#id} is 0 for an item that does not exist.
     *
     * @param itemIds keys, in ascending order within one supplying warehouse; the same one may occur again
     * @param rows receives the rows, at the keys' indexes
     */
    void readItems(int[] itemIds, int count, ItemRow[] rows);

    /**
     * Reads S_QUANTITY, S_YTD, S_ORDER_CNT, S_REMOTE_CNT, S_DATA and S_DIST of one district, of several stock rows that
     * {@link #updateStocks} is going to change. Keys are distinct and ascend by warehouse and item, so that two orders
     * never wait for each other in a circle.
     *
     * @param districtId whose S_DIST is read, into {@link StockRow#districtInfos}
     */
    void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows);

    /** Updates S_QUANTITY, S_YTD, S_ORDER_CNT and S_REMOTE_CNT of the rows just locked. */
    void updateStocks(StockRow[] rows, int count);

    /** Inserts into ORDER_LINE the lines of one order, numbered in ascending order. */
    void insertOrderLines(OrderLineRow[] rows, int count);

    // Payment, clause 2.5.2.2

    /** Adds an amount to W_YTD and reads W_NAME and the address. */
    void payWarehouse(int warehouseId, long amountCents, WarehouseRow row);

    /** Adds an amount to D_YTD and reads D_NAME and the address. */
    void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row);

    /**
     * Finds the customer of a last name: of n rows ordered by C_FIRST the one at position n/2, rounded up.
     *
     * @return C_ID, or 0 when nobody has that name
     */
    int findCustomer(int warehouseId, int districtId, LastName lastName);

    /** Reads every column of a customer but C_DATA, to be changed by {@link #updateCustomerPayment}. */
    void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row);

    /** Reads C_DATA of the customer just locked. */
    void readCustomerData(CustomerRow row);

    /**
     * Updates C_BALANCE, C_YTD_PAYMENT and C_PAYMENT_CNT of the customer just locked.
     *
     * @param withData whether C_DATA is to be updated too
     */
    void updateCustomerPayment(CustomerRow row, boolean withData);

    /** Inserts into HISTORY. */
    void insertHistory(HistoryRow row);

    // Order-Status, clause 2.6.2.2

    /** Reads C_BALANCE, C_FIRST, C_MIDDLE and C_LAST. */
    void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row);

    /**
     * Reads O_ID, O_ENTRY_D and O_CARRIER_ID of the customer's order with the highest O_ID.
     *
     * @return whether the customer has an order
     */
    boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row);

    /**
     * Reads OL_I_ID, OL_SUPPLY_W_ID, OL_QUANTITY, OL_AMOUNT and OL_DELIVERY_D of an order's lines.
     *
     * @return the number of lines
     */
    int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows);

    // Delivery, clause 2.7.4.2

    /**
     * Deletes of each district of a warehouse the row with the lowest NO_O_ID from NEW_ORDER.
     *
     * @param districtIds receives those that had one, in ascending order
     * @param orderIds receives their NO_O_ID
     * @return how many districts had one
     */
    int removeOldestNewOrders(int warehouseId, int[] districtIds, int[] orderIds);

    /**
     * Sets O_CARRIER_ID of orders of a warehouse, one of each of some districts.
     *
     * @param districtIds in ascending order
     * @param customerIds receives their O_C_ID, at the orders' indexes
     */
    void deliverOrders(int warehouseId, int[] districtIds, int[] orderIds, int count, int carrierId, int[] customerIds);

    /**
     * Sets OL_DELIVERY_D of all lines of orders of a warehouse, one of each of some districts.
     *
     * @param districtIds in ascending order
     * @param amountsCents receives the sum of their OL_AMOUNT in cents, at the orders' indexes
     */
    void deliverOrderLines(
            int warehouseId, int[] districtIds, int[] orderIds, int count, long deliveryMillis, long[] amountsCents);

    /**
     * Adds an amount to C_BALANCE and 1 to C_DELIVERY_CNT of customers of a warehouse, one of each of some districts.
     *
     * @param districtIds in ascending order
     */
    void creditCustomers(int warehouseId, int[] districtIds, int[] customerIds, long[] amountsCents, int count);

    // Stock-Level, clause 2.8.2.2

    /** D_NEXT_O_ID. */
    int readNextOrderId(int warehouseId, int districtId);

    /**
     * Counts the distinct items among the lines of some orders of a district whose S_QUANTITY in that warehouse lies
     * below a threshold.
     *
     * @param fromOrderId first order, included
     * @param toOrderId last order, not included
     */
    int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold);

    /** Releases the session; an open transaction is rolled back. */
    @Override
    void close();
}
