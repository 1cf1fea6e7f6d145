package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.Arrays;

/** Which transactions a run consists of. */
public enum TransactionMix {
    /** The standard mix: of 23 cards 10 New-Order, 10 Payment and one of each other type (clause 5.2.4.2). */
    STANDARD(10, 10, 1, 1, 1),
    /** The standard mix without Delivery, which the specification runs in the background. */
    INTERACTIVE(10, 10, 1, 0, 1),
    /** New-Order alone. */
    NEW_ORDER(1, 0, 0, 0, 0),
    /** Payment alone. */
    PAYMENT(0, 1, 0, 0, 0),
    /** Order-Status alone. */
    ORDER_STATUS(0, 0, 1, 0, 0),
    /** Delivery alone; once every district is empty it does nothing. */
    DELIVERY(0, 0, 0, 1, 0),
    /** Stock-Level alone. */
    STOCK_LEVEL(0, 0, 0, 0, 1);

    private final int newOrders;
    private final int payments;
    private final int orderStatuses;
    private final int deliveries;
    private final int stockLevels;

    TransactionMix(int newOrders, int payments, int orderStatuses, int deliveries, int stockLevels) {
        this.newOrders = newOrders;
        this.payments = payments;
        this.orderStatuses = orderStatuses;
        this.deliveries = deliveries;
        this.stockLevels = stockLevels;
    }

    /** How many cards of a type the deck holds. */
    public int count(TransactionType type) {
        return switch (type) {
            case NEW_ORDER -> newOrders;
            case PAYMENT -> payments;
            case ORDER_STATUS -> orderStatuses;
            case DELIVERY -> deliveries;
            case STOCK_LEVEL -> stockLevels;
        };
    }

    /** The cards of a new deck, unshuffled, as ordinals of {@link TransactionType}. */
    int[] cards() {
        int[] cards = new int[newOrders + payments + orderStatuses + deliveries + stockLevels];
        int at = 0;
        for (TransactionType type : TransactionType.values()) {
            Arrays.fill(cards, at, at + count(type), type.ordinal());
            at += count(type);
        }
        return cards;
    }
}
