package dev.lockstep.engine.btree;

import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.memory.NativeMemory;

/** The system change that takes a ghost out of its leaf. Stateless. */
public final class GhostRemoval {
    private GhostRemoval() {}

    /** Encodes the removal. */
    public static void log(LogRecordBuffer record, int pageId, byte[] key, int keyBytes) {
        SystemChange.begin(record);
        SystemChange.addRemoveRecord(record, pageId, key, keyBytes);
        record.finish();
    }

    /** Removes the ghost at {@code slot} of a latched leaf. */
    public static void apply(NativeMemory memory, long page, int slot) {
        NodeEditor.removeSlot(memory, page, slot);
    }
}
