package dev.lockstep.tpcc.adapter;

import java.util.Arrays;

/** A reusable row of table STOCK. Not thread-safe. */
public final class StockRow {
    /** S_W_ID. */
    public int warehouseId;

    /** S_I_ID. */
    public int itemId;

    /** S_QUANTITY; may become negative in no transaction. */
    public int quantity;

    /** S_DIST_01 to S_DIST_10, at indexes 0 to 9. A read for an order fills that of its district alone. */
    public final Text[] districtInfos = new Text[TpccScale.DISTRICTS];

    /** S_YTD: quantity sold. */
    public int ytd;

    /** S_ORDER_CNT. */
    public int orderCount;

    /** S_REMOTE_CNT. */
    public int remoteCount;

    /** S_DATA. */
    public final Text data = new Text(50);

    /** Creates an empty row. */
    public StockRow() {
        for (int i = 0; i < districtInfos.length; i++) {
            districtInfos[i] = new Text(OrderLineRow.DISTRICT_INFO_CHARACTERS);
        }
    }

    private StockRow(Text districtInfo) {
        Arrays.fill(districtInfos, districtInfo);
    }

    /** Creates a row that holds S_DIST of one district at a time: ten thousand terminals have fifteen of these each. */
    public static StockRow forOrder() {
        return new StockRow(new Text(OrderLineRow.DISTRICT_INFO_CHARACTERS));
    }
}
