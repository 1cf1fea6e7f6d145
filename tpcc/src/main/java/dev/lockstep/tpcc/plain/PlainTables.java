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
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Moves whole rows between row objects and the arrays. */
final class PlainTables {
    private static final int BYTES_PER_INT = Integer.BYTES;

    private PlainTables() {}

    static void putWarehouse(PlainDatabase db, WarehouseRow row) {
        int warehouse = row.id - 1;
        db.warehouseTax[warehouse] = row.taxTenThousandths;
        db.warehouseYtd[warehouse] = row.ytdCents;
        TextRecords texts = db.warehouseTexts;
        texts.set(warehouse, PlainDatabase.NAME, row.name);
        texts.set(warehouse, PlainDatabase.STREET_1, row.street1);
        texts.set(warehouse, PlainDatabase.STREET_2, row.street2);
        texts.set(warehouse, PlainDatabase.CITY, row.city);
        texts.set(warehouse, PlainDatabase.STATE, row.state);
        texts.set(warehouse, PlainDatabase.ZIP, row.zip);
    }

    static void getWarehouse(PlainDatabase db, int warehouse, WarehouseRow row) {
        row.id = warehouse + 1;
        row.taxTenThousandths = db.warehouseTax[warehouse];
        row.ytdCents = db.warehouseYtd[warehouse];
        getWarehouseTexts(db, warehouse, row);
    }

    static void getWarehouseTexts(PlainDatabase db, int warehouse, WarehouseRow row) {
        TextRecords texts = db.warehouseTexts;
        texts.get(warehouse, PlainDatabase.NAME, row.name);
        texts.get(warehouse, PlainDatabase.STREET_1, row.street1);
        texts.get(warehouse, PlainDatabase.STREET_2, row.street2);
        texts.get(warehouse, PlainDatabase.CITY, row.city);
        texts.get(warehouse, PlainDatabase.STATE, row.state);
        texts.get(warehouse, PlainDatabase.ZIP, row.zip);
    }

    static void putDistrict(PlainDatabase db, DistrictRow row) {
        int district = districtIndex(row.warehouseId, row.id);
        db.districtTax[district] = row.taxTenThousandths;
        db.districtYtd[district] = row.ytdCents;
        db.nextOrderId[district] = row.nextOrderId;
        TextRecords texts = db.districtTexts;
        texts.set(district, PlainDatabase.NAME, row.name);
        texts.set(district, PlainDatabase.STREET_1, row.street1);
        texts.set(district, PlainDatabase.STREET_2, row.street2);
        texts.set(district, PlainDatabase.CITY, row.city);
        texts.set(district, PlainDatabase.STATE, row.state);
        texts.set(district, PlainDatabase.ZIP, row.zip);
    }

    static void getDistrict(PlainDatabase db, int district, DistrictRow row) {
        row.warehouseId = district / TpccScale.DISTRICTS + 1;
        row.id = district % TpccScale.DISTRICTS + 1;
        row.taxTenThousandths = db.districtTax[district];
        row.ytdCents = db.districtYtd[district];
        row.nextOrderId = db.nextOrderId[district];
        getDistrictTexts(db, district, row);
    }

    static void getDistrictTexts(PlainDatabase db, int district, DistrictRow row) {
        TextRecords texts = db.districtTexts;
        texts.get(district, PlainDatabase.NAME, row.name);
        texts.get(district, PlainDatabase.STREET_1, row.street1);
        texts.get(district, PlainDatabase.STREET_2, row.street2);
        texts.get(district, PlainDatabase.CITY, row.city);
        texts.get(district, PlainDatabase.STATE, row.state);
        texts.get(district, PlainDatabase.ZIP, row.zip);
    }

