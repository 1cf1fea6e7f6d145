package dev.lockstep.tpcc.adapter;

/**
 * The reading side of an engine: streams whole tables, ordered by primary key. The row object that a visitor receives
 * is filled anew for each row. Nobody changes the database meanwhile. Used by one thread.
 */
public interface TpccScanner extends AutoCloseable {
    /** Receives rows. */
    @FunctionalInterface
    interface Visitor<R> {
        /** Called for each row; keeps no reference to it. */
        void visit(R row);
    }

    /** Streams WAREHOUSE. */
    void warehouses(Visitor<WarehouseRow> visitor);

    /** Streams DISTRICT. */
    void districts(Visitor<DistrictRow> visitor);

    /** Streams CUSTOMER. */
    void customers(Visitor<CustomerRow> visitor);

    /** Streams HISTORY, in any order. */
    void histories(Visitor<HistoryRow> visitor);

    /** Streams NEW_ORDER. */
    void newOrders(Visitor<NewOrderRow> visitor);

    /** Streams ORDERS. */
    void orders(Visitor<OrderRow> visitor);

    /** Streams ORDER_LINE. */
    void orderLines(Visitor<OrderLineRow> visitor);

    /** Streams ITEM. */
    void items(Visitor<ItemRow> visitor);

    /** Streams STOCK. */
    void stocks(Visitor<StockRow> visitor);

    /** Releases the scanner. */
    @Override
    void close();
}
