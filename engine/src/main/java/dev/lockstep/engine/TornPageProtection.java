package dev.lockstep.engine;

/**
 * What mends a page of which a power failure, or a process killed in the middle of a write, has left a part of the old
 * and a part of the new contents. Chosen by {@link DatabaseOptions.Builder#tornPageProtection}, for the time a database
 * is open: whatever it was, the next open mends what it finds.
 *
 * <p>A page that was torn is known by its checksum. Without {@linkplain DatabaseOptions.Builder#pageChecksums
 * checksums} nothing is recognised, and nothing mended.
 */
public enum TornPageProtection {
    /**
     * A copy of each batch of pages is forced to a file of its own before the pages are written in place. Each page is
     * written twice, and each batch forced twice; the log stays small.
     */
    DOUBLE_WRITE,

    /**
     * When a page is written for the first time after a checkpoint has begun, the log gets its image first, and redo
     * begins from there. Pages that are written again before the next checkpoint are written once; the log grows by up
     * to 8 KiB for each page of a checkpoint. The area that says how far the log must reach is written without being
     * forced, so after a power failure a log whose end was cut off may be noticed by its seals only.
     *
     * <p>Without a log ({@link Durability#NONE}) it is the same as {@link #NONE}.
     */
    LOG_IMAGES,

    /**
     * None. A page that was torn makes recovery fail with a {@link CorruptionException}, or a later read; the database
     * is then to be restored from a backup. Likewise lost may be what a failed force has left in the system's memory
     * alone. For storage that writes 8 KiB as a whole, and for data that can be made again.
     */
    NONE
}
