package dev.lockstep.engine;

import dev.lockstep.engine.salvage.FileInspector;
import java.util.List;
import java.util.function.Consumer;

/**
 * The files of a database that nobody has open, looked at piece by piece: {@link Database#inspect}. Whole or damaged,
 * closed in order or not: what cannot be read is said, not thrown. Shows what lies in the files, not what recovery
 * would make of it; only the catalog, by which all else is named, is read as recovery would find it. Changes nothing,
 * and keeps others from opening the database until it is closed. Not thread-safe.
 */
public final class Inspection implements AutoCloseable {
    private final FileInspector inspector;
    private boolean closed;

    Inspection(FileInspector inspector) {
        this.inspector = inspector;
    }

    /**
     * A file of the database.
     *
     * @param name in the directory
     * @param sizeBytes its length
     * @param format what its header says it is, with the version; empty if it has no header
     * @param databaseId whose it says it is; empty if it has no header
     * @param parameter the number whose meaning the kind of file knows: the first LSN of a segment of the log, the
     *     length of a checkpoint, in bytes
     * @param problem why its header cannot be used; empty if it can
     */
    public record DatabaseFile(
            String name, long sizeBytes, String format, String databaseId, long parameter, String problem) {}

    /**
     * Where recovery would begin.
     *
     * @param redoScanLsn the first position of the log that it would read
     * @param durableLsn how far the log must reach
     * @param nextTransactionId no transaction had this number or a higher one when it was written
     * @param nextTreeId the same of trees
     * @param allocatedPages pages of the file, free ones included
     * @param pagesInUse those that were in use
     * @param pagesWithKnownLsn pages of which it knows with which LSN they were written
     */
    public record CheckpointView(
            long redoScanLsn,
            long durableLsn,
            long nextTransactionId,
            int nextTreeId,
            int allocatedPages,
            int pagesInUse,
            int pagesWithKnownLsn) {}

    /**
     * A tree that the catalog names.
     *
     * @param name {@code account} for a table, {@code account.by_owner} for an index
     * @param treeId its number
     * @param rootPageId the page of its root
     * @param columns names, types and whether null is allowed, of a table; the columns of the key, of an index
     * @param key the columns of its key, in order
     * @param state whether an index is READY or still BUILDING; empty for a table
     */
    public record CatalogEntry(
            String name, int treeId, int rootPageId, List<String> columns, List<String> key, String state) {
        /** Copies the lists. */
        public CatalogEntry {
            columns = List.copyOf(columns);
            key = List.copyOf(key);
        }
    }

    /**
     * The pages of one kind.
     *
     * @param tree the name of their tree, or its number where the catalog does not name it; empty if they have none
     * @param kind leaf, inner node, overflow page, freed page, page never written, or what is wrong with them
     * @param count how many there are
     * @param records records in them, of leaves
     * @param ghosts deleted records in them that wait for their removal, of leaves
     * @param fill how much of their room is used, 0 to 1; 0 where it means nothing
     */
    public record PageGroup(String tree, String kind, int count, long records, long ghosts, double fill) {}

    /**
     * A page that cannot be used.
     *
     * @param pageId its number
     * @param problem why
     */
    public record DamagedPage(int pageId, String problem) {}

    /**
     * The database as a whole.
     *
     * @param files its files, by name
     * @param closedInOrder whether it was; if not, the files hold what recovery has to begin with
     * @param pages pages of the data file, page 0 included
     * @param checkpoint null if it cannot be read
     * @param catalog the trees that can be named
     * @param groups its pages by tree and kind
     * @param damagedPages the first {@link #DAMAGED_PAGES_MAX} of them
     * @param damagedPageCount how many there are
     * @param problems what else is wrong
     */
    public record Overview(
            List<DatabaseFile> files,
            boolean closedInOrder,
            int pages,
            CheckpointView checkpoint,
            List<CatalogEntry> catalog,
            List<PageGroup> groups,
            List<DamagedPage> damagedPages,
            int damagedPageCount,
            List<String> problems) {
        /** Damaged pages that are listed: as many as somebody reads. */
        public static final int DAMAGED_PAGES_MAX = 1_000;

        /** Copies the lists. */
        public Overview {
            files = List.copyOf(files);
            catalog = List.copyOf(catalog);
            groups = List.copyOf(groups);
            damagedPages = List.copyOf(damagedPages);
            problems = List.copyOf(problems);
        }
    }

    /**
     * A slot of a node.
     *
     * @param key its key, decoded by the columns of its tree where those are known, else in hexadecimal
     * @param keyBytes the length of the key
     * @param valueBytes bytes of the value in the leaf, or of the stub of one in overflow pages; 0 in inner nodes
     * @param version the transaction that wrote the record last; 0 in inner nodes
     * @param child the page of the keys below this one, of an inner node; 0 in leaves
     * @param isGhost whether the record is deleted and waits for its removal
     * @param isOverflow whether the value lies in overflow pages
     */
    public record Slot(
            String key, int keyBytes, int valueBytes, long version, int child, boolean isGhost, boolean isOverflow) {}

