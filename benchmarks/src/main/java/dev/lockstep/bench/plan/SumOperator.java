package dev.lockstep.bench.plan;

import dev.lockstep.engine.Record;
import java.util.function.ToLongFunction;

/** The root of a plan: sums up over all rows, and makes one row of it, the sum. */
public final class SumOperator extends Operator {
    private final Operator input;
    private final Record row;
    private final ToLongFunction<Record> value;
    private long sum;

    /**
     * Makes one.
     *
     * @param row that the input fills
     * @param value to be summed up
     */
    public SumOperator(String name, Operator input, Record row, ToLongFunction<Record> value) {
        super(name, "");
        this.input = input;
        this.row = row;
        this.value = value;
    }

    @Override
    protected boolean produce() {
        long added = 0;
        while (input.next()) {
            added += value.applyAsLong(row);
        }
        sum = added;
        return true;
    }

    /** The sum of the last call of {@link #next}. */
    public long sum() {
        return sum;
    }
}