    static void putCustomer(PlainDatabase db, CustomerRow row) {
        int customer = db.scale.customerIndex(row.warehouseId, row.districtId, row.id);
        int at = customer * CUSTOMER_LONGS;
        db.customers[at + CUSTOMER_BALANCE] = row.balanceCents;
        db.customers[at + CUSTOMER_YTD] = row.ytdPaymentCents;
        db.customers[at + CUSTOMER_COUNTS] = PlainDatabase.counts(row.paymentCount, row.deliveryCount);
        db.customers[at + CUSTOMER_TERMS] = PlainDatabase.terms(row.discountTenThousandths, row.badCredit());
        db.customerSince[customer] = row.sinceMillis;
        db.customerCreditLimit[customer] = row.creditLimitCents;
        TextRecords texts = db.customerTexts;
        texts.set(customer, PlainDatabase.C_FIRST, row.first);
        texts.set(customer, PlainDatabase.C_MIDDLE, row.middle);
        texts.set(customer, PlainDatabase.C_LAST, row.last);
        texts.set(customer, PlainDatabase.C_STREET_1, row.street1);
        texts.set(customer, PlainDatabase.C_STREET_2, row.street2);
        texts.set(customer, PlainDatabase.C_CITY, row.city);
        texts.set(customer, PlainDatabase.C_STATE, row.state);
        texts.set(customer, PlainDatabase.C_ZIP, row.zip);
        texts.set(customer, PlainDatabase.C_PHONE, row.phone);
        putCustomerData(db, customer, row);
    }

    /** Everything but C_DATA. */
    static void getCustomer(PlainDatabase db, int warehouseId, int districtId, int customerId, CustomerRow row) {
        int customer = db.scale.customerIndex(warehouseId, districtId, customerId);
        int at = customer * CUSTOMER_LONGS;
        row.warehouseId = warehouseId;
        row.districtId = districtId;
        row.id = customerId;
        row.balanceCents = db.customers[at + CUSTOMER_BALANCE];
        row.ytdPaymentCents = db.customers[at + CUSTOMER_YTD];
        long counts = db.customers[at + CUSTOMER_COUNTS];
        row.paymentCount = PlainDatabase.paymentCount(counts);
        row.deliveryCount = PlainDatabase.deliveryCount(counts);
        long terms = db.customers[at + CUSTOMER_TERMS];
        row.discountTenThousandths = PlainDatabase.discount(terms);
        PlainDatabase.credit(terms, row.credit);
        row.sinceMillis = db.customerSince[customer];
        row.creditLimitCents = db.customerCreditLimit[customer];
        TextRecords texts = db.customerTexts;
        texts.get(customer, PlainDatabase.C_FIRST, row.first);
        texts.get(customer, PlainDatabase.C_MIDDLE, row.middle);
        texts.get(customer, PlainDatabase.C_LAST, row.last);
        texts.get(customer, PlainDatabase.C_STREET_1, row.street1);
        texts.get(customer, PlainDatabase.C_STREET_2, row.street2);
        texts.get(customer, PlainDatabase.C_CITY, row.city);
        texts.get(customer, PlainDatabase.C_STATE, row.state);
        texts.get(customer, PlainDatabase.C_ZIP, row.zip);
        texts.get(customer, PlainDatabase.C_PHONE, row.phone);
    }

    static void getCustomerData(PlainDatabase db, int customer, CustomerRow row) {
        row.data.wrap(db.customerData, customer * CustomerRow.DATA_CHARACTERS, db.customerDataLength[customer]);
    }

    static void putCustomerData(PlainDatabase db, int customer, CustomerRow row) {
        db.customerDataLength[customer] = (short) row.data.length();
        row.data.copyTo(db.customerData, customer * CustomerRow.DATA_CHARACTERS);
    }

