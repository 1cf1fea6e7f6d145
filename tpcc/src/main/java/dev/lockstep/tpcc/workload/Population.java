package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.TextPattern;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The initial database of clause 4.3.3, divided into parts that can be loaded at the same time. The same seed gives the
 * same rows, however the parts are divided among threads.
 */
public final class Population {
    /** Initial C_BALANCE, C_YTD_PAYMENT and H_AMOUNT in cents, up to the sign. */
    public static final long INITIAL_PAYMENT_CENTS = 1_000;

    /** Rows between two commits: large enough to make the commit cheap, small enough for any lock table. */
    private static final int BATCH_ROWS = 1_000;

    /** Stock rows of one part. */
    private static final int STOCK_PART_ROWS = 25_000;

    private static final int ORIGINAL_PERCENT = 10;
    private static final int BAD_CREDIT_PERCENT = 10;
    private static final int TAX_MAX_TEN_THOUSANDTHS = 2_000;
    private static final int DISCOUNT_MAX_TEN_THOUSANDTHS = 5_000;
    private static final long CREDIT_LIMIT_CENTS = 5_000_000;
    private static final int AMOUNT_MAX_CENTS = 999_999;
    private static final int LINE_QUANTITY = 5;

    private final TpccScale scale;
    private final long seed;
    private final long nowMillis;
    private final NonUniformConstants constants;

    /** Rows that one thread can load by itself. */
    public final class Part {
        private final long number;
        private final Body body;

        private Part(long number, Body body) {
            this.number = number;
            this.body = body;
        }

        /**
         * Loads the rows.
         *
         * @param committed told the number of rows after each commit
         */
        public void load(TpccLoader loader, LongConsumer committed) {
            Batch batch = new Batch(loader, committed);
            body.load(new TpccRandom(TpccRandom.seed(seed, (1L << 32) + number)), batch);
            batch.commit();
        }
    }

    private interface Body {
        void load(TpccRandom random, Batch batch);
    }

    /** Counts rows and commits now and then. */
    private static final class Batch {
        private final TpccLoader loader;
        private final LongConsumer committed;
        private int rows;

        Batch(TpccLoader loader, LongConsumer committed) {
            this.loader = loader;
            this.committed = committed;
        }

        void inserted() {
            if (++rows == BATCH_ROWS) {
                commit();
            }
        }

        void commit() {
            loader.commit();
            committed.accept(rows);
            rows = 0;
        }
    }

    /** @param nowMillis the date and time that the population carries, in milliseconds since the epoch */
    public Population(TpccScale scale, long seed, long nowMillis) {
        this.scale = scale;
        this.seed = seed;
        this.nowMillis = nowMillis;
        this.constants = NonUniformConstants.ofLoad(seed);
    }

    /** About how many rows there are; the number of order lines is random. */
    public long rowsEstimated() {
        long orders = scale.customers();
        long linesPerOrder = (TpccScale.ORDER_LINES_MIN + TpccScale.ORDER_LINES_MAX) / 2;
        return scale.items()
                + (long) scale.warehouses() * (1 + TpccScale.DISTRICTS + scale.items())
                + orders * (2 + 1 + linesPerOrder)
                + (long) scale.districts() * scale.newOrdersPerDistrict();
    }

    /** All parts, in the order in which one thread would best load them. */
    public List<Part> parts() {
        List<Part> parts = new ArrayList<>();
        add(parts, this::items);
        for (int w = 1; w <= scale.warehouses(); w++) {
            int warehouseId = w;
            add(parts, (random, batch) -> warehouse(warehouseId, random, batch));
            for (int first = 1; first <= scale.items(); first += STOCK_PART_ROWS) {
                int from = first;
                add(parts, (random, batch) -> stocks(warehouseId, from, random, batch));
            }
            for (int d = 1; d <= TpccScale.DISTRICTS; d++) {
                int districtId = d;
                add(parts, (random, batch) -> customers(warehouseId, districtId, random, batch));
                add(parts, (random, batch) -> orders(warehouseId, districtId, random, batch));
            }
        }
        return parts;
    }

