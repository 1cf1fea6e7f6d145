package dev.lockstep.tpcc.jdbc;

import static dev.lockstep.tpcc.schema.Tables.CUSTOMER;
import static dev.lockstep.tpcc.schema.Tables.DISTRICT;
import static dev.lockstep.tpcc.schema.Tables.HISTORY;
import static dev.lockstep.tpcc.schema.Tables.ITEM;
import static dev.lockstep.tpcc.schema.Tables.NEW_ORDER;
import static dev.lockstep.tpcc.schema.Tables.ORDERS;
import static dev.lockstep.tpcc.schema.Tables.ORDER_LINE;
import static dev.lockstep.tpcc.schema.Tables.STOCK;
import static dev.lockstep.tpcc.schema.Tables.WAREHOUSE;
import static org.jooq.impl.DSL.countDistinct;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.val;

import dev.lockstep.tpcc.adapter.TpccScale;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Index;
import org.jooq.Log;
import org.jooq.Param;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.SelectConditionStep;
import org.jooq.Table;
import org.jooq.conf.ParamCastMode;
import org.jooq.conf.RenderNameCase;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.jooq.tools.JooqLogger;

/**
 * The text of every statement in one database's dialect. Parameters come in the order in which the columns are named,
 * the key last. Orders name all columns of the index, those that a condition fixes too: H2 and HSQLDB sort all rows
 * otherwise, which makes them take 330 and 270 µs in place of 13 and 11 for the oldest of 2,000 NEW-ORDER rows.
 * Thread-safe.
 */
final class TpccStatements {
    /** The tables in the order in which they are created. */
    static final List<Table<?>> TABLES =
            List.of(WAREHOUSE, DISTRICT, CUSTOMER, HISTORY, NEW_ORDER, ORDERS, ORDER_LINE, ITEM, STOCK);

    final String warehouseTax;
    final String districtForOrder;
    final String updateNextOrderId;
    final String customerForOrder;
    final String item;
    final String[] stock = new String[TpccScale.DISTRICTS];
    final String updateStock;
    final String payWarehouse;
    final String warehouseAddress;
    final String payDistrict;
    final String districtAddress;
    final String customersByName;
    final String customerForPayment;
    final String customerData;
    final String updateCustomer;
    final String updateCustomerAndData;
    final String customerForStatus;
    final String lastOrder;
    final String orderLines;
    final String oldestNewOrder;
    final String deleteNewOrder;
    final String deliverOrder;
    final String orderCustomer;
    final String deliverOrderLines;
    final String orderAmount;
    final String creditCustomer;
    final String nextOrderId;
    final String lowStock;

    static {
        // jOOQ greets at level INFO, and a library does not print.
        JooqLogger.globalThreshold(Log.Level.WARN);
    }

    private static final Param<Integer> ID = val(1);
    private static final Param<Short> SMALL_ID = val((short) 1);
    private static final Param<BigDecimal> CENTS = val(BigDecimal.ZERO, WAREHOUSE.W_YTD.getDataType());
    private static final Param<String> TEXT = val("");
    private static final Param<LocalDateTime> TIME = val(LocalDateTime.MIN, ORDER_LINE.OL_DELIVERY_D.getDataType());

    private static final Condition WAREHOUSE_KEY = WAREHOUSE.W_ID.eq(SMALL_ID);
    private static final Condition DISTRICT_KEY = DISTRICT.D_W_ID.eq(SMALL_ID).and(DISTRICT.D_ID.eq(SMALL_ID));
    private static final Condition CUSTOMER_KEY =
            CUSTOMER.C_W_ID.eq(SMALL_ID).and(CUSTOMER.C_D_ID.eq(SMALL_ID)).and(CUSTOMER.C_ID.eq(ID));
    private static final Condition ORDER_KEY =
            ORDERS.O_W_ID.eq(SMALL_ID).and(ORDERS.O_D_ID.eq(SMALL_ID)).and(ORDERS.O_ID.eq(ID));
    private static final Condition ORDER_LINES_KEY =
            ORDER_LINE.OL_W_ID.eq(SMALL_ID).and(ORDER_LINE.OL_D_ID.eq(SMALL_ID)).and(ORDER_LINE.OL_O_ID.eq(ID));
    private static final Condition STOCK_KEY = STOCK.S_W_ID.eq(SMALL_ID).and(STOCK.S_I_ID.eq(ID));

    private final DSLContext sql;
    private final boolean forUpdate;

