package dev.lockstep.engine.recovery;

import dev.lockstep.engine.log.LogRecordView;

/** Repeats what the log says was done. */
@FunctionalInterface
public interface RedoHandler {
    /**
     * Repeats one record, where the page does not contain it yet. Called for every record of the scan in the order of
     * LSNs, those that end transactions included; after a crash during recovery, for the same ones again.
     *
     * @param record the record, in a view that moves on afterwards
     */
    void redo(LogRecordView record);
}
