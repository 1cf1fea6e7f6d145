package dev.lockstep.tpcc.workload;

import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TransactionType;

/**
 * One emulated user: its home warehouse and district, its deck, its input generator and the tally of what it committed.
 * Not thread-safe; knows nothing of threads.
 */
public final class Terminal {
    /** HISTORY keys of a terminal: its number from 1 above a count that starts with the run's second. */
    private static final int HISTORY_NUMBER_SHIFT = 46;

    /** A million payments a second by one terminal would use up the keys of each second. */
    private static final int HISTORY_SECOND_SHIFT = 20;

    /** 2025-01-01: seconds counted from here leave the keys positive for two years' worth of 26 bits. */
    private static final long HISTORY_EPOCH_SECOND = 1_735_689_600L;

    /** Most terminals that the keys of HISTORY can tell apart. */
    public static final int TERMINALS_MAX = (1 << (Long.SIZE - 1 - HISTORY_NUMBER_SHIFT)) - 1;

    private final TransactionDeck deck;
    private final InputGenerator generator;
    private final Tally tally;

    /**
     * @param number of the terminal, from 0; consecutive terminals belong to consecutive warehouses
     * @param seed of the run
     * @param nowMillis when the run starts, in milliseconds since the epoch
     */
    public Terminal(
            int number, TpccScale scale, NonUniformConstants constants, TransactionMix mix, long seed, long nowMillis) {
        int warehouseId = number % scale.warehouses() + 1;
        int districtId = number / scale.warehouses() % TpccScale.DISTRICTS + 1;
        this.generator = new InputGenerator(
                scale,
                constants,
                TpccRandom.seed(seed, 1_000L + number),
                warehouseId,
                districtId,
                firstHistoryId(number, nowMillis));
        this.deck = new TransactionDeck(mix, generator.random());
        this.tally = new Tally(warehouseId, 1);
    }

    private static long firstHistoryId(int number, long nowMillis) {
        long second = Math.max(nowMillis / 1_000 - HISTORY_EPOCH_SECOND, 0) + 1;
        return (number + 1L) << HISTORY_NUMBER_SHIFT
                | ((second << HISTORY_SECOND_SHIFT) & ((1L << HISTORY_NUMBER_SHIFT) - 1));
    }

    /** The type of the next transaction. */
    TransactionType draw() {
        return deck.draw();
    }

    /** Fills in the input of the next transaction. */
    void input(TransactionType type, long nowMillis, TransactionInput input) {
        generator.next(type, nowMillis, input);
    }

    /** Random numbers for think times and pauses. */
    TpccRandom random() {
        return generator.random();
    }

    /** What this terminal committed. Read by others only after its thread has ended. */
    public Tally tally() {
        return tally;
    }
}
