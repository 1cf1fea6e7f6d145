package dev.lockstep.engine.salvage;

import dev.lockstep.engine.btree.TreeSurvey;
import dev.lockstep.engine.memory.NativeMemory;
import dev.lockstep.engine.page.PageLayout;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;

/** Keeps some pages in memory. Not thread-safe. */
final class MemoryPages implements PageSpace {
    /** 32 MiB: more than any catalog has. */
    private static final int PAGES_MAX = 4_096;

    private final Arena arena = Arena.ofShared();
    private final Map<Integer, NativeMemory> pages = new HashMap<>();
    private int pageCount;

    @Override
    public boolean get(int pageId, NativeMemory target) {
        NativeMemory page = pages.get(pageId);
        if (page == null) {
            return false;
        }
        NativeMemory.copy(page, 0, target, 0, PageLayout.PAGE_BYTES);
        return true;
    }

    @Override
    public boolean put(int pageId, NativeMemory page) {
        if (pages.size() >= PAGES_MAX && !pages.containsKey(pageId)) {
            return false;
        }
        NativeMemory.copy(
                page,
                0,
                pages.computeIfAbsent(pageId, ignored -> TreeSurvey.pageMemory(arena)),
                0,
                PageLayout.PAGE_BYTES);
        pageCount = Math.max(pageCount, pageId + 1);
        return true;
    }

    @Override
    public int pageCount() {
        return pageCount;
    }

    @Override
    public void close() {
        arena.close();
    }
}
