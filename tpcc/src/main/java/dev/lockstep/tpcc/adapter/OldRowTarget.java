package dev.lockstep.tpcc.adapter;

import java.util.List;

/** Takes rows that have left a database, after the transaction that removed them has committed. */
public interface OldRowTarget {
    /** An order, with all its lines. They are not changed afterwards. */
    void order(OrderRow order, List<OrderLineRow> lines);

    /** A payment. It is not changed afterwards. */
    void history(HistoryRow row);
}
