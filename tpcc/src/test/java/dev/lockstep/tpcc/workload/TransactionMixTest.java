package dev.lockstep.tpcc.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionMixTest {
    private static final long SEED = 5;

    @ParameterizedTest
    @EnumSource(TransactionMix.class)
    void everyDeckHoldsTheMixExactly(TransactionMix mix) {
        TransactionDeck deck = new TransactionDeck(mix, new TpccRandom(SEED));
        int cards = mix.cards().length;
        List<List<TransactionType>> decks = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            List<TransactionType> drawn = new ArrayList<>();
            for (int i = 0; i < cards; i++) {
                drawn.add(deck.draw());
            }
            for (TransactionType type : TransactionType.values()) {
                assertEquals(
                        mix.count(type), drawn.stream().filter(type::equals).count(), type + " seed " + SEED);
            }
            decks.add(drawn);
        }
        if (cards > 1) {
            assertNotEquals(decks.get(0), decks.get(1), "shuffled anew");
        }
    }

    @Test
    void mixesAreThoseOfTheSpecification() {
        assertEquals(23, TransactionMix.STANDARD.cards().length);
        assertEquals(10, TransactionMix.STANDARD.count(TransactionType.NEW_ORDER));
        assertEquals(10, TransactionMix.STANDARD.count(TransactionType.PAYMENT));
        assertEquals(1, TransactionMix.STANDARD.count(TransactionType.DELIVERY));
        assertEquals(22, TransactionMix.INTERACTIVE.cards().length);
        assertEquals(0, TransactionMix.INTERACTIVE.count(TransactionType.DELIVERY));
    }
}
