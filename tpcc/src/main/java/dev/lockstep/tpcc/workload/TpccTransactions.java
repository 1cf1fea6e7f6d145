package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.TextPattern;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.util.Arrays;

/**
 * The logic of the five transactions (clause 2), over any session. What a transaction would print on its terminal is
 * left in the row objects and in the fields that the accessors show. Not thread-safe; allocates nothing.
 */
public final class TpccTransactions {
    /** Orders that Stock-Level looks at (clause 2.8.2.2). */
    private static final int STOCK_LEVEL_ORDERS = 20;

    /** Stock is replenished when an order would leave less than this (clause 2.4.2.2). */
    private static final int STOCK_LEFT_MIN = 10;

    /** By how much stock is replenished. */
    private static final int STOCK_REPLENISHMENT = 91;

    private static final int ONE = 10_000;

    private final TpccSession session;
    private final WarehouseRow warehouse = new WarehouseRow();
    private final DistrictRow district = new DistrictRow();
    private final CustomerRow customer = new CustomerRow();
    private final HistoryRow history = new HistoryRow();
    private final OrderRow order = new OrderRow();
    private final ItemRow[] items = new ItemRow[TpccScale.ORDER_LINES_MAX];
    private final StockRow[] stocks = new StockRow[TpccScale.ORDER_LINES_MAX];
    private final OrderLineRow[] lines = new OrderLineRow[TpccScale.ORDER_LINES_MAX];
    private final int[] stockWarehouseIds = new int[TpccScale.ORDER_LINES_MAX];
    private final int[] stockItemIds = new int[TpccScale.ORDER_LINES_MAX];
    private final int[] stockOfLine = new int[TpccScale.ORDER_LINES_MAX];
    private final boolean[] brandOfLine = new boolean[TpccScale.ORDER_LINES_MAX];
    private final Text badCreditData = new Text(CustomerRow.DATA_CHARACTERS);

    private final int[] deliveredOrderIds = new int[TpccScale.DISTRICTS];
    private final long[] deliveredCents = new long[TpccScale.DISTRICTS];
    private int deliveredOrders;
    private final int[] deliveryDistrictIds = new int[TpccScale.DISTRICTS];
    private final int[] deliveryOrderIds = new int[TpccScale.DISTRICTS];
    private final int[] deliveryCustomerIds = new int[TpccScale.DISTRICTS];
    private final long[] deliveryCents = new long[TpccScale.DISTRICTS];
    private int orderLineCount;
    private long totalCents;
    private int nextOrderId;
    private int lowStockCount;

    /** @param session runs the statements */
    public TpccTransactions(TpccSession session) {
        this.session = session;
        for (int i = 0; i < TpccScale.ORDER_LINES_MAX; i++) {
            items[i] = new ItemRow();
            stocks[i] = StockRow.forOrder();
            lines[i] = new OrderLineRow();
        }
    }

    /**
     * Runs one transaction to its end.
     *
     * @return whether it committed; {@code false} is a New-Order that its input told to roll back
     */
    public boolean execute(TransactionInput input) {
        return switch (input.type) {
            case NEW_ORDER -> newOrder(input);
            case PAYMENT -> payment(input);
            case ORDER_STATUS -> orderStatus(input);
            case DELIVERY -> delivery(input);
            case STOCK_LEVEL -> stockLevel(input);
        };
    }

