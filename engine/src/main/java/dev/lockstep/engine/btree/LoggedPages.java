package dev.lockstep.engine.btree;

import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;

/** Says what a log record changes, for those who look at a log without repeating it. Stateless. */
public final class LoggedPages {
    private LoggedPages() {}

    /** Receives the pages of a record. */
    @FunctionalInterface
    public interface Visitor {
        /** What is done, and with which page. */
        void page(String what, int pageId);
    }

    /** What a type of record is called. */
    public static String typeName(LogRecordView record) {
        return switch (record.type()) {
            case LogRecordType.INSERT -> "insert";
            case LogRecordType.UPDATE -> "update";
            case LogRecordType.DELETE -> "delete";
            case LeafChange.RESTORE -> "restore";
            case LogRecordType.COMMIT -> "commit";
            case LogRecordType.ABORT_END -> "end of rollback";
            case LogRecordType.SYSTEM -> "system";
            case LogRecordType.PAGE_IMAGE -> "page image";
            default -> "type " + record.type();
        };
    }

    /** Whether a record changes one record of a leaf. */
    public static boolean isLeafChange(LogRecordView record) {
        return switch (record.type()) {
            case LogRecordType.INSERT, LogRecordType.UPDATE, LogRecordType.DELETE, LeafChange.RESTORE -> true;
            default -> false;
        };
    }

    /** The tree of a change of a leaf. */
    public static int treeId(LogRecordView record) {
        return LeafChange.treeId(record.body());
    }

    /** The key of a change of a leaf. */
    public static byte[] key(LogRecordView record) {
        return LeafChange.key(record.body());
    }

    /**
     * Names the pages that a record changes.
     *
     * @throws dev.lockstep.engine.CorruptionException if it cannot be read
     */
    public static void visit(LogRecordView record, Visitor visitor) {
        if (isLeafChange(record)) {
            visitor.page("change", LeafChange.pageId(record.body()));
        } else if (record.type() == LogRecordType.SYSTEM) {
            SystemChange.visitParts(record.body(), (kind, pageId) -> visitor.page(partName(kind), pageId));
        } else if (record.type() == LogRecordType.PAGE_IMAGE) {
            visitor.page("image", PageImage.pageId(record));
        }
    }

    private static String partName(int kind) {
        return switch (kind) {
            case SystemChange.IMAGE -> "image";
            case SystemChange.TRUNCATE -> "truncate";
            case SystemChange.INSERT_SEPARATOR -> "insert separator";
            case SystemChange.REMOVE_SEPARATOR -> "remove separator";
            case SystemChange.REMOVE_RECORD -> "remove record";
            case SystemChange.SET_NODE_FLAGS -> "set flags";
            default -> "part " + kind;
        };
    }
}