    static void putHistory(PlainDatabase db, HistoryRow row) {
        IntRows histories = db.histories;
        int index = histories.add();
        int[] chunk = histories.chunk(index);
        int at = histories.start(index);
        IntRows.putLong(chunk, at + HistoryLayout.ID, row.id);
        chunk[at + HistoryLayout.CUSTOMER] = row.customerId;
        chunk[at + HistoryLayout.CUSTOMER_WAREHOUSE] = row.customerWarehouseId;
        chunk[at + HistoryLayout.WAREHOUSE] = row.warehouseId;
        int length = row.data.length();
        chunk[at + HistoryLayout.PACKED] = HistoryLayout.pack(row.customerDistrictId, row.districtId, length);
        IntRows.putLong(chunk, at + HistoryLayout.DATE, row.dateMillis);
        chunk[at + HistoryLayout.AMOUNT] = (int) row.amountCents;
        byte[] bytes = row.data.bytes();
        int offset = row.data.offset();
        int packed = 0;
        for (int i = 0; i < length; i++) {
            packed |= (bytes[offset + i] & 0xff) << (i % BYTES_PER_INT * Byte.SIZE);
            if (i % BYTES_PER_INT == BYTES_PER_INT - 1 || i == length - 1) {
                chunk[at + HistoryLayout.DATA + i / BYTES_PER_INT] = packed;
                packed = 0;
            }
        }
    }

