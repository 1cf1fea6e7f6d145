package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;

/**
 * What an emulated user types in for one transaction: the fields of all five types in one reusable object. Not
 * thread-safe.
 */
public final class TransactionInput {
    /** Which transaction this is. */
    public TransactionType type = TransactionType.NEW_ORDER;

    /** The terminal's warehouse. */
    public int warehouseId;

    /** The district; Delivery goes through all of them. */
    public int districtId;

    /** Date and time of the transaction in milliseconds since the epoch. */
    public long nowMillis;

    /** The customer's warehouse. */
    public int customerWarehouseId;

    /** The customer's district. */
    public int customerDistrictId;

    /** The customer's number, or 0 to select by {@link #lastName}. */
    public int customerId;

    /** The customer's last name where {@link #customerId} is 0. */
    public LastName lastName = LastName.of(0);

    /** New-Order: number of lines. */
    public int lineCount;

    /** New-Order: 1 when no line is remote. */
    public int allLocal;

    /** New-Order: items in ascending order within a supplying warehouse. One that does not exist forces a rollback. */
    public final int[] itemIds = new int[TpccScale.ORDER_LINES_MAX];

    /** New-Order: supplying warehouses, ascending. */
    public final int[] supplyWarehouseIds = new int[TpccScale.ORDER_LINES_MAX];

    /** New-Order: quantities. */
    public final int[] quantities = new int[TpccScale.ORDER_LINES_MAX];

    /** Payment: the amount in cents. */
    public long amountCents;

    /** Payment: the key of the HISTORY row. */
    public long historyId;

    /** Delivery: the carrier. */
    public int carrierId;

    /** Stock-Level: the threshold. */
    public int threshold;
}
