package dev.lockstep.engine.instance;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.Storage;
import java.nio.file.Path;

/** What is found in every database without being told: the names of its marks, and where its catalog is. */
public final class FixedPlaces {
    /**
     * Exists exactly while the database is closed and was closed in order. Empty where the page bitmap that was saved
     * may have pages too many.
     */
    public static final String CLEAN_CLOSE_FILE = "cleanclose.lockstep";

    /** Says that a database is, or was, used without a log. */
    public static final String UNLOGGED_FILE = "unlogged.lockstep";

    /** Says that a copy of a database is not finished. */
    public static final String INCOMPLETE_FILE = "incomplete.lockstep";

    /** The catalog's tree comes first and needs no catalog to be found. */
    public static final int CATALOG_TREE_ID = 1;

    /** The page of its root, behind the file header. */
    public static final int CATALOG_ROOT_PAGE_ID = 1;

    private FixedPlaces() {}

    /** Whether a database was closed in order and its page bitmap has exactly the pages in use. */
    public static boolean isBitmapExact(Storage storage, Path directory) {
        Path mark = directory.resolve(CLEAN_CLOSE_FILE);
        if (!storage.exists(mark)) {
            return false;
        }
        try (BlockFile file = storage.open(mark, Storage.OpenMode.READ_ONLY)) {
            return file.size() > 0;
        }
    }
}
