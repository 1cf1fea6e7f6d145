package dev.lockstep.bench.prove.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.prove.ProcessMemory;
import dev.lockstep.bench.prove.TrackedMemory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What counts as growth. */
class SoakSamplesTest {
    private static final int SAMPLES = 120;

    /** An hour in which the heap grows by a leak. */
    private static SoakSamples hour(double leakMegabytes) {
        return hour(leakMegabytes, 0);
    }

    /**
     * The same with a leak outside of the heap; in the middle of the hour the heap takes 100 MB more, and 20 MB of
     * mapped files are fetched.
     */
    private static SoakSamples hour(double leakMegabytes, double nativeLeakMegabytes) {
        SoakSamples samples = new SoakSamples();
        for (int i = 0; i < SAMPLES; i++) {
            double part = (double) i / SAMPLES;
            double noise = i % 3 * 0.2;
            double warmUp = i < SAMPLES / 6 ? -5 : 0;
            double heap = 36 + warmUp + leakMegabytes * part + noise;
            double residentHeap = i < SAMPLES / 2 ? 160 : 260;
            double files = i < SAMPLES / 2 ? 30 : 50;
            double resident = residentHeap + files + 210 + nativeLeakMegabytes * part + noise;
            samples.add(new SoakSamples.Sample(part * 60, heap, resident, residentHeap, files, 45, 200, 320, Map.of()));
        }
        return samples;
    }

    private static double heapGrowth(SoakSamples samples) {
        return samples.growth(SoakSamples.Sample::heapMegabytes).more();
    }

    @Test
    void whatComesInTheWarmUpIsNoGrowth() {
        assertEquals(0, heapGrowth(hour(0)), 0.1);
    }

    @Test
    void aLeakIs() {
        assertTrue(heapGrowth(hour(6)) > SoakProof.HEAP_MEGABYTES_MAX, "growth=" + heapGrowth(hour(6)));
    }

    /** Of a single one the first quarter is the last. */
    @Test
    void growthOfFewSamplesIsNotJudged() {
        SoakSamples samples = new SoakSamples();
        for (int i = 1; i < SoakSamples.JUDGED_MIN; i++) {
            samples.add(sample(400, Map.of()));
            assertFalse(samples.areEnough(), "samples=" + i);
        }
        samples.add(sample(400, Map.of()));
        assertTrue(samples.areEnough());
    }

    private static double nativeGrowth(SoakSamples samples) {
        return samples.growth(SoakSamples.Sample::nativeMegabytes).more();
    }

    @Test
    void heapThatTheCollectorTakesIsNoNativeGrowth() {
        assertEquals(0, nativeGrowth(hour(0)), 0.1);
        assertTrue(hour(0).growth(SoakSamples.Sample::residentMegabytes).more() > 90, "and it would be of the process");
    }

    @Test
    void aLeakOutsideOfTheHeapIsSeenBesideIt() {
        double growth = nativeGrowth(hour(0, 32));
        assertTrue(growth > SoakProof.NATIVE_MEGABYTES_MAX, "growth=" + growth);
    }

    @Test
    void memoryThatTheSystemDoesNotSayStaysUnknown() {
        double unknown = ProcessMemory.UNKNOWN;
        assertTrue(sample(unknown, Map.of()).nativeMegabytes() < 0);
    }

    private static SoakSamples.Sample sample(double residentMegabytes, Map<String, Double> ownerMegabytes) {
        return new SoakSamples.Sample(
                1, 30, residentMegabytes, residentMegabytes, residentMegabytes, 45, 100, 320, ownerMegabytes);
    }

    @Test
    void ownersAreThoseOfAnyLookButTheHeap() {
        SoakSamples samples = new SoakSamples();
        samples.add(sample(400, Map.of(TrackedMemory.HEAP, 150.0, TrackedMemory.PROGRAM, 130.0)));
        samples.add(sample(400, Map.of(TrackedMemory.PROGRAM, 131.0, "Code", 20.0)));
        assertEquals(List.of("Code", TrackedMemory.PROGRAM), List.copyOf(samples.owners()));
        assertEquals(
                1, samples.growth(look -> look.takenBy(TrackedMemory.PROGRAM)).more());
        assertEquals(0, samples.growth(look -> look.takenBy("Code")).first(), "not named is nothing taken");
        assertTrue(sample(400, Map.of()).takenBy("Code") < 0, "and not counted is unknown");
    }
}
