package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What counts as growth. */
class SoakSamplesTest {
    private static final int SAMPLES = 120;

    /** An hour in which the file grows by 2.4 GB, and the heap by what is kept of its pages and by a leak. */
    private static SoakSamples hour(double leakMegabytes) {
        SoakSamples samples = new SoakSamples();
        for (int i = 0; i < SAMPLES; i++) {
            double part = (double) i / SAMPLES;
            double dataMegabytes = 100 + 2_400 * part;
            double noise = i % 3 * 0.2;
            double warmUp = i < SAMPLES / 6 ? -5 : 0;
            double heap = 36 + warmUp + dataMegabytes * 12 / 8_192 + leakMegabytes * part + noise;
            samples.add(new SoakSamples.Sample(part * 60, heap, 400, 45, dataMegabytes, 320));
        }
        return samples;
    }

    private static double heapGrowth(SoakSamples samples) {
        return samples.growth(SoakSamples.Sample::heapBesidePagesMegabytes).more();
    }

    @Test
    void whatIsKeptOfEachPageIsNoGrowth() {
        assertEquals(0, heapGrowth(hour(0)), 0.1);
        assertTrue(
                hour(0).growth(SoakSamples.Sample::heapMegabytes).more() > 2,
                "and it would be without that, of a file that grows");
    }

    @Test
    void aLeakIs() {
        assertTrue(heapGrowth(hour(6)) > SoakProof.HEAP_MEGABYTES_MAX, "growth=" + heapGrowth(hour(6)));
    }
}
