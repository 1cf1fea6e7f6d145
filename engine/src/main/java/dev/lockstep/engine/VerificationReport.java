package dev.lockstep.engine;

import java.util.List;

/**
 * What {@link Database#verify} has found in the files of a closed database.
 *
 * @param pages pages of the data file, page 0 included
 * @param pagesInUse pages that trees reach; 0 if they were not walked
 * @param trees trees walked: one for each table and index, and the catalog
 * @param records records of all trees
 * @param logRecords records of the log from where recovery would begin; 0 if the last use had no log
 * @param needsRecovery whether the database was not closed in order. Its trees are whole only after recovery and were
 *     not walked: open it once for writing, close it and verify again. After a use without a log nothing can recover
 *     it, which is a finding of its own ({@link Kind#LOST}), and only its pages were checked
 * @param findings everything that is wrong; empty if nothing is
 */
public record VerificationReport(
        int pages,
        int pagesInUse,
        int trees,
        long records,
        long logRecords,
        boolean needsRecovery,
        List<Finding> findings) {
    /** As a page id: the finding belongs to no page. */
    public static final int NO_PAGE = -1;

    /** What is wrong with a page or a file. */
    public enum Kind {
        /** A file is missing, cut off, of another kind or another database, or its header is damaged. */
        FILE,
        /** The checksum of a page is wrong. */
        CHECKSUM,
        /** A whole page lies where another one belongs. */
        IDENTITY,
        /** The system refuses to read a page: what it holds is not known. */
        IO,
        /** A page is older than the checkpoint knows it was written: the medium has lost a write. */
        OUTDATED,
        /** A page carries an LSN behind the end of the log. */
        LSN,
        /** A page breaks a rule of its tree: order, fences, levels, space, overflow chains. */
        TREE,
        /** A page is reached twice, in use and not reached, or reached and marked as free. */
        REACHABILITY,
        /** The log is damaged or a part of it is missing. */
        LOG,
        /**
         * The last use had no log and did not close the database: no recovery is possible, and no open but an empty
         * one.
         */
        LOST
    }

    /**
     * One thing that is wrong.
     *
     * @param kind what kind of thing
     * @param pageId the page, or {@link #NO_PAGE}
     * @param what in words
     */
    public record Finding(Kind kind, int pageId, String what) {}

    /** Copies the list. */
    public VerificationReport {
        findings = List.copyOf(findings);
    }

    /** Whether the last use had no log and did not close the database, so that nothing can recover it. */
    public boolean isLost() {
        return findings.stream().anyMatch(finding -> finding.kind() == Kind.LOST);
    }

    /** Whether nothing is wrong. */
    public boolean ok() {
        return findings.isEmpty();
    }
}
