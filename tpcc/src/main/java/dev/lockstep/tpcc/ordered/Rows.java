package dev.lockstep.tpcc.ordered;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.WarehouseRow;

/** Copies of rows, as they are kept in the maps: each with texts of its own, cut to their lengths. */
final class Rows {
    private Rows() {}

    /** An immutable text of exactly its length. */
    static byte[] bytes(Text text) {
        byte[] bytes = new byte[text.length()];
        text.copyTo(bytes, 0);
        return bytes;
    }

    static void show(byte[] bytes, Text text) {
        text.wrap(bytes, 0, bytes.length);
    }

    static final class Warehouse {
        final int id;
        final int taxTenThousandths;
        long ytdCents;
        final byte[] name;
        final byte[] street1;
        final byte[] street2;
        final byte[] city;
        final byte[] state;
        final byte[] zip;

        Warehouse(WarehouseRow row) {
            id = row.id;
            taxTenThousandths = row.taxTenThousandths;
            ytdCents = row.ytdCents;
            name = bytes(row.name);
            street1 = bytes(row.street1);
            street2 = bytes(row.street2);
            city = bytes(row.city);
            state = bytes(row.state);
            zip = bytes(row.zip);
        }

        void to(WarehouseRow row) {
            row.id = id;
            row.taxTenThousandths = taxTenThousandths;
            row.ytdCents = ytdCents;
            show(name, row.name);
            show(street1, row.street1);
            show(street2, row.street2);
            show(city, row.city);
            show(state, row.state);
            show(zip, row.zip);
        }
    }

    static final class District {
        final int warehouseId;
        final int id;
        final int taxTenThousandths;
        long ytdCents;
        int nextOrderId;
        final byte[] name;
        final byte[] street1;
        final byte[] street2;
        final byte[] city;
        final byte[] state;
        final byte[] zip;

        District(DistrictRow row) {
            warehouseId = row.warehouseId;
            id = row.id;
            taxTenThousandths = row.taxTenThousandths;
            ytdCents = row.ytdCents;
            nextOrderId = row.nextOrderId;
            name = bytes(row.name);
            street1 = bytes(row.street1);
            street2 = bytes(row.street2);
            city = bytes(row.city);
            state = bytes(row.state);
            zip = bytes(row.zip);
        }

        void to(DistrictRow row) {
            row.warehouseId = warehouseId;
            row.id = id;
            row.taxTenThousandths = taxTenThousandths;
            row.ytdCents = ytdCents;
            row.nextOrderId = nextOrderId;
            show(name, row.name);
            show(street1, row.street1);
            show(street2, row.street2);
            show(city, row.city);
            show(state, row.state);
            show(zip, row.zip);
        }
    }

    static final class Customer {
        final int warehouseId;
        final int districtId;
        final int id;
        final long sinceMillis;
        final long creditLimitCents;
        final int discountTenThousandths;
        long balanceCents;
        long ytdPaymentCents;
        int paymentCount;
        int deliveryCount;
        final byte[] first;
        final byte[] middle;
        final byte[] last;
        final byte[] street1;
        final byte[] street2;
        final byte[] city;
        final byte[] state;
        final byte[] zip;
        final byte[] phone;
        final byte[] credit;
        byte[] data;

        Customer(CustomerRow row) {
            warehouseId = row.warehouseId;
            districtId = row.districtId;
            id = row.id;
            sinceMillis = row.sinceMillis;
            creditLimitCents = row.creditLimitCents;
            discountTenThousandths = row.discountTenThousandths;
            balanceCents = row.balanceCents;
            ytdPaymentCents = row.ytdPaymentCents;
            paymentCount = row.paymentCount;
            deliveryCount = row.deliveryCount;
            first = bytes(row.first);
            middle = bytes(row.middle);
            last = bytes(row.last);
            street1 = bytes(row.street1);
            street2 = bytes(row.street2);
            city = bytes(row.city);
            state = bytes(row.state);
            zip = bytes(row.zip);
            phone = bytes(row.phone);
            credit = bytes(row.credit);
            data = bytes(row.data);
        }

        void to(CustomerRow row) {
            row.warehouseId = warehouseId;
            row.districtId = districtId;
            row.id = id;
            row.sinceMillis = sinceMillis;
            row.creditLimitCents = creditLimitCents;
            row.discountTenThousandths = discountTenThousandths;
            row.balanceCents = balanceCents;
            row.ytdPaymentCents = ytdPaymentCents;
            row.paymentCount = paymentCount;
            row.deliveryCount = deliveryCount;
            show(first, row.first);
            show(middle, row.middle);
            show(last, row.last);
            show(street1, row.street1);
            show(street2, row.street2);
            show(city, row.city);
            show(state, row.state);
            show(zip, row.zip);
            show(phone, row.phone);
            show(credit, row.credit);
            show(data, row.data);
        }
    }

