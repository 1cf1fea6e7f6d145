package dev.lockstep.engine.salvage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.Inspection.LogEntry;
import dev.lockstep.engine.btree.NodeEditor;
import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.engine.log.LogRecordView;
import dev.lockstep.engine.log.RecordViews;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** System changes whose numbers no page has room for, met by those who look at damaged files. */
class ForgedRecordTest {
    private static final Path DIRECTORY = Path.of("/database");
    private static final long SEED = 9;
    private static final long IMAGE_LSN = 4_096;
    private static final long LSN = 8_192;
    private static final int TREE = 3;
    private static final int PAGE = 1;
    private static final int OTHER_PAGE = 2;
    private static final int IMAGE = 1;
    private static final int REMOVE_SEPARATOR = 4;

    /** An image that ends where it begins. */
    private static final int HIGH_OF_NO_LENGTH = 8_201;

    private final LogRecordBuffer record = new LogRecordBuffer();

    private LogRecordBuffer begin() {
        return record.begin(LogRecordType.SYSTEM, 0, 0, 0);
    }

    private LogRecordView endless(long lsn) {
        begin().putByte(IMAGE).putInt(PAGE).putShort(0).putShort(HIGH_OF_NO_LENGTH);
        return RecordViews.of(record, lsn);
    }

    @Test
    void aRecordWithoutAnEndIsShown() {
        LogEntry entry = new LogDecoder(new KnownTrees(List.of())).entry(endless(LSN));
        assertEquals("system", entry.type());
        assertTrue(entry.pages().getLast().startsWith("not readable: "), entry.pages()::toString);
    }

    /** Pages that have the record already, and pages that it may change: those it is tried on twice. */
    @Test
    void theReplayGoesOn() {
        FaultyStorage storage = new FaultyStorage(SEED);
        PageFile.create(storage, DIRECTORY, DatabaseId.random()).close();
        try (Arena arena = Arena.ofConfined();
                SourceFiles files = new SourceFiles(storage, DIRECTORY);
                SourcePages pages = new SourcePages(files);
                RedonePages redone = new RedonePages(pages, new MemoryPages(), 0, RedonePages.ALL_TREES)) {
            NativeMemory page = TreeSurvey.pageMemory(arena);
            putNode(redone, page, PAGE, LSN);
            putNode(redone, page, OTHER_PAGE, IMAGE_LSN);
            redone.apply(endless(LSN));
            assertEquals(1, redone.refusedCount());
            redone.apply(endless(LSN + 8));
            assertEquals(3, redone.refusedCount());
            begin().putByte(REMOVE_SEPARATOR).putInt(OTHER_PAGE).putShort(0xFFFF);
            redone.apply(RecordViews.of(record, LSN));
            assertEquals(PageState.OUTDATED, redone.read(OTHER_PAGE, page));
            assertEquals(TREE, PageLayout.treeId(page, 0));
            assertEquals(IMAGE_LSN, PageLayout.lsn(page, 0));
        }
    }

    /** By a record that holds an image of it. */
    private void putNode(RedonePages redone, NativeMemory page, int pageId, long lsn) {
        NodeEditor.format(page, 0, pageId, TREE, 1, new byte[] {1}, null, 0);
        begin().putByte(IMAGE).putInt(pageId).putShort(PageLayout.PAGE_BYTES).putShort(PageLayout.PAGE_BYTES);
        record.putSegment(page, 0, PageLayout.PAGE_BYTES);
        redone.apply(RecordViews.of(record, lsn));
        assertEquals(PageState.SOUND, redone.read(pageId, page));
    }
}
