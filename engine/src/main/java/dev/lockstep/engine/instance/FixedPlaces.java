package dev.lockstep.engine.instance;

/** What is found in every database without being told: the names of its marks, and where its catalog is. */
public final class FixedPlaces {
    /** Says that the database was closed in order; see {@link CleanMark}. */
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
}
