package dev.lockstep.bench.flame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What one thread of the system does now, and how many samples of it there were when that was looked at last. Used by
 * that thread alone.
 */
final class ThreadWork {
    /** As many hexadecimal digits as a work number has. */
    private static final int DIGITS = Long.SIZE / 4;

    final long counterAddress;

    private final MemorySegment text = Arena.global().allocate(DIGITS);
    private long samples;
    private long work;

    ThreadWork(long counterAddress) {
        this.counterAddress = counterAddress;
        samples = ProfilerLibrary.counterOpaque(counterAddress);
    }

    /** Other work begins; what was sampled until now is recorded as the old one. */
    void change(long next) {
        if (ProfilerLibrary.counterOpaque(counterAddress) != samples) {
            record();
        }
        work = next;
    }

    private void record() {
        for (int i = 0; i < DIGITS; i++) {
            int digit = (int) (work >>> (Long.SIZE - 4 * (i + 1))) & 0xF;
            text.set(ValueLayout.JAVA_BYTE, i, (byte) Character.forDigit(digit, 16));
        }
        ProfilerLibrary.emit(text);
        // After the event, which counts as a sample.
        samples = ProfilerLibrary.counterOpaque(counterAddress);
    }
}
