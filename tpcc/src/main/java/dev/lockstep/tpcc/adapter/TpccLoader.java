package dev.lockstep.tpcc.adapter;

/** The loading side of an engine: inserts whole rows, in the order of each table's primary key. Used by one thread. */
public interface TpccLoader extends AutoCloseable {
    /** Inserts into WAREHOUSE. */
    void insert(WarehouseRow row);

    /** Inserts into DISTRICT. */
    void insert(DistrictRow row);

    /** Inserts into CUSTOMER. */
    void insert(CustomerRow row);

    /** Inserts into HISTORY. */
    void insert(HistoryRow row);

    /** Inserts into NEW_ORDER. */
    void insert(NewOrderRow row);

    /** Inserts into ORDERS. */
    void insert(OrderRow row);

    /** Inserts into ORDER_LINE. */
    void insert(OrderLineRow row);

    /** Inserts into ITEM. */
    void insert(ItemRow row);

    /** Inserts into STOCK. */
    void insert(StockRow row);

    /** Makes the rows inserted so far permanent. */
    void commit();

    /** Releases the loader; rows that were not committed are lost. */
    @Override
    void close();
}
