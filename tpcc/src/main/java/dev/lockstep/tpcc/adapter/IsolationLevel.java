package dev.lockstep.tpcc.adapter;

/** The isolation levels of the SQL standard, from weak to strong. */
public enum IsolationLevel {
    READ_UNCOMMITTED,
    READ_COMMITTED,
    REPEATABLE_READ,
    SERIALIZABLE;

    /**
     * The level that TPC-C asks for (clause 3.4): Stock-Level may run at READ COMMITTED, the others are serializable.
     */
    public static IsolationLevel required(TransactionType type) {
        return type == TransactionType.STOCK_LEVEL ? READ_COMMITTED : SERIALIZABLE;
    }

    /** The name that the standard gives it. */
    public String title() {
        return name().replace('_', ' ');
    }
}
