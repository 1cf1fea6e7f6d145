package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.Record;
import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Moves rows between the workload's form and the engine's records, column by column and without allocation. */
final class RowMapping {
    private static final long MICROS_PER_MILLI = 1_000;

    private RowMapping() {}

    /** Copies a text column. */
    static void read(Record record, int column, Text into) {
        into.own(Math.max(0, record.getUtf8(column, into.own(), 0)));
    }

    /** Shows a text column where it lies, until the record is loaded or changed. */
    static void show(Record record, int column, Text into) {
        long range = record.utf8Range(column);
        if (range < 0) {
            into.clear();
        } else {
            into.wrap(record.valueBytes(), (int) (range >>> Integer.SIZE), (int) range);
        }
    }

    /** Sets a text column. */
    static void write(Record record, int column, Text from) {
        record.setUtf8(column, from.bytes(), from.offset(), from.length());
    }

    /** Reads a time in milliseconds since the epoch. */
    static long readMillis(Record record, int column) {
        return Math.floorDiv(record.getTimestampMicros(column), MICROS_PER_MILLI);
    }

    /** Sets a time in milliseconds since the epoch. */
    static void writeMillis(Record record, int column, long millis) {
        record.setTimestampMicros(column, millis * MICROS_PER_MILLI);
    }

    /** Reads OL_DELIVERY_D. */
    static long readDelivery(Record record) {
        return record.isNull(Columns.OL_DELIVERY_D)
                ? OrderLineRow.NOT_DELIVERED
                : readMillis(record, Columns.OL_DELIVERY_D);
    }

    static void read(Record record, WarehouseRow row) {
        row.id = record.getInt(Columns.W_ID);
        read(record, Columns.W_NAME, row.name);
        read(record, Columns.W_STREET_1, row.street1);
        read(record, Columns.W_STREET_2, row.street2);
        read(record, Columns.W_CITY, row.city);
        read(record, Columns.W_STATE, row.state);
        read(record, Columns.W_ZIP, row.zip);
        row.taxTenThousandths = (int) record.getDecimalUnscaled(Columns.W_TAX);
        row.ytdCents = record.getDecimalUnscaled(Columns.W_YTD);
    }

    static void write(WarehouseRow row, Record record) {
        record.clear();
        record.setInt(Columns.W_ID, row.id);
        write(record, Columns.W_NAME, row.name);
        write(record, Columns.W_STREET_1, row.street1);
        write(record, Columns.W_STREET_2, row.street2);
        write(record, Columns.W_CITY, row.city);
        write(record, Columns.W_STATE, row.state);
        write(record, Columns.W_ZIP, row.zip);
        record.setDecimalUnscaled(Columns.W_TAX, row.taxTenThousandths);
        record.setDecimalUnscaled(Columns.W_YTD, row.ytdCents);
    }

    static void read(Record record, DistrictRow row) {
        row.warehouseId = record.getInt(Columns.D_W_ID);
        row.id = record.getInt(Columns.D_ID);
        read(record, Columns.D_NAME, row.name);
        read(record, Columns.D_STREET_1, row.street1);
        read(record, Columns.D_STREET_2, row.street2);
        read(record, Columns.D_CITY, row.city);
        read(record, Columns.D_STATE, row.state);
        read(record, Columns.D_ZIP, row.zip);
        row.taxTenThousandths = (int) record.getDecimalUnscaled(Columns.D_TAX);
        row.ytdCents = record.getDecimalUnscaled(Columns.D_YTD);
        row.nextOrderId = record.getInt(Columns.D_NEXT_O_ID);
    }

    static void write(DistrictRow row, Record record) {
        record.clear();
        record.setInt(Columns.D_W_ID, row.warehouseId);
        record.setInt(Columns.D_ID, row.id);
        write(record, Columns.D_NAME, row.name);
        write(record, Columns.D_STREET_1, row.street1);
        write(record, Columns.D_STREET_2, row.street2);
        write(record, Columns.D_CITY, row.city);
        write(record, Columns.D_STATE, row.state);
        write(record, Columns.D_ZIP, row.zip);
        record.setDecimalUnscaled(Columns.D_TAX, row.taxTenThousandths);
        record.setDecimalUnscaled(Columns.D_YTD, row.ytdCents);
        record.setInt(Columns.D_NEXT_O_ID, row.nextOrderId);
    }

