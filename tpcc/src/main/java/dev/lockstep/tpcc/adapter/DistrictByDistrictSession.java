package dev.lockstep.tpcc.adapter;

/**
 * A session of an engine that has no way to ask for the rows of several districts together: a Delivery goes through
 * them one by one, in ascending order. Used by one thread at a time, as any session.
 */
public abstract class DistrictByDistrictSession implements TpccSession {
    /** For subclasses. */
    protected DistrictByDistrictSession() {}

    @Override
    public final int removeOldestNewOrders(int warehouseId, int[] districtIds, int[] orderIds) {
        int count = 0;
        for (int districtId = 1; districtId <= TpccScale.DISTRICTS; districtId++) {
            int orderId = removeOldestNewOrder(warehouseId, districtId);
            if (orderId != 0) {
                districtIds[count] = districtId;
                orderIds[count++] = orderId;
            }
        }
        return count;
    }

    @Override
    public final void deliverOrders(
            int warehouseId, int[] districtIds, int[] orderIds, int count, int carrierId, int[] customerIds) {
        for (int i = 0; i < count; i++) {
            customerIds[i] = deliverOrder(warehouseId, districtIds[i], orderIds[i], carrierId);
        }
    }

    @Override
    public final void deliverOrderLines(
            int warehouseId, int[] districtIds, int[] orderIds, int count, long deliveryMillis, long[] amountsCents) {
        for (int i = 0; i < count; i++) {
            amountsCents[i] = deliverOrderLines(warehouseId, districtIds[i], orderIds[i], deliveryMillis);
        }
    }

    @Override
    public final void creditCustomers(
            int warehouseId, int[] districtIds, int[] customerIds, long[] amountsCents, int count) {
        for (int i = 0; i < count; i++) {
            creditCustomer(warehouseId, districtIds[i], customerIds[i], amountsCents[i]);
        }
    }

    /**
     * Deletes the district's row with the lowest NO_O_ID from NEW_ORDER.
     *
     * @return NO_O_ID, or 0 when the district has none
     */
    protected abstract int removeOldestNewOrder(int warehouseId, int districtId);

    /**
     * Sets O_CARRIER_ID of an order.
     *
     * @return its O_C_ID
     */
    protected abstract int deliverOrder(int warehouseId, int districtId, int orderId, int carrierId);

    /**
     * Sets OL_DELIVERY_D of all lines of an order.
     *
     * @return the sum of their OL_AMOUNT in cents
     */
    protected abstract long deliverOrderLines(int warehouseId, int districtId, int orderId, long deliveryMillis);

    /** Adds an amount to C_BALANCE and 1 to C_DELIVERY_CNT of a customer. */
    protected abstract void creditCustomer(int warehouseId, int districtId, int customerId, long amountCents);
}
