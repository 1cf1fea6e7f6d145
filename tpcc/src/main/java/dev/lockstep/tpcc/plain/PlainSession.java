package dev.lockstep.tpcc.plain;

import static dev.lockstep.tpcc.adapter.TpccScale.districtIndex;
import static dev.lockstep.tpcc.plain.PlainDatabase.CUSTOMER_BALANCE;
import static dev.lockstep.tpcc.plain.PlainDatabase.CUSTOMER_COUNTS;
import static dev.lockstep.tpcc.plain.PlainDatabase.CUSTOMER_LONGS;
import static dev.lockstep.tpcc.plain.PlainDatabase.CUSTOMER_TERMS;
import static dev.lockstep.tpcc.plain.PlainDatabase.CUSTOMER_YTD;
import static dev.lockstep.tpcc.plain.PlainDatabase.STOCK_INTS;
import static dev.lockstep.tpcc.plain.PlainDatabase.STOCK_ORDERS;
import static dev.lockstep.tpcc.plain.PlainDatabase.STOCK_QUANTITY;
import static dev.lockstep.tpcc.plain.PlainDatabase.STOCK_REMOTES;
import static dev.lockstep.tpcc.plain.PlainDatabase.STOCK_YTD;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictByDistrictSession;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/**
 * The statements on {@link PlainDatabase}. Only New-Order ever rolls back, so only what New-Order changes is kept for
 * that: the old numbers of its stock rows, and where its inserts began.
 */
final class PlainSession extends DistrictByDistrictSession {
    private static final int NONE = -1;

    private final PlainDatabase db;
    private final TpccScale scale;
    private final int[] seen;
    private int seenMark;

    private boolean open;
    private int orderDistrict = NONE;
    private int orderCustomer = NONE;
    private int previousLastOrder;
    private int firstLine;
    private final int[] savedStock = new int[TpccScale.ORDER_LINES_MAX];
    private final int[] savedNumbers = new int[TpccScale.ORDER_LINES_MAX * STOCK_INTS];
    private int savedCount;

    PlainSession(PlainDatabase db) {
        this.db = db;
        this.scale = db.scale;
        this.seen = new int[db.scale.items() + 1];
    }

    @Override
    public void begin(TransactionType type) {
        open = true;
        orderDistrict = NONE;
        orderCustomer = NONE;
        savedCount = 0;
    }

    @Override
    public void commit() {
        open = false;
    }

    @Override
    public void rollback() {
        if (!open) {
            return;
        }
        open = false;
        int[] stocks = db.stocks;
        for (int i = 0; i < savedCount; i++) {
            System.arraycopy(savedNumbers, i * STOCK_INTS, stocks, savedStock[i] * STOCK_INTS, STOCK_INTS);
        }
        if (orderDistrict == NONE) {
            return;
        }
        int orderId = --db.nextOrderId[orderDistrict];
        if (orderCustomer != NONE) {
            db.orders[orderDistrict].truncate(orderId - 1);
            db.lines[orderDistrict].truncate(firstLine);
            db.endNewOrder[orderDistrict] = orderId;
            db.lastOrderId[orderCustomer] = previousLastOrder;
        }
    }

    @Override
    public int readWarehouseTax(int warehouseId) {
        return db.warehouseTax[warehouseId - 1];
    }

    @Override
    public void takeOrderId(int warehouseId, int districtId, DistrictRow row) {
        int district = districtIndex(warehouseId, districtId);
        row.taxTenThousandths = db.districtTax[district];
        row.nextOrderId = db.nextOrderId[district]++;
        orderDistrict = district;
    }

    @Override
    public void readCustomerForOrder(int warehouseId, int districtId, int customerId, CustomerRow row) {
        int customer = scale.customerIndex(warehouseId, districtId, customerId);
        long terms = db.customers[customer * CUSTOMER_LONGS + CUSTOMER_TERMS];
        row.discountTenThousandths = PlainDatabase.discount(terms);
        PlainDatabase.credit(terms, row.credit);
        db.customerTexts.get(customer, PlainDatabase.C_LAST, row.last);
    }

    @Override
    public void insertOrder(OrderRow row) {
        int district = districtIndex(row.warehouseId, row.districtId);
        firstLine = db.lines[district].size();
        orderCustomer = scale.customerIndex(row.warehouseId, row.districtId, row.customerId);
        previousLastOrder = db.lastOrderId[orderCustomer];
        PlainTables.putOrder(db, row);
    }

    @Override
    public void insertNewOrder(int warehouseId, int districtId, int orderId) {
        PlainTables.putNewOrder(db, districtIndex(warehouseId, districtId), orderId);
    }

