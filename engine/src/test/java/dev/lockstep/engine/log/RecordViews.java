package dev.lockstep.engine.log;

import dev.lockstep.engine.memory.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Shows records that no log has. */
public final class RecordViews {
    private RecordViews() {}

    /** A copy of the record that a buffer holds, as if it were at an LSN. */
    public static LogRecordView of(LogRecordBuffer record, long lsn) {
        byte[] bytes = Arrays.copyOf(record.array(), record.finish());
        LogRecordView view = new LogRecordView();
        view.moveTo(NativeMemory.checked(MemorySegment.ofArray(bytes)), 0, lsn);
        return view;
    }
}
