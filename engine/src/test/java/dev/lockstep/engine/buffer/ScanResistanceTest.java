package dev.lockstep.engine.buffer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.FaultyStorage;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A scan of everything beside a hot set, measured in hits. */
class ScanResistanceTest {
    private static final int FRAMES = 400;
    private static final int PAGES = 2_000;
    private static final int HOT_PAGES = 240;
    private static final int ACCESSES = 12_000;
    private static final long SEED = 42;

    /** The issue allows a scan to cost five points. */
    private static final double LOSS_MAX = 0.05;

    private enum Scan {
        NONE,
        ANNOUNCED,
        UNANNOUNCED
    }

    @Test
    void aScanBesideAHotSetCostsFewHits() {
        FaultyStorage storage = new FaultyStorage(SEED);
        try (PoolFixture fixture = PoolFixture.create(storage, FRAMES)) {
            for (int pageId = 1; pageId <= PAGES; pageId++) {
                fixture.create(pageId, pageId, pageId);
            }
            fixture.pool.flushAll(fixture.waiter);
        }
        double alone = hitRatio(storage, Scan.NONE);
        double announced = hitRatio(storage, Scan.ANNOUNCED);
        double unannounced = hitRatio(storage, Scan.UNANNOUNCED);
        String ratios = "alone=" + alone + ", announced=" + announced + ", unannounced=" + unannounced;
        // The workload asks one time in ten for a page that is not hot, so that a perfect pool has some 0.9.
        assertTrue(alone > 0.85, ratios);
        assertTrue(announced > alone - LOSS_MAX, ratios);
        assertTrue(unannounced > alone - LOSS_MAX, ratios);
    }

    /** Returns the part of the accesses to pages of the workload, without those of the scan, that were hits. */
    private static double hitRatio(FaultyStorage storage, Scan scan) {
        SplittableRandom random = new SplittableRandom(SEED);
        int hits = 0;
        int scanned = 0;
        try (PoolFixture fixture = PoolFixture.open(storage, FRAMES)) {
            for (int i = -ACCESSES; i < ACCESSES; i++) {
                boolean isHot = random.nextInt(10) > 0;
                int pageId = 1 + (isHot ? random.nextInt(HOT_PAGES) : random.nextInt(PAGES));
                boolean isHit = fixture.pool.residentFrameAcquire(pageId) != BufferPool.NOT_RESIDENT;
                fixture.pool.referenced(fixture.pool.frame(pageId, fixture.waiter));
                if (i < 0) {
                    continue; // Warming up.
                }
                hits += isHit ? 1 : 0;
                int scanPageId = 1 + scanned % PAGES;
                if (scan == Scan.ANNOUNCED) {
                    fixture.pool.frameForScan(scanPageId, fixture.waiter);
                    scanned++;
                } else if (scan == Scan.UNANNOUNCED) {
                    fixture.pool.referenced(fixture.pool.frame(scanPageId, fixture.waiter));
                    scanned++;
                }
            }
        }
        return (double) hits / ACCESSES;
    }
}