    static void read(Record record, CustomerRow row) {
        row.warehouseId = record.getInt(Columns.C_W_ID);
        row.districtId = record.getInt(Columns.C_D_ID);
        row.id = record.getInt(Columns.C_ID);
        read(record, Columns.C_FIRST, row.first);
        read(record, Columns.C_MIDDLE, row.middle);
        read(record, Columns.C_LAST, row.last);
        read(record, Columns.C_STREET_1, row.street1);
        read(record, Columns.C_STREET_2, row.street2);
        read(record, Columns.C_CITY, row.city);
        read(record, Columns.C_STATE, row.state);
        read(record, Columns.C_ZIP, row.zip);
        read(record, Columns.C_PHONE, row.phone);
        row.sinceMillis = readMillis(record, Columns.C_SINCE);
        read(record, Columns.C_CREDIT, row.credit);
        row.creditLimitCents = record.getDecimalUnscaled(Columns.C_CREDIT_LIM);
        row.discountTenThousandths = (int) record.getDecimalUnscaled(Columns.C_DISCOUNT);
        row.balanceCents = record.getDecimalUnscaled(Columns.C_BALANCE);
        row.ytdPaymentCents = record.getDecimalUnscaled(Columns.C_YTD_PAYMENT);
        row.paymentCount = record.getInt(Columns.C_PAYMENT_CNT);
        row.deliveryCount = record.getInt(Columns.C_DELIVERY_CNT);
        read(record, Columns.C_DATA, row.data);
    }

    static void write(CustomerRow row, Record record) {
        record.clear();
        record.setInt(Columns.C_W_ID, row.warehouseId);
        record.setInt(Columns.C_D_ID, row.districtId);
        record.setInt(Columns.C_ID, row.id);
        write(record, Columns.C_FIRST, row.first);
        write(record, Columns.C_MIDDLE, row.middle);
        write(record, Columns.C_LAST, row.last);
        write(record, Columns.C_STREET_1, row.street1);
        write(record, Columns.C_STREET_2, row.street2);
        write(record, Columns.C_CITY, row.city);
        write(record, Columns.C_STATE, row.state);
        write(record, Columns.C_ZIP, row.zip);
        write(record, Columns.C_PHONE, row.phone);
        writeMillis(record, Columns.C_SINCE, row.sinceMillis);
        write(record, Columns.C_CREDIT, row.credit);
        record.setDecimalUnscaled(Columns.C_CREDIT_LIM, row.creditLimitCents);
        record.setDecimalUnscaled(Columns.C_DISCOUNT, row.discountTenThousandths);
        record.setDecimalUnscaled(Columns.C_BALANCE, row.balanceCents);
        record.setDecimalUnscaled(Columns.C_YTD_PAYMENT, row.ytdPaymentCents);
        record.setInt(Columns.C_PAYMENT_CNT, row.paymentCount);
        record.setInt(Columns.C_DELIVERY_CNT, row.deliveryCount);
        write(record, Columns.C_DATA, row.data);
    }

    static void read(Record record, HistoryRow row) {
        row.id = record.getLong(Columns.H_ID);
        row.customerId = record.getInt(Columns.H_C_ID);
        row.customerDistrictId = record.getInt(Columns.H_C_D_ID);
        row.customerWarehouseId = record.getInt(Columns.H_C_W_ID);
        row.districtId = record.getInt(Columns.H_D_ID);
        row.warehouseId = record.getInt(Columns.H_W_ID);
        row.dateMillis = readMillis(record, Columns.H_DATE);
        row.amountCents = record.getDecimalUnscaled(Columns.H_AMOUNT);
        read(record, Columns.H_DATA, row.data);
    }

    static void write(HistoryRow row, Record record) {
        record.clear();
        record.setLong(Columns.H_ID, row.id);
        record.setInt(Columns.H_C_ID, row.customerId);
        record.setInt(Columns.H_C_D_ID, row.customerDistrictId);
        record.setInt(Columns.H_C_W_ID, row.customerWarehouseId);
        record.setInt(Columns.H_D_ID, row.districtId);
        record.setInt(Columns.H_W_ID, row.warehouseId);
        writeMillis(record, Columns.H_DATE, row.dateMillis);
        record.setDecimalUnscaled(Columns.H_AMOUNT, row.amountCents);
        write(record, Columns.H_DATA, row.data);
    }

    static void read(Record record, NewOrderRow row) {
        row.warehouseId = record.getInt(Columns.NO_W_ID);
        row.districtId = record.getInt(Columns.NO_D_ID);
        row.orderId = record.getInt(Columns.NO_O_ID);
    }

    static void write(NewOrderRow row, Record record) {
        record.clear();
        record.setInt(Columns.NO_W_ID, row.warehouseId);
        record.setInt(Columns.NO_D_ID, row.districtId);
        record.setInt(Columns.NO_O_ID, row.orderId);
    }

    static void read(Record record, OrderRow row) {
        row.warehouseId = record.getInt(Columns.O_W_ID);
        row.districtId = record.getInt(Columns.O_D_ID);
        row.id = record.getInt(Columns.O_ID);
        row.customerId = record.getInt(Columns.O_C_ID);
        row.entryMillis = readMillis(record, Columns.O_ENTRY_D);
        row.carrierId = record.isNull(Columns.O_CARRIER_ID) ? OrderRow.NO_CARRIER : record.getInt(Columns.O_CARRIER_ID);
        row.lineCount = record.getInt(Columns.O_OL_CNT);
        row.allLocal = record.getInt(Columns.O_ALL_LOCAL);
    }

