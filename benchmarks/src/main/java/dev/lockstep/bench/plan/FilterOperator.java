package dev.lockstep.bench.plan;

import dev.lockstep.engine.Record;
import java.util.function.Predicate;

/** Leaves out the rows that do not fit. */
public final class FilterOperator extends Operator {
    private final Operator input;
    private final Record row;
    private final Predicate<Record> fits;

    /**
     * Makes one.
     *
     * @param row that the input fills
     */
    public FilterOperator(String name, String caller, Operator input, Record row, Predicate<Record> fits) {
        super(name, caller);
        this.input = input;
        this.row = row;
        this.fits = fits;
    }

    @Override
    protected boolean produce() {
        while (input.next()) {
            if (fits.test(row)) {
                return true;
            }
        }
        return false;
    }
}