    static void getHistory(PlainDatabase db, int index, HistoryRow row) {
        int[] chunk = db.histories.chunk(index);
        int at = db.histories.start(index);
        row.id = IntRows.getLong(chunk, at + HistoryLayout.ID);
        row.customerId = chunk[at + HistoryLayout.CUSTOMER];
        row.customerWarehouseId = chunk[at + HistoryLayout.CUSTOMER_WAREHOUSE];
        row.warehouseId = chunk[at + HistoryLayout.WAREHOUSE];
        int packed = chunk[at + HistoryLayout.PACKED];
        row.customerDistrictId = HistoryLayout.customerDistrictId(packed);
        row.districtId = HistoryLayout.districtId(packed);
        row.dateMillis = IntRows.getLong(chunk, at + HistoryLayout.DATE);
        row.amountCents = chunk[at + HistoryLayout.AMOUNT];
        int length = HistoryLayout.dataLength(packed);
        byte[] bytes = row.data.own(length);
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (chunk[at + HistoryLayout.DATA + i / BYTES_PER_INT] >> (i % BYTES_PER_INT * Byte.SIZE));
        }
    }

    static void putOrder(PlainDatabase db, OrderRow row) {
        int district = districtIndex(row.warehouseId, row.districtId);
        IntRows orders = db.orders[district];
        int index = orders.add();
        if (index != row.id - 1) {
            throw new IllegalStateException("orders must be inserted in order warehouseId=" + row.warehouseId
                    + " districtId=" + row.districtId + " orderId=" + row.id + " expected=" + (index + 1));
        }
        int[] chunk = orders.chunk(index);
        int at = orders.start(index);
        chunk[at + OrderLayout.CUSTOMER] = row.customerId;
        IntRows.putLong(chunk, at + OrderLayout.ENTRY, row.entryMillis);
        chunk[at + OrderLayout.PACKED] = OrderLayout.pack(row.carrierId, row.lineCount, row.allLocal);
        chunk[at + OrderLayout.FIRST_LINE] = db.lines[district].size();
        db.lastOrderId[db.scale.customerIndex(row.warehouseId, row.districtId, row.customerId)] = row.id;
    }

    static void getOrder(PlainDatabase db, int warehouseId, int districtId, int orderId, OrderRow row) {
        IntRows orders = db.orders[districtIndex(warehouseId, districtId)];
        int[] chunk = orders.chunk(orderId - 1);
        int at = orders.start(orderId - 1);
        row.warehouseId = warehouseId;
        row.districtId = districtId;
        row.id = orderId;
        row.customerId = chunk[at + OrderLayout.CUSTOMER];
        row.entryMillis = IntRows.getLong(chunk, at + OrderLayout.ENTRY);
        int packed = chunk[at + OrderLayout.PACKED];
        row.carrierId = OrderLayout.carrierId(packed);
        row.lineCount = OrderLayout.lineCount(packed);
        row.allLocal = OrderLayout.allLocal(packed);
    }

    static void putNewOrder(PlainDatabase db, int district, int orderId) {
        if (db.firstNewOrder[district] == db.endNewOrder[district]) {
            db.firstNewOrder[district] = orderId;
        }
        db.endNewOrder[district] = orderId + 1;
    }

    static void putOrderLine(PlainDatabase db, OrderLineRow row) {
        IntRows lines = db.lines[districtIndex(row.warehouseId, row.districtId)];
        int index = lines.add();
        int[] chunk = lines.chunk(index);
        int at = lines.start(index);
        chunk[at + OrderLineLayout.ITEM] = row.itemId;
        chunk[at + OrderLineLayout.SUPPLY] = OrderLineLayout.supply(row.supplyWarehouseId, row.quantity);
        chunk[at + OrderLineLayout.AMOUNT] = row.amountCents;
        IntRows.putLong(chunk, at + OrderLineLayout.DELIVERY, row.deliveryMillis);
        chunk[at + OrderLineLayout.INFO] = db.infoReference(row.districtInfo);
    }

    /** The columns that Order-Status reads. */
    static void getOrderLine(PlainDatabase db, int district, int index, OrderLineRow row) {
        IntRows lines = db.lines[district];
        int[] chunk = lines.chunk(index);
        int at = lines.start(index);
        row.itemId = chunk[at + OrderLineLayout.ITEM];
        int supply = chunk[at + OrderLineLayout.SUPPLY];
        row.supplyWarehouseId = OrderLineLayout.supplyWarehouseId(supply);
        row.quantity = OrderLineLayout.quantity(supply);
        row.amountCents = chunk[at + OrderLineLayout.AMOUNT];
        row.deliveryMillis = IntRows.getLong(chunk, at + OrderLineLayout.DELIVERY);
    }

    static void getOrderLineInfo(PlainDatabase db, int district, int index, OrderLineRow row) {
        IntRows lines = db.lines[district];
        db.info(lines.chunk(index)[lines.start(index) + OrderLineLayout.INFO], row.districtInfo);
    }

    static void putItem(PlainDatabase db, ItemRow row) {
        int item = row.id - 1;
        db.itemPrice[item] = row.priceCents;
        db.itemImage[item] = row.imageId;
        db.itemTexts.set(item, PlainDatabase.I_NAME, row.name);
        db.itemTexts.set(item, PlainDatabase.I_DATA, row.data);
    }

    static void getItem(PlainDatabase db, int item, ItemRow row) {
        row.id = item + 1;
        row.priceCents = db.itemPrice[item];
        row.imageId = db.itemImage[item];
        db.itemTexts.get(item, PlainDatabase.I_NAME, row.name);
        db.itemTexts.get(item, PlainDatabase.I_DATA, row.data);
    }

    static void putStock(PlainDatabase db, StockRow row) {
        int stock = db.stockIndex(row.warehouseId, row.itemId);
        int at = stock * STOCK_INTS;
        db.stocks[at + STOCK_QUANTITY] = row.quantity;
        db.stocks[at + STOCK_YTD] = row.ytd;
        db.stocks[at + STOCK_ORDERS] = row.orderCount;
        db.stocks[at + STOCK_REMOTES] = row.remoteCount;
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            row.districtInfos[districtId - 1].copyTo(
                    db.stockInfos, PlainDatabase.infoSlot(stock, districtId) * PlainDatabase.INFO_CHARACTERS);
        }
        db.stockData.set(stock, 0, row.data);
    }

    static void getStock(PlainDatabase db, int warehouseId, int itemId, StockRow row) {
        int stock = db.stockIndex(warehouseId, itemId);
        int at = stock * STOCK_INTS;
        row.warehouseId = warehouseId;
        row.itemId = itemId;
        row.quantity = db.stocks[at + STOCK_QUANTITY];
        row.ytd = db.stocks[at + STOCK_YTD];
        row.orderCount = db.stocks[at + STOCK_ORDERS];
        row.remoteCount = db.stocks[at + STOCK_REMOTES];
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            db.stockInfo(stock, districtId, row.districtInfos[districtId - 1]);
        }
        db.stockData.get(stock, 0, row.data);
    }
}
