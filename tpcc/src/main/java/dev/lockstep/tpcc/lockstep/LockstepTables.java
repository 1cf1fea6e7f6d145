package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.Table;
import dev.lockstep.tpcc.schema.Tables;

/** Handles on the nine tables. */
record LockstepTables(
        Table warehouse,
        Table district,
        Table customer,
        Table history,
        Table newOrder,
        Table orders,
        Table orderLine,
        Table item,
        Table stock) {
    static LockstepTables of(Database database) {
        return new LockstepTables(
                database.table(Tables.WAREHOUSE.getName()),
                database.table(Tables.DISTRICT.getName()),
                database.table(Tables.CUSTOMER.getName()),
                database.table(Tables.HISTORY.getName()),
                database.table(Tables.NEW_ORDER.getName()),
                database.table(Tables.ORDERS.getName()),
                database.table(Tables.ORDER_LINE.getName()),
                database.table(Tables.ITEM.getName()),
                database.table(Tables.STOCK.getName()));
    }
}