    /** @param forUpdate whether rows that are going to be changed are read with FOR UPDATE */
    TpccStatements(SQLDialect dialect, boolean forUpdate) {
        this.forUpdate = forUpdate;
        sql = DSL.using(
                dialect,
                new Settings()
                        .withRenderSchema(false)
                        .withRenderCatalog(false)
                        // Types follow from the columns; a cast costs time and may cut digits off.
                        .withParamCastMode(ParamCastMode.NEVER)
                        .withRenderQuotedNames(RenderQuotedNames.NEVER)
                        .withRenderNameCase(RenderNameCase.LOWER));
        warehouseTax =
                sql.select(WAREHOUSE.W_TAX).from(WAREHOUSE).where(WAREHOUSE_KEY).getSQL();
        districtForOrder = locking(
                sql.select(DISTRICT.D_TAX, DISTRICT.D_NEXT_O_ID).from(DISTRICT).where(DISTRICT_KEY));
        updateNextOrderId = updateNextOrderId();
        customerForOrder = customerForOrder();
        item = item();
        for (int i = 0; i < stock.length; i++) {
            stock[i] = stock(i + 1);
        }
        updateStock = updateStock();
        payWarehouse = payWarehouse();
        warehouseAddress = warehouseAddress();
        payDistrict = payDistrict();
        districtAddress = districtAddress();
        customersByName = customersByName();
        customerForPayment = customerForPayment();
        customerData =
                sql.select(CUSTOMER.C_DATA).from(CUSTOMER).where(CUSTOMER_KEY).getSQL();
        updateCustomer = updateCustomer();
        updateCustomerAndData = updateCustomerAndData();
        customerForStatus = customerForStatus();
        lastOrder = lastOrder();
        orderLines = orderLines();
        oldestNewOrder = oldestNewOrder();
        deleteNewOrder = sql.deleteFrom(NEW_ORDER)
                .where(NEW_ORDER
                        .NO_W_ID
                        .eq(SMALL_ID)
                        .and(NEW_ORDER.NO_D_ID.eq(SMALL_ID))
                        .and(NEW_ORDER.NO_O_ID.eq(ID)))
                .getSQL();
        deliverOrder = sql.update(ORDERS)
                .set(ORDERS.O_CARRIER_ID, SMALL_ID)
                .where(ORDER_KEY)
                .getSQL();
        orderCustomer = sql.select(ORDERS.O_C_ID).from(ORDERS).where(ORDER_KEY).getSQL();
        deliverOrderLines = deliverOrderLines();
        orderAmount = orderAmount();
        creditCustomer = creditCustomer();
        nextOrderId = sql.select(DISTRICT.D_NEXT_O_ID)
                .from(DISTRICT)
                .where(DISTRICT_KEY)
                .getSQL();
        lowStock = lowStock();
    }

    private String updateNextOrderId() {
        return sql.update(DISTRICT)
                .set(DISTRICT.D_NEXT_O_ID, ID)
                .where(DISTRICT_KEY)
                .getSQL();
    }

    private String customerForOrder() {
        return sql.select(CUSTOMER.C_DISCOUNT, CUSTOMER.C_LAST, CUSTOMER.C_CREDIT)
                .from(CUSTOMER)
                .where(CUSTOMER_KEY)
                .getSQL();
    }

    private String item() {
        return sql.select(ITEM.I_PRICE, ITEM.I_NAME, ITEM.I_DATA)
                .from(ITEM)
                .where(ITEM.I_ID.eq(ID))
                .getSQL();
    }

    private String stock(int districtId) {
        return locking(sql.select(
                        STOCK.S_QUANTITY,
                        STOCK.S_YTD,
                        STOCK.S_ORDER_CNT,
                        STOCK.S_REMOTE_CNT,
                        STOCK.S_DATA,
                        districtInfo(districtId))
                .from(STOCK)
                .where(STOCK_KEY));
    }

    private String updateStock() {
        return sql.update(STOCK)
                .set(STOCK.S_QUANTITY, SMALL_ID)
                .set(STOCK.S_YTD, ID)
                .set(STOCK.S_ORDER_CNT, ID)
                .set(STOCK.S_REMOTE_CNT, ID)
                .where(STOCK_KEY)
                .getSQL();
    }

    private String payWarehouse() {
        return sql.update(WAREHOUSE)
                .set(WAREHOUSE.W_YTD, WAREHOUSE.W_YTD.plus(CENTS))
                .where(WAREHOUSE_KEY)
                .getSQL();
    }

