package dev.lockstep.engine.file;

/**
 * The kinds of files in a database directory. A kind is known by its name in the {@link FileHeader}; its version rises
 * when the layout of the file changes, and the oldest version that can still be read rises when support for one ends.
 */
public enum FileFormat {
    /** The pages of all tables and indexes, {@code pages.lockstep}. */
    PAGES("pages", 1, 1),
    /** Copies of the pages being written, {@code doublewrite.lockstep}. Version 2 has room for longer batches. */
    DOUBLE_WRITE("doublewrite", 2, 1),
    /** A segment of the log. Version 2 may hold images of pages. */
    LOG("log", 2, 1),
    /** Where recovery begins. Version 2 adds the LSNs of the pages. */
    CHECKPOINT("checkpoint", 2, 1),
    /** Says that the database was closed in order. */
    CLEAN_CLOSE("cleanclose", 1, 1);

    private final String formatName;
    private final int version;
    private final int versionMin;

    FileFormat(String formatName, int version, int versionMin) {
        this.formatName = formatName;
        this.version = version;
        this.versionMin = versionMin;
    }

    /** Returns the name in the file: ASCII, at most {@link FileHeaderLayout#NAME_BYTES} characters. */
    public String formatName() {
        return formatName;
    }

    /** Returns the version that is written. */
    public int version() {
        return version;
    }

    /** Returns the oldest version that can be read. */
    public int versionMin() {
        return versionMin;
    }
}
