package dev.lockstep.tpcc.lockstep;

import dev.lockstep.engine.TableDefinition;
import dev.lockstep.tpcc.schema.Tables;

/** Ordinals of the columns, looked up once by name, so that a statement addresses a column by a constant. */
final class Columns {
    private static final TableDefinition WAREHOUSE = LockstepSchema.definition(Tables.WAREHOUSE);
    private static final TableDefinition DISTRICT = LockstepSchema.definition(Tables.DISTRICT);
    private static final TableDefinition CUSTOMER = LockstepSchema.definition(Tables.CUSTOMER);
    private static final TableDefinition HISTORY = LockstepSchema.definition(Tables.HISTORY);
    private static final TableDefinition NEW_ORDER = LockstepSchema.definition(Tables.NEW_ORDER);
    private static final TableDefinition ORDERS = LockstepSchema.definition(Tables.ORDERS);
    private static final TableDefinition ORDER_LINE = LockstepSchema.definition(Tables.ORDER_LINE);
    private static final TableDefinition ITEM = LockstepSchema.definition(Tables.ITEM);
    private static final TableDefinition STOCK = LockstepSchema.definition(Tables.STOCK);

    static final int W_ID = WAREHOUSE.ordinal("w_id");
    static final int W_NAME = WAREHOUSE.ordinal("w_name");
    static final int W_STREET_1 = WAREHOUSE.ordinal("w_street_1");
    static final int W_STREET_2 = WAREHOUSE.ordinal("w_street_2");
    static final int W_CITY = WAREHOUSE.ordinal("w_city");
    static final int W_STATE = WAREHOUSE.ordinal("w_state");
    static final int W_ZIP = WAREHOUSE.ordinal("w_zip");
    static final int W_TAX = WAREHOUSE.ordinal("w_tax");
    static final int W_YTD = WAREHOUSE.ordinal("w_ytd");

    static final int D_W_ID = DISTRICT.ordinal("d_w_id");
    static final int D_ID = DISTRICT.ordinal("d_id");
    static final int D_NAME = DISTRICT.ordinal("d_name");
    static final int D_STREET_1 = DISTRICT.ordinal("d_street_1");
    static final int D_STREET_2 = DISTRICT.ordinal("d_street_2");
    static final int D_CITY = DISTRICT.ordinal("d_city");
    static final int D_STATE = DISTRICT.ordinal("d_state");
    static final int D_ZIP = DISTRICT.ordinal("d_zip");
    static final int D_TAX = DISTRICT.ordinal("d_tax");
    static final int D_YTD = DISTRICT.ordinal("d_ytd");
    static final int D_NEXT_O_ID = DISTRICT.ordinal("d_next_o_id");

    static final int C_W_ID = CUSTOMER.ordinal("c_w_id");
    static final int C_D_ID = CUSTOMER.ordinal("c_d_id");
    static final int C_ID = CUSTOMER.ordinal("c_id");
    static final int C_FIRST = CUSTOMER.ordinal("c_first");
    static final int C_MIDDLE = CUSTOMER.ordinal("c_middle");
    static final int C_LAST = CUSTOMER.ordinal("c_last");
    static final int C_STREET_1 = CUSTOMER.ordinal("c_street_1");
    static final int C_STREET_2 = CUSTOMER.ordinal("c_street_2");
    static final int C_CITY = CUSTOMER.ordinal("c_city");
    static final int C_STATE = CUSTOMER.ordinal("c_state");
    static final int C_ZIP = CUSTOMER.ordinal("c_zip");
    static final int C_PHONE = CUSTOMER.ordinal("c_phone");
    static final int C_SINCE = CUSTOMER.ordinal("c_since");
    static final int C_CREDIT = CUSTOMER.ordinal("c_credit");
    static final int C_CREDIT_LIM = CUSTOMER.ordinal("c_credit_lim");
    static final int C_DISCOUNT = CUSTOMER.ordinal("c_discount");
    static final int C_BALANCE = CUSTOMER.ordinal("c_balance");
    static final int C_YTD_PAYMENT = CUSTOMER.ordinal("c_ytd_payment");
    static final int C_PAYMENT_CNT = CUSTOMER.ordinal("c_payment_cnt");
    static final int C_DELIVERY_CNT = CUSTOMER.ordinal("c_delivery_cnt");
    static final int C_DATA = CUSTOMER.ordinal("c_data");
    static final String CUSTOMER_BY_NAME = "customer_by_name";

