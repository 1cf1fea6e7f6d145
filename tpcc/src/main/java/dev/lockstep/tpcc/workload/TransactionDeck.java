package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TransactionType;

/**
 * One terminal's deck of cards (clause 5.2.4.2): the mix is dealt exactly, in an order that is shuffled anew each time
 * the deck is used up. Not thread-safe.
 */
public final class TransactionDeck {
    private static final TransactionType[] TYPES = TransactionType.values();

    private final int[] cards;
    private final TpccRandom random;
    private int next;

    /** @param random shuffles the cards */
    public TransactionDeck(TransactionMix mix, TpccRandom random) {
        this.cards = mix.cards();
        this.random = random;
        this.next = cards.length;
    }

    /** The type of the next transaction. */
    public TransactionType draw() {
        if (next == cards.length) {
            random.shuffle(cards);
            next = 0;
        }
        return TYPES[cards[next++]];
    }
}
