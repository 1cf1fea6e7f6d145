package dev.lockstep.engine.salvage;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Inspection.CheckpointView;
import dev.lockstep.engine.Inspection.DamagedPage;
import dev.lockstep.engine.Inspection.DatabaseFile;
import dev.lockstep.engine.Inspection.LogEnd;
import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.Inspection.LostRange;
import dev.lockstep.engine.Inspection.Overview;
import dev.lockstep.engine.Inspection.PageView;
import dev.lockstep.engine.Inspection.TreeView;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.ValueOutOfRangeException;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.log.LogReader;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.Checkpoint;
import dev.lockstep.engine.recovery.CheckpointLayout;
import dev.lockstep.engine.type.SchemaCodec;
import dev.lockstep.engine.type.StoredTable;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;

/** Looks at the files of a database for {@link dev.lockstep.engine.Inspection}. Not thread-safe. */
public final class FileInspector implements AutoCloseable {
    private final SourceFiles files;
    private final SourcePages pages;
    private final KnownTrees trees;

    /**
     * Opens the files to be read only.
     *
     * @throws LockstepException as {@link SourceFiles}
     */
    public FileInspector(Storage storage, Path directory) {
        files = new SourceFiles(storage, directory);
        SourcePages opened = null;
        try {
            opened = new SourcePages(files);
            pages = opened;
            trees = new KnownTrees(readCatalog());
        } catch (RuntimeException | Error failure) {
            try (files;
                    SourcePages _ = opened) {
                throw failure;
            }
        }
    }

    /** The catalog is needed as recovery would find it: the pages may hold none yet. */
    private List<StoredTable> readCatalog() {
        int treeId = FixedPlaces.CATALOG_TREE_ID;
        try (RedonePages redone = new RedonePages(pages, new MemoryPages(), files.redoScanLsn(), treeId)) {
            redone.takeCopies(files);
            Checkpoint checkpoint = files.checkpointOrNull();
            if (!files.closedInOrder() && checkpoint != null) {
                repeat(redone, checkpoint.redoScanLsn());
            }
            return readCatalog(redone);
        }
    }

    private void repeat(RedonePages redone, long fromLsn) {
        try (LogReader reader =
                LogReader.tolerant(files.storage(), files.directory(), files.databaseIdOrNull(), fromLsn)) {
            // Ends with the log.
            for (LogRecordView record = reader.next(); record != null; record = reader.next()) {
                redone.apply(record);
            }
        } catch (LockstepException unreadable) {
            files.problems().add(unreadable.getMessage());
        }
    }

    private List<StoredTable> readCatalog(RedonePages redone) {
        List<StoredTable> tables = new ArrayList<>();
        KnownTrees.KnownTree catalog = new KnownTrees(List.of()).find(KnownTrees.CATALOG);
        new TreeSurvey(redone::readSound, catalog.treeId(), new TreeShape(pages.pageCount()) {
                    @Override
                    public void leaf(int pageId, NativeMemory leaf) {
                        long lsn = PageLayout.lsn(leaf, 0);
                        TreeSurvey.visitRecords(leaf, (key, flags, stored) -> {
                            if (!TreeShape.isGhost(flags)) {
                                addTable(redone, tables, flags, stored, lsn);
                            }
                        });
                    }

                    @Override
                    public void lost(int pageId, int level, byte[] lower, byte[] upperOrNull, String why) {
                        files.problems().add("a part of the catalog cannot be read: page " + pageId + ": " + why);
                    }
                })
                .run(catalog.rootPageId());
        return tables;
    }

    private void addTable(RedonePages source, List<StoredTable> tables, int flags, byte[] stored, long lsn) {
        byte[] value = TreeShape.isOverflow(flags)
                ? TreeSurvey.chain(source::readSound, FixedPlaces.CATALOG_TREE_ID, stored, source.chainLsnMax(lsn))
                : stored;
        try {
            if (value == null) {
                throw new CorruptionException("an entry of the catalog has lost its overflow pages");
            }
            tables.add(SchemaCodec.decode(value, 0, value.length));
        } catch (LockstepException damaged) {
            files.problems().add(damaged.getMessage());
        }
    }

