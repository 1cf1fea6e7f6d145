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

    /**
     * Learns of a record that it will soon be asked to repeat, so that what takes time can begin. A record that cannot
     * be read is passed over: {@link #redo} says so in its turn.
     *
     * @param record the record, in a view that moves on afterwards
     */
    default void expect(LogRecordView record) {}
}
