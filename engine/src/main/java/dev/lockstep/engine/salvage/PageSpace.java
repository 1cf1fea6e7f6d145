package dev.lockstep.engine.salvage;

import dev.lockstep.engine.memory.NativeMemory;

/** Keeps versions of pages that are newer than those of a file. Not thread-safe. */
interface PageSpace extends AutoCloseable {
    /** Copies a page to {@code target}; false if it has none. */
    boolean get(int pageId, NativeMemory target);

    /** Keeps a page in place of the version it had; false if there is no room. */
    boolean put(int pageId, NativeMemory page);

    /** The pages from 0 to below this number may be kept. */
    int pageCount();

    @Override
    void close();
}
