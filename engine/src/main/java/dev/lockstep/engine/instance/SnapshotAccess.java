package dev.lockstep.engine.instance;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Key;
import dev.lockstep.engine.Record;
import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.OverflowChain;
import dev.lockstep.engine.operation.SnapshotFetchOperation;
import dev.lockstep.engine.transaction.OverflowSource;
import dev.lockstep.engine.transaction.SnapshotRecord;
import java.util.Arrays;

/** Rows of a table as they are in the transaction's snapshot. Used by one thread at a time. */
final class SnapshotAccess {
    private final TableAccess access;
    private final SessionCore session;
    private SnapshotRecord record = new SnapshotRecord();
    private SnapshotRecord seenBefore = new SnapshotRecord();

    SnapshotAccess(TableAccess access) {
        this.access = access;
        this.session = access.session();
    }

    /** Fetches rows one after the other; returns how many there are. */
    int fetch(Key[] keys, Record[] into, boolean[] found, int first, int end) {
        int foundCount = 0;
        for (int i = first; i < end; i++) {
            found[i] = fetch(keys[i].bytes(), keys[i].length(), into[i]);
            foundCount += found[i] ? 1 : 0;
        }
        return foundCount;
    }

    /** Fetches a row. */
    boolean fetch(byte[] key, int keyBytes, Record into) {
        access.checks().requireReadable(into);
        look(key, keyBytes);
        if (!record.exists()) {
            return false;
        }
        // Before the first byte: if this fails then, what is there is no row.
        into.setPosition(Record.NO_POSITION, 0, 0, 0, 0, 0);
        if (record.isOverflow()) {
            readOverflow(key, keyBytes, into);
        } else {
            int bytes = Math.min(record.valueBytes(), into.valueBytesWanted());
            System.arraycopy(record.value(), 0, into.ensureValueCapacity(bytes), 0, bytes);
            into.setValueLength(bytes);
        }
        System.arraycopy(key, 0, into.ensureKeyCapacity(keyBytes), 0, keyBytes);
        into.setKeyLength(keyBytes);
        into.loaded();
        return true;
    }

    private void look(byte[] key, int keyBytes) {
        SnapshotFetchOperation fetch = session.reading().fetch();
        fetch.start(access.table().tree(), key, keyBytes, session.reading().snapshot(), record);
        session.reading().run(fetch, access.table().operations().fetch(), false);
    }

    /**
     * Reads the chain of the record that was found. Nobody keeps it from being given back meanwhile; but before that
     * its value is kept where the stub was learnt, and a stub of the page is then no longer that of the page. So what
     * was read counts if the record is found in the same way once more. A page behind the first one may also have been
     * moved by a compaction, which the stub does not tell, but a count does.
     */
    private void readOverflow(byte[] key, int keyBytes, Record into) {
        BTree tree = access.table().tree();
        // Ends: a further turn means that the chain was moved, which a compaction does to each a few times at most, or
        // given back, once for each place where its stub is learnt: the page, the undo of the transaction that has
        // changed it, and the version that is kept.
        while (true) {
            OverflowSource source = record.source();
            byte[] kept = source == null ? null : source.overflowVolatile();
            long moves = OverflowChain.moveCount(tree, key, keyBytes);
            if (kept != null) {
                System.arraycopy(kept, 0, into.ensureValueCapacity(kept.length), 0, kept.length);
                into.setValueLength(kept.length);
                return;
            }
            byte[] stub = Arrays.copyOf(record.value(), OverflowChain.stubBytes());
            int bytes = OverflowChain.valueBytes(stub);
            RuntimeException damaged = null;
            try {
                session.driver.reserveStackToWait();
                OverflowChain.read(
                        tree, session.context, session.driver.chainWaits(), stub, into.ensureValueCapacity(bytes));
            } catch (CorruptionException | StorageException failure) {
                damaged = failure;
            }
            SnapshotRecord found = record;
            record = seenBefore;
            seenBefore = found;
            look(key, keyBytes);
            boolean same = record.isSameAs(seenBefore)
                    && (source == null || source.overflowVolatile() == null)
                    && moves == OverflowChain.moveCount(tree, key, keyBytes);
            if (same && damaged != null) {
                throw damaged;
            }
            if (same) {
                into.setValueLength(bytes);
                return;
            }
        }
    }
}
