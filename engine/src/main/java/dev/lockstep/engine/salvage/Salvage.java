package dev.lockstep.engine.salvage;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.LockstepException;
import dev.lockstep.engine.ProgressListener;
import dev.lockstep.engine.ProgressListener.Stage;
import dev.lockstep.engine.SalvageReport;
import dev.lockstep.engine.SalvageReport.SavedTable;
import dev.lockstep.engine.SalvageReport.UnknownTree;
import dev.lockstep.engine.Session;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.CopyTarget;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.type.SchemaCodec;
import dev.lockstep.engine.type.StoredTable;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Saves what is readable of a damaged database into a new one.
 *
 * <p>Invariants:
 * <ul>
 *   <li>The damaged database is only read. What the log makes of its pages lies in a file of the new directory, which
 *       is deleted in the end.
 *   <li>The new directory is no database until everything is in it ({@link CopyTarget}).
 *   <li>Whatever the files hold ends in a count or a sentence of the report. What is thrown is about the new database,
 *       or says that there is nothing to be read.
 * </ul>
 *
 * <p>Not thread-safe; one object saves once.
 */
public final class Salvage {
    /** No name of a database's own file, so that a creation beside it lets it be. */
    private static final String WORK_FILE = "salvage-pages.tmp";

    /** Pages between two reports of progress. */
    private static final int PAGES_PER_REPORT = 1_024;

    private final Storage storage;
    private final Path from;
    private final Path to;
    private final Supplier<Database> target;
    private final Consumer<Database> abandonment;
    private final ProgressListener progress;
    private final BitSet reached = new BitSet();
    private SourceFiles files;
    private SourcePages source;
    private RedonePages pages;
    private LogReplay log;
    private int damagedCount;
    private boolean isCatalogComplete;

    /**
     * @param from the directory of the damaged database
     * @param to a directory that does not exist or is empty
     * @param target makes the new database there; the directory is locked already
     * @param abandonment lets go of it where it cannot be filled or closed
     */
    public Salvage(
            Storage storage,
            Path from,
            Path to,
            Supplier<Database> target,
            Consumer<Database> abandonment,
            ProgressListener progress) {
        this.storage = storage;
        this.from = from;
        this.to = to;
        this.target = target;
        this.abandonment = abandonment;
        this.progress = progress;
    }

    /** Saves; see {@link Database#salvage}. */
    public SalvageReport run() {
        try (SourceFiles openedFiles = new SourceFiles(storage, from);
                SourcePages openedPages = new SourcePages(openedFiles)) {
            files = openedFiles;
            source = openedPages;
            return new CopyTarget(storage, to, DatabaseId.random()).fill(this::save);
        }
    }

    private SalvageReport save() {
        FilePages space = new FilePages(storage, to.resolve(WORK_FILE));
        try (RedonePages redone = new RedonePages(source, space, files.redoScanLsn(), RedonePages.ALL_TREES)) {
            pages = redone;
            redone.takeCopies(files);
            try (LogReplay replay = new LogReplay(files, redone, progress)) {
                log = replay;
                replay.run(Math.max(judgePages(), redone.lsnMax()));
                List<StoredTable> tables = readCatalog();
                return fill(target.get(), tables);
            }
        }
    }

    /** A database without a log stays open where its close finds no room, and nobody would close this one later. */
    private SalvageReport fill(Database database, List<StoredTable> tables) {
        try {
            SalvageReport report = saveTables(database, tables);
            database.close();
            return report;
        } catch (RuntimeException | Error failure) {
            try {
                abandonment.accept(database);
            } catch (RuntimeException | Error suppressed) {
                failure.addSuppressed(suppressed);
            }
            throw failure;
        }
    }