    /** Clause 2.4.2. */
    private boolean newOrder(TransactionInput input) {
        session.begin(TransactionType.NEW_ORDER);
        int warehouseId = input.warehouseId;
        int districtId = input.districtId;
        int warehouseTax = session.readWarehouseTax(warehouseId);
        session.takeOrderId(warehouseId, districtId, district);
        int orderId = district.nextOrderId;
        order.warehouseId = warehouseId;
        order.districtId = districtId;
        order.id = orderId;
        order.customerId = input.customerId;
        order.entryMillis = input.nowMillis;
        order.carrierId = OrderRow.NO_CARRIER;
        order.lineCount = input.lineCount;
        order.allLocal = input.allLocal;
        // Before customer and stock are locked: these inserts may wait for a Delivery, which may wait for the customer.
        session.insertOrder(order);
        session.insertNewOrder(warehouseId, districtId, orderId);

        int count = input.lineCount;
        session.expectOrder(warehouseId, districtId, input.customerId, input.itemIds, input.supplyWarehouseIds, count);
        session.readCustomerForOrder(warehouseId, districtId, input.customerId, customer);
        session.readItems(input.itemIds, count, items);
        int stockCount = distinctStocks(input);
        session.lockStocks(stockWarehouseIds, stockItemIds, stockCount, districtId, stocks);
        long sumCents = 0;
        int lineCount = 0;
        for (int i = 0; i < count; i++) {
            ItemRow item = items[i];
            if (item.id == 0) {
                continue;
            }
            StockRow stock = stocks[stockOfLine[i]];
            int quantity = input.quantities[i];
            sell(stock, quantity, warehouseId);
            brandOfLine[i] = TextPattern.ORIGINAL.in(item.data) && TextPattern.ORIGINAL.in(stock.data);
            OrderLineRow line = lines[lineCount++];
            line.warehouseId = warehouseId;
            line.districtId = districtId;
            line.orderId = orderId;
            line.number = i + 1;
            line.itemId = item.id;
            line.supplyWarehouseId = input.supplyWarehouseIds[i];
            line.deliveryMillis = OrderLineRow.NOT_DELIVERED;
            line.quantity = quantity;
            line.amountCents = quantity * item.priceCents;
            line.districtInfo.wrap(stock.districtInfos[districtId - 1]);
            sumCents += line.amountCents;
        }
        session.updateStocks(stocks, stockCount);
        session.insertOrderLines(lines, lineCount);
        orderLineCount = lineCount;
        totalCents = sumCents
                * (ONE - customer.discountTenThousandths)
                / ONE
                * (ONE + warehouseTax + district.taxTenThousandths)
                / ONE;
        if (lineCount < count) {
            session.rollback();
            return false;
        }
        session.commit();
        return true;
    }

    /** Lists each stock row once, since an order may name an item twice; the input's order keeps equals together. */
    private int distinctStocks(TransactionInput input) {
        int count = 0;
        for (int i = 0; i < input.lineCount; i++) {
            if (items[i].id == 0) {
                continue;
            }
            int supplier = input.supplyWarehouseIds[i];
            int itemId = input.itemIds[i];
            if (count == 0 || stockItemIds[count - 1] != itemId || stockWarehouseIds[count - 1] != supplier) {
                stockWarehouseIds[count] = supplier;
                stockItemIds[count] = itemId;
                count++;
            }
            stockOfLine[i] = count - 1;
        }
        return count;
    }

    private static void sell(StockRow stock, int quantity, int warehouseId) {
        int left = stock.quantity - quantity;
        stock.quantity = left >= STOCK_LEFT_MIN ? left : left + STOCK_REPLENISHMENT;
        stock.ytd += quantity;
        stock.orderCount++;
        if (stock.warehouseId != warehouseId) {
            stock.remoteCount++;
        }
    }

    /** Clause 2.5.2. */
    private boolean payment(TransactionInput input) {
        session.begin(TransactionType.PAYMENT);
        long amountCents = input.amountCents;
        session.payWarehouse(input.warehouseId, amountCents, warehouse);
        session.payDistrict(input.warehouseId, input.districtId, amountCents, district);
        int customerId = selectedCustomer(input);
        session.lockCustomerForPayment(input.customerWarehouseId, input.customerDistrictId, customerId, customer);
        customer.balanceCents -= amountCents;
        customer.ytdPaymentCents += amountCents;
        customer.paymentCount++;
        boolean badCredit = customer.badCredit();
        if (badCredit) {
            session.readCustomerData(customer);
            badCreditData
                    .clear()
                    .append(customerId)
                    .append(' ')
                    .append(input.customerDistrictId)
                    .append(' ')
                    .append(input.customerWarehouseId)
                    .append(' ')
                    .append(input.districtId)
                    .append(' ')
                    .append(input.warehouseId)
                    .append(' ')
                    .append(amountCents)
                    .append('|')
                    .append(customer.data);
            customer.data.copyFrom(badCreditData);
        }
        session.updateCustomerPayment(customer, badCredit);

        history.id = input.historyId;
        history.customerId = customerId;
        history.customerDistrictId = input.customerDistrictId;
        history.customerWarehouseId = input.customerWarehouseId;
        history.districtId = input.districtId;
        history.warehouseId = input.warehouseId;
        history.dateMillis = input.nowMillis;
        history.amountCents = amountCents;
        history.data
                .clear()
                .append(warehouse.name)
                .append(' ')
                .append(' ')
                .append(' ')
                .append(' ')
                .append(district.name);
        session.insertHistory(history);
        session.commit();
        return true;
    }