    @Override
    public void readItems(int[] itemIds, int count, ItemRow[] rows) {
        for (int i = 0; i < count; i++) {
            int itemId = itemIds[i];
            ItemRow row = rows[i];
            if (itemId > db.itemPrice.length) {
                row.id = 0;
                continue;
            }
            row.id = itemId;
            row.priceCents = db.itemPrice[itemId - 1];
            db.itemTexts.get(itemId - 1, PlainDatabase.I_NAME, row.name);
            db.itemTexts.get(itemId - 1, PlainDatabase.I_DATA, row.data);
        }
    }

    @Override
    public void lockStocks(int[] warehouseIds, int[] itemIds, int count, int districtId, StockRow[] rows) {
        int[] stocks = db.stocks;
        for (int i = 0; i < count; i++) {
            int stock = db.stockIndex(warehouseIds[i], itemIds[i]);
            int at = stock * STOCK_INTS;
            StockRow row = rows[i];
            row.warehouseId = warehouseIds[i];
            row.itemId = itemIds[i];
            row.quantity = stocks[at + STOCK_QUANTITY];
            row.ytd = stocks[at + STOCK_YTD];
            row.orderCount = stocks[at + STOCK_ORDERS];
            row.remoteCount = stocks[at + STOCK_REMOTES];
            db.stockInfo(stock, districtId, row.districtInfos[districtId - 1]);
            db.stockData.get(stock, 0, row.data);
            savedStock[i] = stock;
            System.arraycopy(stocks, at, savedNumbers, i * STOCK_INTS, STOCK_INTS);
        }
        savedCount = count;
    }

    @Override
    public void updateStocks(StockRow[] rows, int count) {
        int[] stocks = db.stocks;
        for (int i = 0; i < count; i++) {
            StockRow row = rows[i];
            int at = savedStock[i] * STOCK_INTS;
            stocks[at + STOCK_QUANTITY] = row.quantity;
            stocks[at + STOCK_YTD] = row.ytd;
            stocks[at + STOCK_ORDERS] = row.orderCount;
            stocks[at + STOCK_REMOTES] = row.remoteCount;
        }
    }

    @Override
    public void insertOrderLines(OrderLineRow[] rows, int count) {
        for (int i = 0; i < count; i++) {
            PlainTables.putOrderLine(db, rows[i]);
        }
    }

    @Override
    public void payWarehouse(int warehouseId, long amountCents, WarehouseRow row) {
        int warehouse = warehouseId - 1;
        db.warehouseYtd[warehouse] += amountCents;
        PlainTables.getWarehouseTexts(db, warehouse, row);
    }

    @Override
    public void payDistrict(int warehouseId, int districtId, long amountCents, DistrictRow row) {
        int district = districtIndex(warehouseId, districtId);
        db.districtYtd[district] += amountCents;
        PlainTables.getDistrictTexts(db, district, row);
    }

    @Override
    public int findCustomer(int warehouseId, int districtId, LastName lastName) {
        return db.middleCustomer[districtIndex(warehouseId, districtId) * TpccScale.LAST_NAMES + lastName.number()];
    }

    @Override
    public void lockCustomerForPayment(int warehouseId, int districtId, int customerId, CustomerRow row) {
        PlainTables.getCustomer(db, warehouseId, districtId, customerId, row);
    }

    @Override
    public void readCustomerData(CustomerRow row) {
        int customer = scale.customerIndex(row.warehouseId, row.districtId, row.id);
        PlainTables.getCustomerData(db, customer, row);
    }

    @Override
    public void updateCustomerPayment(CustomerRow row, boolean withData) {
        int customer = scale.customerIndex(row.warehouseId, row.districtId, row.id);
        int at = customer * CUSTOMER_LONGS;
        db.customers[at + CUSTOMER_BALANCE] = row.balanceCents;
        db.customers[at + CUSTOMER_YTD] = row.ytdPaymentCents;
        db.customers[at + CUSTOMER_COUNTS] = PlainDatabase.counts(row.paymentCount, row.deliveryCount);
        if (withData) {
            PlainTables.putCustomerData(db, customer, row);
        }
    }

    @Override
    public void insertHistory(HistoryRow row) {
        PlainTables.putHistory(db, row);
    }

    @Override
    public void readCustomerForStatus(int warehouseId, int districtId, int customerId, CustomerRow row) {
        int customer = scale.customerIndex(warehouseId, districtId, customerId);
        row.balanceCents = db.customers[customer * CUSTOMER_LONGS + CUSTOMER_BALANCE];
        db.customerTexts.get(customer, PlainDatabase.C_FIRST, row.first);
        db.customerTexts.get(customer, PlainDatabase.C_MIDDLE, row.middle);
        db.customerTexts.get(customer, PlainDatabase.C_LAST, row.last);
    }

