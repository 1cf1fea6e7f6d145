package dev.lockstep.engine.operation;

import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.LeafChange;
import dev.lockstep.engine.instance.SessionCore;
import dev.lockstep.engine.transaction.TransactionContext;

/** A delete that throws while it has its leaf latched: in front of its log record, or between that and the page. */
public final class FailingChange extends ChangeOperation {
    /** What it throws. */
    public static final class MeantError extends Error {
        private static final long serialVersionUID = 1;
    }

    private final boolean isLogged;

    public FailingChange(SessionCore session, boolean isLogged) {
        super(session.instance().locks(), session.instance().transactions(), session.context());
        this.isLogged = isLogged;
    }

    /** Changes the record of a key; for a database in whose pool all pages are. */
    public void run(BTree tree, byte[] deletedKey, int deletedKeyBytes) {
        startChange(tree, deletedKey, deletedKeyBytes);
        int result = CONTINUE;
        while (result == CONTINUE) {
            result = step();
        }
    }

    @Override
    int change(int slot) {
        TransactionContext owner = context;
        identify();
        LeafChange.delete(
                owner.record(), false, owner.transactionId(), owner.lastLsn(), 0, tree.treeId(), pageId, key, keyBytes);
        if (isLogged) {
            logChange();
        }
        throw new MeantError();
    }
}
