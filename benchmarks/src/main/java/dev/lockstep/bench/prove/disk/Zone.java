package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.log.LogSegmentLayout;
import dev.lockstep.engine.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Locale;

/** A part of a database's files, by what a lost or misdirected write to it comes to. */
enum Zone {
    /** The first page of the file of the pages, and the headers of the other files. */
    FILE_HEADER,
    /** Pages of the tree that names all others. */
    CATALOG_PAGES,
    /** Nodes of other trees, and pages that have been freed. */
    TREE_PAGES,
    /** Pages of values that fit in no node. */
    OVERFLOW_PAGES,
    /** The copies of the batch that is being written. */
    DOUBLE_WRITE,
    /** Batches of log records, and zeros written ahead of them. */
    LOG,
    /** The checkpoint. */
    CHECKPOINT,
    /** The files whose presence says something. */
    MARKS,
    /** A copy of the database that is being made. */
    COPY;

    private static final int CATALOG_TREE_ID = 1;

    /** The zone of a write; where it writes several pages, of the first one. */
    static Zone of(DiskOperation write) {
        return of(write.path(), write.position(), write.data());
    }

    /**
     * The zone of a place.
     *
     * @param page the bytes of the page there, if it is in a file of pages
     */
    static Zone of(Path path, long position, byte[] page) {
        if (!path.startsWith(Host.HOME)) {
            return COPY;
        }
        String name = path.getFileName().toString();
        if (name.equals(PageFile.PAGES_FILE)) {
            return position < PageLayout.PAGE_BYTES ? FILE_HEADER : ofPage(page);
        }
        if (name.equals(PageFile.DOUBLE_WRITE_FILE)) {
            return position < DoubleWriteLayout.DIRECTORY_POSITION ? FILE_HEADER : DOUBLE_WRITE;
        }
        if (name.startsWith("log-")) {
            return position < LogSegmentLayout.HEADER_BYTES ? FILE_HEADER : LOG;
        }
        return name.startsWith("checkpoint") ? CHECKPOINT : MARKS;
    }

    private static Zone ofPage(byte[] page) {
        if (page[PageLayout.TYPE_OFFSET] == PageLayout.TYPE_OVERFLOW) {
            return OVERFLOW_PAGES;
        }
        int treeId = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getInt(PageLayout.TREE_ID_OFFSET);
        return page[PageLayout.TYPE_OFFSET] == PageLayout.TYPE_NODE && treeId == CATALOG_TREE_ID
                ? CATALOG_PAGES
                : TREE_PAGES;
    }

    /** For people. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
