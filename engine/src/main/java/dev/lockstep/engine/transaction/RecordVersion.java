package dev.lockstep.engine.transaction;

import dev.lockstep.engine.btree.Node;
import dev.lockstep.engine.memory.NativeMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a record was before a transaction changed it for the first time since snapshots were open.
 *
 * <p>Immutable but for {@code overflow}, which is set once, before the pages of an overflow chain are given back, and
 * {@code bytes}: what this takes, roughly, and negative once it is counted no longer.
 */
final class RecordVersion extends OverflowSource {
    /** Bytes of the objects around a value: this one, its array's header, its place in the array of versions. */
    static final int BYTES_AROUND = 72;

    private static final int NOT_COUNTED = Integer.MIN_VALUE / 2;

    private static final VarHandle BYTES;

    static {
        try {
            BYTES = MethodHandles.lookup().findVarHandle(RecordVersion.class, "bytes", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The transaction that replaced this version. */
    final long replacedBy;

    /** The transaction that wrote this version; 0 where there was no record. */
    final long writtenBy;

    final int slotFlags;

    /** The value, or the stub of its overflow chain; null where there was no record. */
    final byte[] value;

    private int bytes;

    private RecordVersion(long replacedBy, long writtenBy, int slotFlags, byte[] value) {
        this.replacedBy = replacedBy;
        this.writtenBy = writtenBy;
        this.slotFlags = slotFlags;
        this.value = value;
        bytes = BYTES_AROUND + (value == null ? 0 : value.length);
    }

    /** The version before an insert of a key that was not there. */
    static RecordVersion absent(long replacedBy) {
        return new RecordVersion(replacedBy, 0, 0, null);
    }

    /** The version in a slot of a latched leaf. */
    static RecordVersion of(long replacedBy, NativeMemory memory, long page, int slot) {
        byte[] value = Node.bytes(memory, Node.valueAddress(memory, page, slot), Node.valueBytes(memory, page, slot));
        return new RecordVersion(
                replacedBy, Node.version(memory, page, slot), Node.slotFlags(memory, page, slot), value);
    }

    /** Bytes of memory, roughly, before others see this. */
    int bytes() {
        return bytes;
    }

    /** Counts what this takes more; false where it is counted no longer. */
    boolean added(int moreBytes) {
        return (int) BYTES.getAndAdd(this, moreBytes) >= 0;
    }

    /** Ends the count, once; returns what was counted. */
    int bytesNoLonger() {
        return (int) BYTES.getAndSet(this, NOT_COUNTED);
    }
}
