package dev.lockstep.tpcc.adapter;

/**
 * The cardinalities of a TPC-C database (clause 1.2.1). Everything but the number of warehouses is fixed by the
 * specification; tests and trials use smaller ones, which keep every rule of the population.
 *
 * @param warehouses number of warehouses, 1 or more
 * @param items number of items, and of stock rows per warehouse
 * @param customersPerDistrict number of customers of each district, and of its orders after loading
 * @param newOrdersPerDistrict how many of a district's orders are still undelivered after loading, the newest ones
 */
public record TpccScale(int warehouses, int items, int customersPerDistrict, int newOrdersPerDistrict) {
    /** The most warehouses: their identifiers are of type SMALLINT. */
    public static final int WAREHOUSES_MAX = Short.MAX_VALUE;

    /** Districts of each warehouse. */
    public static final int DISTRICTS = 10;

    /** The fewest lines of an order (clause 2.4.1.3). */
    public static final int ORDER_LINES_MIN = 5;

    /** The most lines of an order (clause 2.4.1.3). */
    public static final int ORDER_LINES_MAX = 15;

    /** Distinct last names (clause 4.3.2.3). */
    public static final int LAST_NAMES = 1_000;

    /** The most that {@link #shrunk} divides by: it leaves nine new orders of each district. */
    public static final int SHRINK_MAX = 100;

    private static final int ITEMS = 100_000;
    private static final int CUSTOMERS = 3_000;
    private static final int NEW_ORDERS = 900;

    /** Checks the relations between the parameters. */
    public TpccScale {
        if (warehouses < 1 || items < ORDER_LINES_MAX || customersPerDistrict < 1) {
            throw new IllegalArgumentException("scale too small warehouses=" + warehouses + " items=" + items
                    + " customersPerDistrict=" + customersPerDistrict + ": at least 1, " + ORDER_LINES_MAX + " and 1");
        }
        if (newOrdersPerDistrict < 0 || newOrdersPerDistrict > customersPerDistrict) {
            throw new IllegalArgumentException("newOrdersPerDistrict=" + newOrdersPerDistrict
                    + " outside 0 to customersPerDistrict=" + customersPerDistrict);
        }
    }

    /** The specification's cardinalities for a number of warehouses. */
    public static TpccScale standard(int warehouses) {
        return shrunk(warehouses, 1);
    }

    /**
     * The specification's cardinalities, each but that of the warehouses divided by a number.
     *
     * @param warehouses number of warehouses, 1 or more
     * @param divisor 1 to {@link #SHRINK_MAX}
     */
    public static TpccScale shrunk(int warehouses, int divisor) {
        if (divisor < 1 || divisor > SHRINK_MAX) {
            throw new IllegalArgumentException("divisor=" + divisor + " outside 1 to " + SHRINK_MAX);
        }
        return new TpccScale(warehouses, ITEMS / divisor, CUSTOMERS / divisor, NEW_ORDERS / divisor);
    }

    /** Districts in the whole database. */
    public int districts() {
        return warehouses * DISTRICTS;
    }

    /** Customers in the whole database. */
    public int customers() {
        return districts() * customersPerDistrict;
    }

    /** Orders of a district that are delivered when the database is loaded: 2,100 by the specification. */
    public int deliveredPerDistrict() {
        return customersPerDistrict - newOrdersPerDistrict;
    }

    /** Last names in use: the first customers of a district take one each, so that every one of them occurs. */
    public int lastNames() {
        return Math.min(LAST_NAMES, customersPerDistrict);
    }

    /** Dense index of a district, from 0. */
    public static int districtIndex(int warehouseId, int districtId) {
        return (warehouseId - 1) * DISTRICTS + districtId - 1;
    }

    /** Dense index of a customer, from 0. */
    public int customerIndex(int warehouseId, int districtId, int customerId) {
        return districtIndex(warehouseId, districtId) * customersPerDistrict + customerId - 1;
    }
}