    private String readSound(int pageId, NativeMemory target) {
        PageState state = pages.read(pageId, target);
        return state == PageState.SOUND ? null : state.words();
    }

    /** See {@link dev.lockstep.engine.Inspection#overview}. */
    public Overview overview() {
        PageGroups groups = new PageGroups(trees);
        List<DamagedPage> damaged = new ArrayList<>();
        int damagedCount = 0;
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            for (int pageId = 1; pageId < pages.pageCount(); pageId++) {
                PageState state = pages.read(pageId, page);
                String problem = state == PageState.SOUND ? brokenRule(pageId, page) : state.words();
                if (state == PageState.NEVER_WRITTEN || (state == PageState.SOUND && problem == null)) {
                    groups.add(page, state);
                    continue;
                }
                groups.addDamaged();
                damagedCount++;
                if (damaged.size() < Overview.DAMAGED_PAGES_MAX) {
                    damaged.add(new DamagedPage(pageId, problem));
                }
            }
        }
        List<String> problems = new ArrayList<>(files.problems());
        checkLog(problems);
        return new Overview(
                databaseFiles(),
                files.closedInOrder(),
                pages.pageCount(),
                checkpoint(),
                trees.entries(),
                groups.list(),
                damaged,
                damagedCount,
                problems);
    }

    private static String brokenRule(int pageId, NativeMemory page) {
        return PageLayout.type(page, 0) == PageLayout.TYPE_NODE ? TreeSurvey.broken(page, pageId) : null;
    }

    /** The log that recovery would need, if it would. */
    private void checkLog(List<String> problems) {
        Checkpoint checkpoint = files.checkpointOrNull();
        if (files.closedInOrder() || checkpoint == null) {
            return;
        }
        LogEnd end = log(checkpoint.redoScanLsn(), Long.MAX_VALUE, entry -> {});
        if (!end.problem().isEmpty()) {
            problems.add(end.problem());
        } else if (end.endLsn() < checkpoint.durableLsn()) {
            problems.add("the log ends at " + end.endLsn() + ", before " + checkpoint.durableLsn()
                    + ", up to where it was on disk");
        }
    }

    private CheckpointView checkpoint() {
        Checkpoint checkpoint = files.checkpointOrNull();
        if (checkpoint == null) {
            return null;
        }
        int knownLsnCount = 0;
        for (long lsn : checkpoint.pageLsns()) {
            knownLsnCount += lsn == 0 ? 0 : 1;
        }
        return new CheckpointView(
                checkpoint.redoScanLsn(),
                checkpoint.durableLsn(),
                checkpoint.nextTransactionId(),
                checkpoint.nextTreeId(),
                checkpoint.allocatedPageCount(),
                BitSet.valueOf(checkpoint.pageBitmap()).cardinality(),
                knownLsnCount);
    }

    private List<DatabaseFile> databaseFiles() {
        List<DatabaseFile> found = new ArrayList<>();
        for (Path path : files.storage().list(files.directory())) {
            String name = path.getFileName().toString();
            FileFormat format = format(name);
            if (format != null) {
                found.add(databaseFile(files.directory().resolve(name), name, format));
            }
        }
        return found;
    }

    private static FileFormat format(String name) {
        return switch (name) {
            case PageFile.PAGES_FILE -> FileFormat.PAGES;
            case PageFile.DOUBLE_WRITE_FILE -> FileFormat.DOUBLE_WRITE;
            case CheckpointLayout.FILE_NAME -> FileFormat.CHECKPOINT;
            default ->
                LogSegmentLayout.startLsn(Path.of(name)).isPresent()
                        ? FileFormat.LOG
                        : name.endsWith("close.lockstep") ? FileFormat.CLEAN_CLOSE : null;
        };
    }

    private DatabaseFile databaseFile(Path path, String name, FileFormat format) {
        long sizeBytes = 0;
        try (BlockFile file = files.storage().open(path, Storage.OpenMode.READ_ONLY)) {
            sizeBytes = file.size();
            FileHeader header = FileHeader.read(file, format, null);
            String problem = header.databaseId().equals(files.databaseIdOrNull()) ? "" : "it is of another database";
            return new DatabaseFile(
                    name,
                    sizeBytes,
                    format.formatName() + " " + header.version(),
                    header.databaseId().toString(),
                    header.parameter(),
                    problem);
        } catch (LockstepException unreadable) {
            return new DatabaseFile(name, sizeBytes, "", "", 0, unreadable.getMessage());
        }
    }

    /** See {@link dev.lockstep.engine.Inspection#page}. */
    public PageView page(int pageId) {
        if (pageId < 1) {
            throw new ValueOutOfRangeException(Message.of("there is no page of this number")
                    .with("pageId", pageId)
                    .with("pageCount", pages.pageCount())
                    .remedy("name one from 1 on; page 0 is the header of the file, which the overview shows"));
        }
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            PageState state = pages.read(pageId, page);
            return new PageDecoder(trees).view(pageId, state, page, pages.lsnAtLeast(pageId));
        }
    }

    /** See {@link dev.lockstep.engine.Inspection#tree}. */
    public TreeView tree(String nameOrId) {
        KnownTrees.KnownTree tree = trees.find(nameOrId);
        if (tree == null) {
            throw new SchemaException(Message.of("the catalog names no such tree, as far as it can be read")
                    .with("tree", nameOrId)
                    .with(
                            "trees",
                            trees.entries().stream().map(entry -> entry.name()).toList())
                    .remedy("name a table, table.index, the number of a tree, or " + KnownTrees.CATALOG));
        }
        List<LostRange> lost = new ArrayList<>();
        TreeShape shape = new TreeShape(pages.pageCount()) {
            @Override
            public void lost(int pageId, int level, byte[] lower, byte[] upperOrNull, String why) {
                lost.add(new LostRange(
                        pageId,
                        level,
                        lower.length == 0 ? "" : trees.key(tree.treeId(), lower),
                        upperOrNull == null ? "" : trees.key(tree.treeId(), upperOrNull),
                        why));
            }
        };
        new TreeSurvey(this::readSound, tree.treeId(), shape).run(tree.rootPageId());
        return new TreeView(
                tree.name(),
                tree.treeId(),
                tree.rootPageId(),
                shape.levels(),
                shape.recordCount(),
                shape.ghostCount(),
                shape.overflowCount(),
                lost);
    }

    /** See {@link dev.lockstep.engine.Inspection#log}. */
    public LogEnd log(long fromLsn, long limit, Consumer<LogEntry> entries) {
        if (files.databaseIdOrNull() == null) {
            return new LogEnd(fromLsn, fromLsn, 0, "no file tells which database the log belongs to");
        }
        LogReader opened;
        try {
            opened = LogReader.tolerant(files.storage(), files.directory(), files.databaseIdOrNull(), fromLsn);
        } catch (LockstepException unreadable) {
            return new LogEnd(fromLsn, fromLsn, 0, unreadable.getMessage());
        }
        try (LogReader reader = opened) {
            return log(reader, fromLsn, limit, entries);
        }
    }

    /** What the consumer throws is no damage of the log, and goes to the caller. */
    private LogEnd log(LogReader reader, long fromLsn, long limit, Consumer<LogEntry> entries) {
        LogDecoder decoder = new LogDecoder(trees);
        long first = fromLsn;
        long count = 0;
        while (count < limit) {
            LogEntry entry;
            try {
                LogRecordView record = reader.next();
                if (record == null) {
                    String problem =
                            reader.damage() == null ? "" : reader.damage().getMessage();
                    return new LogEnd(count == 0 ? reader.endLsn() : first, reader.endLsn(), count, problem);
                }
                first = count == 0 ? record.lsn() : first;
                count++;
                entry = decoder.entry(record);
            } catch (LockstepException unreadable) {
                return new LogEnd(fromLsn, fromLsn, count, unreadable.getMessage());
            }
            entries.accept(entry);
        }
        return new LogEnd(first, reader.positionLsn(), count, "");
    }

    @Override
    public void close() {
        try {
            pages.close();
        } finally {
            files.close();
        }
    }
}
