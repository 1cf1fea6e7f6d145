package dev.lockstep.engine.type;

/**
 * Takes the bytes of a record that an operation has found, and remembers where it found them. Written by one thread at
 * a time. An operation may write bytes that it then finds to be torn, and write again: what is there counts when the
 * operation has ended.
 */
public interface RecordTarget {
    /**
     * Makes room for a key.
     *
     * @param bytes how many it must hold
     * @return the array to write to
     */
    byte[] ensureKeyCapacity(int bytes);

    /**
     * Sets the length of the key that was written to the array.
     *
     * @param bytes the length
     */
    void setKeyLength(int bytes);

    /**
     * How much of a value is wanted, from its first byte on. Stubs of overflow chains are copied as they are.
     *
     * @return bytes; no value has more than {@link Integer#MAX_VALUE}
     */
    default int valueBytesWanted() {
        return Integer.MAX_VALUE;
    }

    /**
     * Makes room for a value.
     *
     * @param bytes how many it must hold
     * @return the array to write to
     */
    byte[] ensureValueCapacity(int bytes);

    /**
     * Sets the length of the value that was written to the array.
     *
     * @param bytes the length
     */
    void setValueLength(int bytes);

    /**
     * Remembers where the record was found, as a hint for the change that may follow.
     *
     * @param pageId its page
     * @param frame the frame that held the page
     * @param slot its slot in the page
     * @param version the version of the frame's latch under which that was so
     * @param treeStamp identifies the tree within this JVM, so that a record that is used with another database is
     *     not looked for there
     * @param lockStamp identifies the transaction that holds the record's exclusive lock, to its end, within this JVM;
     *     0 if none is known to
     */
    void setPosition(int pageId, int frame, int slot, long version, int treeStamp, long lockStamp);
}
