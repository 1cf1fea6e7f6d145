package dev.lockstep.bench.plan;

import dev.lockstep.engine.Cursor;
import dev.lockstep.engine.Record;

/** Reads a cursor to its end. */
public final class ScanOperator extends Operator {
    private final Record row;
    private Cursor cursor;

    /**
     * Makes one; {@link #open} comes next.
     *
     * @param row takes each row
     */
    public ScanOperator(String name, String caller, Record row) {
        super(name, caller);
        this.row = row;
    }

    /** Begins anew, with the rows of a cursor, which stays the caller's. */
    public void open(Cursor rows) {
        cursor = rows;
    }

    @Override
    protected boolean produce() {
        return cursor.next(row);
    }
}
