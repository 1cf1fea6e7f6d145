package dev.lockstep.tpcc.adapter;

/** The five transactions of TPC-C, in the order of clause 2. */
public enum TransactionType {
    NEW_ORDER("New-Order", false),
    PAYMENT("Payment", false),
    ORDER_STATUS("Order-Status", true),
    DELIVERY("Delivery", false),
    STOCK_LEVEL("Stock-Level", true);

    /** The number of transaction types. */
    public static final int COUNT = 5;

    private final String title;
    private final boolean readOnly;

    TransactionType(String title, boolean readOnly) {
        this.title = title;
        this.readOnly = readOnly;
    }

    /** The name that the specification gives it. */
    public String title() {
        return title;
    }

    /** Whether it changes nothing. */
    public boolean readOnly() {
        return readOnly;
    }
}