    @Override
    public boolean readLastOrder(int warehouseId, int districtId, int customerId, OrderRow row) {
        int orderId = db.lastOrderId[scale.customerIndex(warehouseId, districtId, customerId)];
        if (orderId == 0) {
            return false;
        }
        PlainTables.getOrder(db, warehouseId, districtId, orderId, row);
        return true;
    }

    @Override
    public int readOrderLines(int warehouseId, int districtId, int orderId, OrderLineRow[] rows) {
        int district = districtIndex(warehouseId, districtId);
        IntRows orders = db.orders[district];
        int[] order = orders.chunk(orderId - 1);
        int at = orders.start(orderId - 1);
        int count = OrderLayout.lineCount(order[at + OrderLayout.PACKED]);
        int first = order[at + OrderLayout.FIRST_LINE];
        for (int i = 0; i < count; i++) {
            PlainTables.getOrderLine(db, district, first + i, rows[i]);
        }
        return count;
    }

    @Override
    protected int removeOldestNewOrder(int warehouseId, int districtId) {
        int district = districtIndex(warehouseId, districtId);
        int orderId = db.firstNewOrder[district];
        if (orderId == db.endNewOrder[district]) {
            return 0;
        }
        db.firstNewOrder[district] = orderId + 1;
        return orderId;
    }

    @Override
    protected int deliverOrder(int warehouseId, int districtId, int orderId, int carrierId) {
        IntRows orders = db.orders[districtIndex(warehouseId, districtId)];
        int[] order = orders.chunk(orderId - 1);
        int at = orders.start(orderId - 1);
        int packed = order[at + OrderLayout.PACKED];
        order[at + OrderLayout.PACKED] =
                OrderLayout.pack(carrierId, OrderLayout.lineCount(packed), OrderLayout.allLocal(packed));
        return order[at + OrderLayout.CUSTOMER];
    }

    @Override
    protected long deliverOrderLines(int warehouseId, int districtId, int orderId, long deliveryMillis) {
        int district = districtIndex(warehouseId, districtId);
        IntRows orders = db.orders[district];
        IntRows lines = db.lines[district];
        int[] order = orders.chunk(orderId - 1);
        int at = orders.start(orderId - 1);
        int first = order[at + OrderLayout.FIRST_LINE];
        int end = first + OrderLayout.lineCount(order[at + OrderLayout.PACKED]);
        long cents = 0;
        for (int i = first; i < end; i++) {
            int[] line = lines.chunk(i);
            int start = lines.start(i);
            cents += line[start + OrderLineLayout.AMOUNT];
            IntRows.putLong(line, start + OrderLineLayout.DELIVERY, deliveryMillis);
        }
        return cents;
    }

    @Override
    protected void creditCustomer(int warehouseId, int districtId, int customerId, long amountCents) {
        int at = scale.customerIndex(warehouseId, districtId, customerId) * CUSTOMER_LONGS;
        db.customers[at + CUSTOMER_BALANCE] += amountCents;
        // C_DELIVERY_CNT is the lower half.
        db.customers[at + CUSTOMER_COUNTS]++;
    }

    @Override
    public int readNextOrderId(int warehouseId, int districtId) {
        return db.nextOrderId[districtIndex(warehouseId, districtId)];
    }

    @Override
    public int countLowStock(int warehouseId, int districtId, int fromOrderId, int toOrderId, int threshold) {
        int district = districtIndex(warehouseId, districtId);
        IntRows orders = db.orders[district];
        IntRows lines = db.lines[district];
        int from = Math.max(fromOrderId, 1) - 1;
        if (from >= toOrderId - 1) {
            return 0;
        }
        int first = orders.chunk(from)[orders.start(from) + OrderLayout.FIRST_LINE];
        int last = toOrderId - 2;
        int lastAt = orders.start(last);
        int[] lastOrder = orders.chunk(last);
        int end = lastOrder[lastAt + OrderLayout.FIRST_LINE]
                + OrderLayout.lineCount(lastOrder[lastAt + OrderLayout.PACKED]);
        int mark = ++seenMark;
        int firstStock = db.stockIndex(warehouseId, 1);
        int count = 0;
        for (int i = first; i < end; i++) {
            int itemId = lines.chunk(i)[lines.start(i) + OrderLineLayout.ITEM];
            if (seen[itemId] != mark) {
                seen[itemId] = mark;
                if (db.stocks[(firstStock + itemId - 1) * STOCK_INTS + STOCK_QUANTITY] < threshold) {
                    count++;
                }
            }
        }
        return count;
    }

    @Override
    public void close() {
        rollback();
    }
}