    static final int H_ID = HISTORY.ordinal("h_id");
    static final int H_C_ID = HISTORY.ordinal("h_c_id");
    static final int H_C_D_ID = HISTORY.ordinal("h_c_d_id");
    static final int H_C_W_ID = HISTORY.ordinal("h_c_w_id");
    static final int H_D_ID = HISTORY.ordinal("h_d_id");
    static final int H_W_ID = HISTORY.ordinal("h_w_id");
    static final int H_DATE = HISTORY.ordinal("h_date");
    static final int H_AMOUNT = HISTORY.ordinal("h_amount");
    static final int H_DATA = HISTORY.ordinal("h_data");

    static final int NO_W_ID = NEW_ORDER.ordinal("no_w_id");
    static final int NO_D_ID = NEW_ORDER.ordinal("no_d_id");
    static final int NO_O_ID = NEW_ORDER.ordinal("no_o_id");

    static final int O_W_ID = ORDERS.ordinal("o_w_id");
    static final int O_D_ID = ORDERS.ordinal("o_d_id");
    static final int O_ID = ORDERS.ordinal("o_id");
    static final int O_C_ID = ORDERS.ordinal("o_c_id");
    static final int O_ENTRY_D = ORDERS.ordinal("o_entry_d");
    static final int O_CARRIER_ID = ORDERS.ordinal("o_carrier_id");
    static final int O_OL_CNT = ORDERS.ordinal("o_ol_cnt");
    static final int O_ALL_LOCAL = ORDERS.ordinal("o_all_local");
    static final String ORDERS_BY_CUSTOMER = "orders_by_customer";

    static final int OL_W_ID = ORDER_LINE.ordinal("ol_w_id");
    static final int OL_D_ID = ORDER_LINE.ordinal("ol_d_id");
    static final int OL_O_ID = ORDER_LINE.ordinal("ol_o_id");
    static final int OL_NUMBER = ORDER_LINE.ordinal("ol_number");
    static final int OL_I_ID = ORDER_LINE.ordinal("ol_i_id");
    static final int OL_SUPPLY_W_ID = ORDER_LINE.ordinal("ol_supply_w_id");
    static final int OL_DELIVERY_D = ORDER_LINE.ordinal("ol_delivery_d");
    static final int OL_QUANTITY = ORDER_LINE.ordinal("ol_quantity");
    static final int OL_AMOUNT = ORDER_LINE.ordinal("ol_amount");
    static final int OL_DIST_INFO = ORDER_LINE.ordinal("ol_dist_info");

    static final int I_ID = ITEM.ordinal("i_id");
    static final int I_IM_ID = ITEM.ordinal("i_im_id");
    static final int I_NAME = ITEM.ordinal("i_name");
    static final int I_PRICE = ITEM.ordinal("i_price");
    static final int I_DATA = ITEM.ordinal("i_data");

    static final int S_W_ID = STOCK.ordinal("s_w_id");
    static final int S_I_ID = STOCK.ordinal("s_i_id");
    static final int S_QUANTITY = STOCK.ordinal("s_quantity");

    /** S_DIST_01; the other nine follow. */
    static final int S_DIST_01 = STOCK.ordinal("s_dist_01");

    static final int S_YTD = STOCK.ordinal("s_ytd");
    static final int S_ORDER_CNT = STOCK.ordinal("s_order_cnt");
    static final int S_REMOTE_CNT = STOCK.ordinal("s_remote_cnt");
    static final int S_DATA = STOCK.ordinal("s_data");

    private Columns() {}
}
