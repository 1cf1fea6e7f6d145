package dev.lockstep.engine.instance;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.TreeWalk;
import dev.lockstep.engine.file.PageFile;
import java.util.BitSet;

/**
 * Finds out whether the end of the page file is missing. What lies behind the end of the file reads as pages that were
 * never written, and an empty leaf looks like rows that are not there: so a database of which the trees name such pages
 * is not opened.
 */
final class CutOffPages {
    private CutOffPages() {}

    /**
     * Looks at every page that the trees name behind the end of the file as it was found. Those that recovery has
     * brought back from the log are there. The trees are walked only if one of those in use is not: so without damage
     * this takes as long as the log added pages, but for a page that a checkpoint found taken in the moment before its
     * first contents were logged.
     *
     * @param pageCountFound pages in the file when it was opened
     * @throws TruncatedFileException if one is missing
     */
    static void refuse(Instance instance, int pageCountFound) {
        SessionCore session = new SessionCore(instance);
        try {
            if (!isAnyMissing(instance, session, pageCountFound)) {
                return;
            }
            for (BTree tree : CrashRecovery.trees(instance, session).values()) {
                TreeWalk walk = new TreeWalk(tree, session.context());
                walk.visitPages(pageId -> {
                    if (pageId >= pageCountFound && !walk.isWritten(pageId)) {
                        throw new TruncatedFileException(Message.of("the file of the pages is cut off")
                                .with("file", PageFile.PAGES_FILE)
                                .with("pageCount", pageCountFound)
                                .with("missingPageId", pageId)
                                .with("treeId", tree.treeId())
                                .remedy("restore the database from a backup"));
                    }
                });
            }
        } finally {
            session.close();
        }
    }

    private static boolean isAnyMissing(Instance instance, SessionCore session, int pageCountFound) {
        BitSet inUse = BitSet.valueOf(instance.environment().allocator().bitmap());
        TreeWalk pages = new TreeWalk(instance.catalogTree(), session.context());
        int pageIdEnd = instance.pool().pageIdEnd();
        int pageId = inUse.nextSetBit(pageCountFound);
        while (pageId >= 0 && pageId < pageIdEnd && pages.isWritten(pageId)) {
            pageId = inUse.nextSetBit(pageId + 1);
        }
        return pageId >= 0;
    }
}