    private String warehouseAddress() {
        return sql.select(
                        WAREHOUSE.W_NAME,
                        WAREHOUSE.W_STREET_1,
                        WAREHOUSE.W_STREET_2,
                        WAREHOUSE.W_CITY,
                        WAREHOUSE.W_STATE,
                        WAREHOUSE.W_ZIP)
                .from(WAREHOUSE)
                .where(WAREHOUSE_KEY)
                .getSQL();
    }

    private String payDistrict() {
        return sql.update(DISTRICT)
                .set(DISTRICT.D_YTD, DISTRICT.D_YTD.plus(CENTS))
                .where(DISTRICT_KEY)
                .getSQL();
    }

    private String districtAddress() {
        return sql.select(
                        DISTRICT.D_NAME,
                        DISTRICT.D_STREET_1,
                        DISTRICT.D_STREET_2,
                        DISTRICT.D_CITY,
                        DISTRICT.D_STATE,
                        DISTRICT.D_ZIP)
                .from(DISTRICT)
                .where(DISTRICT_KEY)
                .getSQL();
    }

    private String customersByName() {
        return sql.select(CUSTOMER.C_ID)
                .from(CUSTOMER)
                .where(CUSTOMER.C_W_ID
                        .eq(SMALL_ID)
                        .and(CUSTOMER.C_D_ID.eq(SMALL_ID))
                        .and(CUSTOMER.C_LAST.eq(TEXT)))
                .orderBy(CUSTOMER.C_W_ID, CUSTOMER.C_D_ID, CUSTOMER.C_LAST, CUSTOMER.C_FIRST)
                .getSQL();
    }

    private String customerForPayment() {
        return locking(sql.select(
                        CUSTOMER.C_FIRST,
                        CUSTOMER.C_MIDDLE,
                        CUSTOMER.C_LAST,
                        CUSTOMER.C_STREET_1,
                        CUSTOMER.C_STREET_2,
                        CUSTOMER.C_CITY,
                        CUSTOMER.C_STATE,
                        CUSTOMER.C_ZIP,
                        CUSTOMER.C_PHONE,
                        CUSTOMER.C_SINCE,
                        CUSTOMER.C_CREDIT,
                        CUSTOMER.C_CREDIT_LIM,
                        CUSTOMER.C_DISCOUNT,
                        CUSTOMER.C_BALANCE,
                        CUSTOMER.C_YTD_PAYMENT,
                        CUSTOMER.C_PAYMENT_CNT)
                .from(CUSTOMER)
                .where(CUSTOMER_KEY));
    }

    private String updateCustomer() {
        return sql.update(CUSTOMER)
                .set(CUSTOMER.C_BALANCE, CENTS)
                .set(CUSTOMER.C_YTD_PAYMENT, CENTS)
                .set(CUSTOMER.C_PAYMENT_CNT, ID)
                .where(CUSTOMER_KEY)
                .getSQL();
    }

    private String updateCustomerAndData() {
        return sql.update(CUSTOMER)
                .set(CUSTOMER.C_BALANCE, CENTS)
                .set(CUSTOMER.C_YTD_PAYMENT, CENTS)
                .set(CUSTOMER.C_PAYMENT_CNT, ID)
                .set(CUSTOMER.C_DATA, TEXT)
                .where(CUSTOMER_KEY)
                .getSQL();
    }

    private String customerForStatus() {
        return sql.select(CUSTOMER.C_BALANCE, CUSTOMER.C_FIRST, CUSTOMER.C_MIDDLE, CUSTOMER.C_LAST)
                .from(CUSTOMER)
                .where(CUSTOMER_KEY)
                .getSQL();
    }

    private String lastOrder() {
        return sql.select(ORDERS.O_ID, ORDERS.O_ENTRY_D, ORDERS.O_CARRIER_ID)
                .from(ORDERS)
                .where(ORDERS.O_W_ID
                        .eq(SMALL_ID)
                        .and(ORDERS.O_D_ID.eq(SMALL_ID))
                        .and(ORDERS.O_C_ID.eq(ID)))
                .orderBy(ORDERS.O_W_ID.desc(), ORDERS.O_D_ID.desc(), ORDERS.O_C_ID.desc(), ORDERS.O_ID.desc())
                .limit(DSL.inline(1))
                .getSQL();
    }