    static void write(OrderRow row, Record record) {
        record.clear();
        record.setInt(Columns.O_W_ID, row.warehouseId);
        record.setInt(Columns.O_D_ID, row.districtId);
        record.setInt(Columns.O_ID, row.id);
        record.setInt(Columns.O_C_ID, row.customerId);
        writeMillis(record, Columns.O_ENTRY_D, row.entryMillis);
        if (row.carrierId == OrderRow.NO_CARRIER) {
            record.setNull(Columns.O_CARRIER_ID);
        } else {
            record.setInt(Columns.O_CARRIER_ID, row.carrierId);
        }
        record.setInt(Columns.O_OL_CNT, row.lineCount);
        record.setInt(Columns.O_ALL_LOCAL, row.allLocal);
    }

    static void read(Record record, OrderLineRow row) {
        row.warehouseId = record.getInt(Columns.OL_W_ID);
        row.districtId = record.getInt(Columns.OL_D_ID);
        row.orderId = record.getInt(Columns.OL_O_ID);
        row.number = record.getInt(Columns.OL_NUMBER);
        row.itemId = record.getInt(Columns.OL_I_ID);
        row.supplyWarehouseId = record.getInt(Columns.OL_SUPPLY_W_ID);
        row.deliveryMillis = readDelivery(record);
        row.quantity = record.getInt(Columns.OL_QUANTITY);
        row.amountCents = (int) record.getDecimalUnscaled(Columns.OL_AMOUNT);
        read(record, Columns.OL_DIST_INFO, row.districtInfo);
    }

    static void write(OrderLineRow row, Record record) {
        record.clear();
        record.setInt(Columns.OL_W_ID, row.warehouseId);
        record.setInt(Columns.OL_D_ID, row.districtId);
        record.setInt(Columns.OL_O_ID, row.orderId);
        record.setInt(Columns.OL_NUMBER, row.number);
        record.setInt(Columns.OL_I_ID, row.itemId);
        record.setInt(Columns.OL_SUPPLY_W_ID, row.supplyWarehouseId);
        if (row.deliveryMillis == OrderLineRow.NOT_DELIVERED) {
            record.setNull(Columns.OL_DELIVERY_D);
        } else {
            writeMillis(record, Columns.OL_DELIVERY_D, row.deliveryMillis);
        }
        record.setInt(Columns.OL_QUANTITY, row.quantity);
        record.setDecimalUnscaled(Columns.OL_AMOUNT, row.amountCents);
        write(record, Columns.OL_DIST_INFO, row.districtInfo);
    }

    static void read(Record record, ItemRow row) {
        row.id = record.getInt(Columns.I_ID);
        row.imageId = record.getInt(Columns.I_IM_ID);
        read(record, Columns.I_NAME, row.name);
        row.priceCents = (int) record.getDecimalUnscaled(Columns.I_PRICE);
        read(record, Columns.I_DATA, row.data);
    }

    static void write(ItemRow row, Record record) {
        record.clear();
        record.setInt(Columns.I_ID, row.id);
        record.setInt(Columns.I_IM_ID, row.imageId);
        write(record, Columns.I_NAME, row.name);
        record.setDecimalUnscaled(Columns.I_PRICE, row.priceCents);
        write(record, Columns.I_DATA, row.data);
    }

    static void read(Record record, StockRow row) {
        row.warehouseId = record.getInt(Columns.S_W_ID);
        row.itemId = record.getInt(Columns.S_I_ID);
        row.quantity = record.getInt(Columns.S_QUANTITY);
        for (int i = 0; i < row.districtInfos.length; i++) {
            read(record, Columns.S_DIST_01 + i, row.districtInfos[i]);
        }
        row.ytd = record.getInt(Columns.S_YTD);
        row.orderCount = record.getInt(Columns.S_ORDER_CNT);
        row.remoteCount = record.getInt(Columns.S_REMOTE_CNT);
        read(record, Columns.S_DATA, row.data);
    }

    static void write(StockRow row, Record record) {
        record.clear();
        record.setInt(Columns.S_W_ID, row.warehouseId);
        record.setInt(Columns.S_I_ID, row.itemId);
        record.setInt(Columns.S_QUANTITY, row.quantity);
        for (int i = 0; i < row.districtInfos.length; i++) {
            write(record, Columns.S_DIST_01 + i, row.districtInfos[i]);
        }
        record.setInt(Columns.S_YTD, row.ytd);
        record.setInt(Columns.S_ORDER_CNT, row.orderCount);
        record.setInt(Columns.S_REMOTE_CNT, row.remoteCount);
        write(record, Columns.S_DATA, row.data);
    }
}