    /** Counts damaged pages; returns the highest LSN of those that are not. */
    private long judgePages() {
        long lsnMax = 0;
        try (Arena arena = Arena.ofConfined()) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            for (int pageId = 1; pageId < source.pageCount(); pageId++) {
                PageState state = source.read(pageId, page);
                damagedCount += state == PageState.SOUND || state == PageState.NEVER_WRITTEN ? 0 : 1;
                // A page of zeros is one that was never written, or that the medium has lost.
                if (state.isWhole() && PageLayout.type(page, 0) != PageLayout.TYPE_NONE) {
                    noteUnlogged(PageLayout.lsn(page, 0));
                    lsnMax = Math.max(lsnMax, PageLayout.lsn(page, 0));
                }
                if (pageId % PAGES_PER_REPORT == 0) {
                    progress.progressed(Stage.READ_PAGES, pageId, source.pageCount());
                }
            }
        }
        progress.progressed(Stage.READ_PAGES, source.pageCount(), source.pageCount());
        return lsnMax;
    }

    /** A page gets an LSN by every change that is logged. */
    private void noteUnlogged(long pageLsn) {
        if (pageLsn == 0) {
            pages.foundUnlogged();
        }
    }

    private List<StoredTable> readCatalog() {
        TreeMap<String, StoredTable> tables = new TreeMap<>();
        TreeSalvage.Sink sink = new TreeSalvage.Sink() {
            @Override
            public void record(byte[] key, byte[] value, TreeSalvage.Origin origin) {
                try {
                    StoredTable table = SchemaCodec.decode(value, 0, value.length);
                    tables.putIfAbsent(table.definition().name(), table);
                } catch (LockstepException nonsense) {
                    lost(key, nonsense.getMessage());
                }
            }

            @Override
            public void lost(byte[] key, String why) {
                isCatalogComplete = false;
                files.problems().add("an entry of the catalog is lost: " + why);
            }

            @Override
            public void damage(int pageId, String why) {
                files.problems().add("a part of the catalog cannot be read: page " + pageId + ": " + why);
            }
        };
        isCatalogComplete = true;
        int treeId = FixedPlaces.CATALOG_TREE_ID;
        TreeSalvage catalog = new TreeSalvage(pages, log, reached, treeId);
        catalog.walk(FixedPlaces.CATALOG_ROOT_PAGE_ID, sink);
        if (catalog.hasHoles()) {
            Set<Integer> wanted = Set.of(treeId);
            catalog.scan(new LeafCandidates(pages, files, wanted, wanted, reached), sink);
        }
        isCatalogComplete &= !catalog.hasHoles();
        return List.copyOf(tables.values());
    }

    private SalvageReport saveTables(Database database, List<StoredTable> tables) {
        List<TableSalvage> saved = new ArrayList<>();
        List<UnknownTree> unknown = List.of();
        try (Session session = database.openSession()) {
            for (StoredTable table : tables) {
                TreeSalvage tree = new TreeSalvage(pages, log, reached, table.treeId());
                TableSalvage one = new TableSalvage(table, tree, database, session, progress);
                saved.add(one);
                one.walk();
            }
            Set<Integer> wanted = new HashSet<>();
            saved.stream()
                    .filter(one -> one.tree().hasHoles())
                    .forEach(one -> wanted.add(one.tree().treeId()));
            if (!wanted.isEmpty() || !isCatalogComplete) {
                LeafCandidates candidates = new LeafCandidates(pages, files, wanted, treeIds(tables), reached);
                saved.forEach(one -> one.scan(candidates));
                unknown = candidates.unknown();
            }
        }
        List<SavedTable> results = saved.stream().map(TableSalvage::result).toList();
        long rows = results.stream().mapToLong(SavedTable::rows).sum();
        progress.progressed(Stage.SAVE_ROWS, rows, rows);
        return new SalvageReport(
                results,
                unknown,
                isCatalogComplete,
                rows,
                source.pageCount(),
                damagedCount,
                log.use(),
                files.problems());
    }

    private static Set<Integer> treeIds(List<StoredTable> tables) {
        Set<Integer> treeIds = new HashSet<>(Set.of(FixedPlaces.CATALOG_TREE_ID));
        for (StoredTable table : tables) {
            treeIds.add(table.treeId());
            table.indexes().forEach(index -> treeIds.add(index.treeId()));
        }
        return treeIds;
    }
}