    private String orderLines() {
        return sql.select(
                        ORDER_LINE.OL_I_ID,
                        ORDER_LINE.OL_SUPPLY_W_ID,
                        ORDER_LINE.OL_QUANTITY,
                        ORDER_LINE.OL_AMOUNT,
                        ORDER_LINE.OL_DELIVERY_D)
                .from(ORDER_LINE)
                .where(ORDER_LINES_KEY)
                .getSQL();
    }

    private String oldestNewOrder() {
        return sql.select(NEW_ORDER.NO_O_ID)
                .from(NEW_ORDER)
                .where(NEW_ORDER.NO_W_ID.eq(SMALL_ID).and(NEW_ORDER.NO_D_ID.eq(SMALL_ID)))
                .orderBy(NEW_ORDER.NO_W_ID, NEW_ORDER.NO_D_ID, NEW_ORDER.NO_O_ID)
                .limit(DSL.inline(1))
                .getSQL();
    }

    private String deliverOrderLines() {
        return sql.update(ORDER_LINE)
                .set(ORDER_LINE.OL_DELIVERY_D, TIME)
                .where(ORDER_LINES_KEY)
                .getSQL();
    }

    private String orderAmount() {
        return sql.select(sum(ORDER_LINE.OL_AMOUNT))
                .from(ORDER_LINE)
                .where(ORDER_LINES_KEY)
                .getSQL();
    }

    private String creditCustomer() {
        return sql.update(CUSTOMER)
                .set(CUSTOMER.C_BALANCE, CUSTOMER.C_BALANCE.plus(CENTS))
                .set(CUSTOMER.C_DELIVERY_CNT, CUSTOMER.C_DELIVERY_CNT.plus(DSL.inline(1)))
                .where(CUSTOMER_KEY)
                .getSQL();
    }

    private String lowStock() {
        return sql.select(countDistinct(STOCK.S_I_ID))
                .from(ORDER_LINE)
                .join(STOCK)
                .on(STOCK.S_W_ID.eq(ORDER_LINE.OL_W_ID).and(STOCK.S_I_ID.eq(ORDER_LINE.OL_I_ID)))
                .where(ORDER_LINE
                        .OL_W_ID
                        .eq(SMALL_ID)
                        .and(ORDER_LINE.OL_D_ID.eq(SMALL_ID))
                        .and(ORDER_LINE.OL_O_ID.ge(ID))
                        .and(ORDER_LINE.OL_O_ID.lt(ID))
                        .and(STOCK.S_QUANTITY.lt(SMALL_ID)))
                .getSQL();
    }

    private String locking(SelectConditionStep<? extends Record> select) {
        return forUpdate ? select.forUpdate().getSQL() : select.getSQL();
    }

    private static Field<String> districtInfo(int districtId) {
        return switch (districtId) {
            case 1 -> STOCK.S_DIST_01;
            case 2 -> STOCK.S_DIST_02;
            case 3 -> STOCK.S_DIST_03;
            case 4 -> STOCK.S_DIST_04;
            case 5 -> STOCK.S_DIST_05;
            case 6 -> STOCK.S_DIST_06;
            case 7 -> STOCK.S_DIST_07;
            case 8 -> STOCK.S_DIST_08;
            case 9 -> STOCK.S_DIST_09;
            case 10 -> STOCK.S_DIST_10;
            default -> throw new IllegalArgumentException("districtId=" + districtId + " outside 1 to 10");
        };
    }

    /** Inserts a whole row, columns in the order of the schema. */
    String insert(Table<?> table) {
        return sql.insertInto(table, table.fields())
                .values(Arrays.stream(table.fields())
                        .map(field -> val(null, field))
                        .toList())
                .getSQL();
    }

    /** Reads a whole table in the order of its key. */
    String scan(Table<?> table) {
        return sql.select(table.fields())
                .from(table)
                .orderBy(table.getPrimaryKey().getFields())
                .getSQL();
    }

    /** Creates the tables with their keys and indexes. */
    List<String> schema() {
        List<String> statements = new ArrayList<>();
        for (Table<?> table : TABLES) {
            statements.add(sql.createTable(table)
                    .columns(table.fields())
                    .constraints(DSL.constraint(table.getPrimaryKey().getName())
                            .primaryKey(table.getPrimaryKey().getFieldsArray()))
                    .getSQL());
            for (Index index : table.getIndexes()) {
                statements.add(sql.createIndex(index.getName())
                        .on(table, index.getFields())
                        .getSQL());
            }
        }
        return statements;
    }
}