    private void add(List<Part> parts, Body body) {
        parts.add(new Part(parts.size(), body));
    }

    private void items(TpccRandom random, Batch batch) {
        ItemRow row = new ItemRow();
        for (int id = 1; id <= scale.items(); id++) {
            row.id = id;
            row.imageId = random.between(1, 10_000);
            random.alphanumeric(row.name, 14, 24);
            row.priceCents = random.between(100, 10_000);
            data(random, row.data);
            batch.loader.insert(row);
            batch.inserted();
        }
    }

    /** I_DATA and S_DATA: every tenth says ORIGINAL somewhere (clause 4.3.3.1). */
    private static void data(TpccRandom random, Text text) {
        random.alphanumeric(text, 26, 50);
        if (random.percent(ORIGINAL_PERCENT)) {
            TextPattern word = TextPattern.ORIGINAL;
            byte[] bytes = text.own(text.length());
            int at = random.between(0, text.length() - word.length());
            for (int i = 0; i < word.length(); i++) {
                bytes[at + i] = word.at(i);
            }
        }
    }

    private void warehouse(int warehouseId, TpccRandom random, Batch batch) {
        WarehouseRow row = new WarehouseRow();
        row.id = warehouseId;
        random.alphanumeric(row.name, 6, 10);
        address(random, row.street1, row.street2, row.city, row.state, row.zip);
        row.taxTenThousandths = random.between(0, TAX_MAX_TEN_THOUSANDTHS);
        row.ytdCents = INITIAL_PAYMENT_CENTS * scale.customersPerDistrict() * TpccScale.DISTRICTS;
        batch.loader.insert(row);
        batch.inserted();
        DistrictRow district = new DistrictRow();
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            district.warehouseId = warehouseId;
            district.id = districtId;
            random.alphanumeric(district.name, 6, 10);
            address(random, district.street1, district.street2, district.city, district.state, district.zip);
            district.taxTenThousandths = random.between(0, TAX_MAX_TEN_THOUSANDTHS);
            district.ytdCents = INITIAL_PAYMENT_CENTS * scale.customersPerDistrict();
            district.nextOrderId = scale.customersPerDistrict() + 1;
            batch.loader.insert(district);
            batch.inserted();
        }
    }

    private static void address(TpccRandom random, Text street1, Text street2, Text city, Text state, Text zip) {
        random.alphanumeric(street1, 10, 20);
        random.alphanumeric(street2, 10, 20);
        random.alphanumeric(city, 10, 20);
        random.letters(state, 2);
        // Four random digits and 11111 (clause 4.3.2.7).
        random.numeric(zip, 4);
        zip.append(11_111);
    }

    private void stocks(int warehouseId, int firstItemId, TpccRandom random, Batch batch) {
        StockRow row = new StockRow();
        int end = Math.min(firstItemId + STOCK_PART_ROWS, scale.items() + 1);
        for (int itemId = firstItemId; itemId < end; itemId++) {
            row.warehouseId = warehouseId;
            row.itemId = itemId;
            row.quantity = random.between(10, 100);
            for (Text info : row.districtInfos) {
                random.alphanumeric(info, OrderLineRow.DISTRICT_INFO_CHARACTERS, OrderLineRow.DISTRICT_INFO_CHARACTERS);
            }
            data(random, row.data);
            batch.loader.insert(row);
            batch.inserted();
        }
    }

    private void customers(int warehouseId, int districtId, TpccRandom random, Batch batch) {
        CustomerRow row = new CustomerRow();
        for (int id = 1; id <= scale.customersPerDistrict(); id++) {
            row.warehouseId = warehouseId;
            row.districtId = districtId;
            row.id = id;
            int name = id <= scale.lastNames()
                    ? id - 1
                    : random.nonUniform(
                            NonUniformConstants.LAST_NAME_A, constants.lastName(), 0, scale.lastNames() - 1);
            LastName.of(name).to(row.last);
            row.middle.clear().append('O').append('E');
            random.alphanumeric(row.first, 8, 16);
            address(random, row.street1, row.street2, row.city, row.state, row.zip);
            random.numeric(row.phone, 16);
            row.sinceMillis = nowMillis;
            row.credit
                    .clear()
                    .append(random.percent(BAD_CREDIT_PERCENT) ? 'B' : 'G')
                    .append('C');
            row.creditLimitCents = CREDIT_LIMIT_CENTS;
            row.discountTenThousandths = random.between(0, DISCOUNT_MAX_TEN_THOUSANDTHS);
            row.balanceCents = -INITIAL_PAYMENT_CENTS;
            row.ytdPaymentCents = INITIAL_PAYMENT_CENTS;
            row.paymentCount = 1;
            row.deliveryCount = 0;
            random.alphanumeric(row.data, 300, CustomerRow.DATA_CHARACTERS);
            batch.loader.insert(row);
            batch.inserted();
        }
        HistoryRow history = new HistoryRow();
        for (int id = 1; id <= scale.customersPerDistrict(); id++) {
            history.id = scale.customerIndex(warehouseId, districtId, id) + 1L;
            history.customerId = id;
            history.customerDistrictId = districtId;
            history.customerWarehouseId = warehouseId;
            history.districtId = districtId;
            history.warehouseId = warehouseId;
            history.dateMillis = nowMillis;
            history.amountCents = INITIAL_PAYMENT_CENTS;
            random.alphanumeric(history.data, 12, 24);
            batch.loader.insert(history);
            batch.inserted();
        }
    }

    private void orders(int warehouseId, int districtId, TpccRandom random, Batch batch) {
        int count = scale.customersPerDistrict();
        int[] customerIds = new int[count];
        for (int i = 0; i < count; i++) {
            customerIds[i] = i + 1;
        }
        random.shuffle(customerIds);
        OrderRow order = new OrderRow();
        OrderLineRow line = new OrderLineRow();
        for (int id = 1; id <= count; id++) {
            boolean delivered = id <= scale.deliveredPerDistrict();
            order.warehouseId = warehouseId;
            order.districtId = districtId;
            order.id = id;
            order.customerId = customerIds[id - 1];
            order.entryMillis = nowMillis;
            order.carrierId = delivered ? random.between(1, 10) : OrderRow.NO_CARRIER;
            order.lineCount = random.between(TpccScale.ORDER_LINES_MIN, TpccScale.ORDER_LINES_MAX);
            order.allLocal = 1;
            batch.loader.insert(order);
            batch.inserted();
            for (int number = 1; number <= order.lineCount; number++) {
                line.warehouseId = warehouseId;
                line.districtId = districtId;
                line.orderId = id;
                line.number = number;
                line.itemId = random.between(1, scale.items());
                line.supplyWarehouseId = warehouseId;
                line.deliveryMillis = delivered ? nowMillis : OrderLineRow.NOT_DELIVERED;
                line.quantity = LINE_QUANTITY;
                line.amountCents = delivered ? 0 : random.between(1, AMOUNT_MAX_CENTS);
                random.alphanumeric(
                        line.districtInfo,
                        OrderLineRow.DISTRICT_INFO_CHARACTERS,
                        OrderLineRow.DISTRICT_INFO_CHARACTERS);
                batch.loader.insert(line);
                batch.inserted();
            }
        }
        NewOrderRow newOrder = new NewOrderRow();
        for (int id = scale.deliveredPerDistrict() + 1; id <= count; id++) {
            newOrder.warehouseId = warehouseId;
            newOrder.districtId = districtId;
            newOrder.orderId = id;
            batch.loader.insert(newOrder);
            batch.inserted();
        }
    }
}