    /** Clause 2.6.2. */
    private boolean orderStatus(TransactionInput input) {
        session.begin(TransactionType.ORDER_STATUS);
        int warehouseId = input.customerWarehouseId;
        int districtId = input.customerDistrictId;
        int customerId = selectedCustomer(input);
        session.readCustomerForStatus(warehouseId, districtId, customerId, customer);
        orderLineCount = session.readLastOrder(warehouseId, districtId, customerId, order)
                ? session.readOrderLines(warehouseId, districtId, order.id, lines)
                : 0;
        session.commit();
        return true;
    }

    /** Clause 2.7.4, all ten districts in one transaction. */
    private boolean delivery(TransactionInput input) {
        session.begin(TransactionType.DELIVERY);
        int warehouseId = input.warehouseId;
        int count = session.removeOldestNewOrders(warehouseId, deliveryDistrictIds, deliveryOrderIds);
        session.deliverOrders(
                warehouseId, deliveryDistrictIds, deliveryOrderIds, count, input.carrierId, deliveryCustomerIds);
        session.deliverOrderLines(
                warehouseId, deliveryDistrictIds, deliveryOrderIds, count, input.nowMillis, deliveryCents);
        Arrays.fill(deliveredOrderIds, 0);
        Arrays.fill(deliveredCents, 0);
        deliveredOrders = count;
        for (int i = 0; i < count; i++) {
            deliveredOrderIds[deliveryDistrictIds[i] - 1] = deliveryOrderIds[i];
            deliveredCents[deliveryDistrictIds[i] - 1] = deliveryCents[i];
        }
        session.creditCustomers(warehouseId, deliveryDistrictIds, deliveryCustomerIds, deliveryCents, count);
        session.commit();
        return true;
    }

    /** Clause 2.8.2. */
    private boolean stockLevel(TransactionInput input) {
        session.begin(TransactionType.STOCK_LEVEL);
        nextOrderId = session.readNextOrderId(input.warehouseId, input.districtId);
        lowStockCount = session.countLowStock(
                input.warehouseId, input.districtId, nextOrderId - STOCK_LEVEL_ORDERS, nextOrderId, input.threshold);
        session.commit();
        return true;
    }

    private int selectedCustomer(TransactionInput input) {
        if (input.customerId != 0) {
            return input.customerId;
        }
        int customerId = session.findCustomer(input.customerWarehouseId, input.customerDistrictId, input.lastName);
        if (customerId == 0) {
            throw new IllegalStateException(
                    "no customer with a last name that the population gives to some warehouseId="
                            + input.customerWarehouseId + " districtId=" + input.customerDistrictId + " lastName="
                            + input.lastName + ": the database was not loaded at this scale");
        }
        return customerId;
    }

    /** The number of the last New-Order's order, or of the order that the last Order-Status found. */
    public int orderId() {
        return order.id;
    }

    /** Lines of the last New-Order or Order-Status. */
    public int orderLineCount() {
        return orderLineCount;
    }

    /** What the last New-Order cost, discount and taxes included, in cents. */
    public long totalCents() {
        return totalCents;
    }

    /** Whether a line of the last New-Order is marked as brand goods. */
    public boolean brand(int line) {
        return brandOfLine[line];
    }

    /** How many orders the last Delivery delivered: one in each district that had one. */
    int deliveredOrders() {
        return deliveredOrders;
    }

    /** The order that the last Delivery delivered in a district, or 0. */
    public int deliveredOrderId(int districtId) {
        return deliveredOrderIds[districtId - 1];
    }

    /** The worth of the order that the last Delivery delivered in a district, in cents. */
    public long deliveredCents(int districtId) {
        return deliveredCents[districtId - 1];
    }

    /** The number that the next order of its district was to take when the last Stock-Level read it. */
    public int nextOrderId() {
        return nextOrderId;
    }

    /** What the last Stock-Level counted. */
    public int lowStockCount() {
        return lowStockCount;
    }
}