    /**
     * A page.
     *
     * @param pageId its place in the file
     * @param state whether it is sound, and if not, why
     * @param isSound whether it is
     * @param kind leaf, inner node, overflow page, freed page, or a number that means nothing
     * @param pageIdInPage the place that it says it has
     * @param treeId the tree that it belongs to
     * @param tree the name of that; empty if the catalog does not name it
     * @param lsn its last change
     * @param lsnAtLeast the LSN that the checkpoint knows it was written with, 0 if it knows none
     * @param checksum as stored
     * @param level 0 of leaves
     * @param lowerFence no key is below it; empty for minus infinity, and for pages that are no nodes
     * @param upperFence every key is below it; empty for plus infinity, and for pages that are no nodes
     * @param freeBytes room that is left
     * @param nextPageId the next page of a chain of overflow pages, or the last child of an inner node; 0 if none
     * @param slots of a node, in key order
     * @param brokenRule the first rule of trees that it breaks; empty if it keeps all, as far as it can be told
     *     without its parent
     */
    public record PageView(
            int pageId,
            String state,
            boolean isSound,
            String kind,
            int pageIdInPage,
            int treeId,
            String tree,
            long lsn,
            long lsnAtLeast,
            String checksum,
            int level,
            String lowerFence,
            String upperFence,
            int freeBytes,
            int nextPageId,
            List<Slot> slots,
            String brokenRule) {
        /** Copies the list. */
        public PageView {
            slots = List.copyOf(slots);
        }
    }

    /**
     * One level of a tree.
     *
     * @param level 0 is that of the leaves
     * @param nodes how many whole nodes it has
     * @param slots records or separators in them
     * @param fill how much of their room is used, 0 to 1
     */
    public record TreeLevel(int level, int nodes, long slots, double fill) {}

    /**
     * A range of keys to which the tree no longer leads.
     *
     * @param pageId the page that ought to lead there
     * @param level of that page; -1 for a root that cannot be read
     * @param from the lowest key; empty for minus infinity
     * @param to the key behind the highest; empty for plus infinity
     * @param why what is wrong with the page
     */
    public record LostRange(int pageId, int level, String from, String to, String why) {}

    /**
     * The shape of a tree.
     *
     * @param name of the tree
     * @param treeId its number
     * @param rootPageId the page of its root
     * @param levels from the root down
     * @param records records in its leaves
     * @param ghosts deleted records that wait for their removal
     * @param overflowValues values in overflow pages
     * @param lostRanges where it is broken
     */
    public record TreeView(
            String name,
            int treeId,
            int rootPageId,
            List<TreeLevel> levels,
            long records,
            long ghosts,
            long overflowValues,
            List<LostRange> lostRanges) {
        /** Copies the lists. */
        public TreeView {
            levels = List.copyOf(levels);
            lostRanges = List.copyOf(lostRanges);
        }
    }

    /**
     * A record of the log.
     *
     * @param lsn its position
     * @param type what it says
     * @param isCompensation whether it takes an earlier record back
     * @param transactionId whose it is; 0 if it belongs to none
     * @param previousLsn the record that its transaction wrote before; 0 if none
     * @param undoNextLsn the record to be taken back next, of one that takes back; 0 if none
     * @param tree the tree that it changes, by name or number; empty if none
     * @param pages what it does with which pages
     * @param key the key of the record that it changes; empty if none
     * @param recordBytes its length
     * @param bodyBytes the length of what its owner put into it
     */
    public record LogEntry(
            long lsn,
            String type,
            boolean isCompensation,
            long transactionId,
            long previousLsn,
            long undoNextLsn,
            String tree,
            List<String> pages,
            String key,
            int recordBytes,
            int bodyBytes) {
        /** Copies the list. */
        public LogEntry {
            pages = List.copyOf(pages);
        }
    }

    /**
     * How far the log was read.
     *
     * @param fromLsn where the first record lay, or where there was none
     * @param endLsn where reading ended: at the limit, at the end of the log, or at damage
     * @param records how many were read
     * @param problem the damage; empty if there was none
     */
    public record LogEnd(long fromLsn, long endLsn, long records, String problem) {}

    /** Looks at everything once. Reads all pages. */
    public Overview overview() {
        return open().overview();
    }

    /**
     * Looks at a page.
     *
     * @param pageId 1 or greater; one behind the end of the file is missing
     * @throws ValueOutOfRangeException if it is less than 1
     */
    public PageView page(int pageId) {
        return open().page(pageId);
    }

    /**
     * Looks at a tree.
     *
     * @param tree a table, {@code table.index}, or the number of a tree; {@code catalog} for the catalog
     * @throws SchemaException if the catalog names no such tree
     */
    public TreeView tree(String tree) {
        return open().tree(tree);
    }

    /**
     * Looks at the log, in the order of its records.
     *
     * @param fromLsn where to begin, at the first record from there on; 0 for all that there is
     * @param limit records at most
     * @param entries gets each
     * @return how far it could be read
     */
    public LogEnd log(long fromLsn, long limit, Consumer<LogEntry> entries) {
        return open().log(fromLsn, limit, entries);
    }

    private FileInspector open() {
        if (closed) {
            throw new DatabaseClosedException(
                    Message.of("the inspection is closed").with("closed", true).remedy("open another one"));
        }
        return inspector;
    }

    /** Gives the files back to others; a second time does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            inspector.close();
        }
    }
}