    static final class History {
        final long id;
        final int customerId;
        final int customerDistrictId;
        final int customerWarehouseId;
        final int districtId;
        final int warehouseId;
        final long dateMillis;
        final long amountCents;
        final byte[] data;

        History(HistoryRow row) {
            id = row.id;
            customerId = row.customerId;
            customerDistrictId = row.customerDistrictId;
            customerWarehouseId = row.customerWarehouseId;
            districtId = row.districtId;
            warehouseId = row.warehouseId;
            dateMillis = row.dateMillis;
            amountCents = row.amountCents;
            data = bytes(row.data);
        }

        void to(HistoryRow row) {
            row.id = id;
            row.customerId = customerId;
            row.customerDistrictId = customerDistrictId;
            row.customerWarehouseId = customerWarehouseId;
            row.districtId = districtId;
            row.warehouseId = warehouseId;
            row.dateMillis = dateMillis;
            row.amountCents = amountCents;
            show(data, row.data);
        }
    }

    static final class Order {
        final int warehouseId;
        final int districtId;
        final int id;
        final int customerId;
        final long entryMillis;
        int carrierId;
        final int lineCount;
        final int allLocal;

        Order(OrderRow row) {
            warehouseId = row.warehouseId;
            districtId = row.districtId;
            id = row.id;
            customerId = row.customerId;
            entryMillis = row.entryMillis;
            carrierId = row.carrierId;
            lineCount = row.lineCount;
            allLocal = row.allLocal;
        }

        void to(OrderRow row) {
            row.warehouseId = warehouseId;
            row.districtId = districtId;
            row.id = id;
            row.customerId = customerId;
            row.entryMillis = entryMillis;
            row.carrierId = carrierId;
            row.lineCount = lineCount;
            row.allLocal = allLocal;
        }
    }

    static final class OrderLine {
        final int warehouseId;
        final int districtId;
        final int orderId;
        final int number;
        final int itemId;
        final int supplyWarehouseId;
        long deliveryMillis;
        final int quantity;
        final int amountCents;
        final byte[] districtInfo;

        OrderLine(OrderLineRow row) {
            warehouseId = row.warehouseId;
            districtId = row.districtId;
            orderId = row.orderId;
            number = row.number;
            itemId = row.itemId;
            supplyWarehouseId = row.supplyWarehouseId;
            deliveryMillis = row.deliveryMillis;
            quantity = row.quantity;
            amountCents = row.amountCents;
            districtInfo = bytes(row.districtInfo);
        }

        void to(OrderLineRow row) {
            row.warehouseId = warehouseId;
            row.districtId = districtId;
            row.orderId = orderId;
            row.number = number;
            row.itemId = itemId;
            row.supplyWarehouseId = supplyWarehouseId;
            row.deliveryMillis = deliveryMillis;
            row.quantity = quantity;
            row.amountCents = amountCents;
            show(districtInfo, row.districtInfo);
        }
    }

    static final class Item {
        final int id;
        final int imageId;
        final int priceCents;
        final byte[] name;
        final byte[] data;

        Item(ItemRow row) {
            id = row.id;
            imageId = row.imageId;
            priceCents = row.priceCents;
            name = bytes(row.name);
            data = bytes(row.data);
        }

        void to(ItemRow row) {
            row.id = id;
            row.imageId = imageId;
            row.priceCents = priceCents;
            show(name, row.name);
            show(data, row.data);
        }
    }

    static final class Stock {
        final int warehouseId;
        final int itemId;
        int quantity;
        int ytd;
        int orderCount;
        int remoteCount;
        final byte[][] districtInfos;
        final byte[] data;

        Stock(StockRow row) {
            warehouseId = row.warehouseId;
            itemId = row.itemId;
            districtInfos = new byte[row.districtInfos.length][];
            for (int i = 0; i < districtInfos.length; i++) {
                districtInfos[i] = bytes(row.districtInfos[i]);
            }
            data = bytes(row.data);
            from(row);
        }

        void from(StockRow row) {
            quantity = row.quantity;
            ytd = row.ytd;
            orderCount = row.orderCount;
            remoteCount = row.remoteCount;
        }

        void numbersTo(StockRow row) {
            row.warehouseId = warehouseId;
            row.itemId = itemId;
            row.quantity = quantity;
            row.ytd = ytd;
            row.orderCount = orderCount;
            row.remoteCount = remoteCount;
        }

        void to(StockRow row) {
            numbersTo(row);
            for (int i = 0; i < districtInfos.length; i++) {
                show(districtInfos[i], row.districtInfos[i]);
            }
            show(data, row.data);
        }
    }
}
