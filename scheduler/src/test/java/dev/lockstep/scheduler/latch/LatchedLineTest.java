package dev.lockstep.scheduler.latch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatchedLineTest {
    @Test
    void oneHolderAtATime() {
        LatchedLine line = new LatchedLine(LatchWatch.NONE);
        assertFalse(line.isLatched());
        line.latch();
        assertTrue(line.isLatched());
        line.unlatch();
        assertFalse(line.isLatched());
        assertThrows(IllegalMonitorStateException.class, line::unlatch);
    }

    @Test
    void aWaitForAHolderThatIsGoneIsEndedByTheWatch() {
        LatchedLine line = new LatchedLine(() -> {
            throw new IllegalStateException("the holder is gone");
        });
        line.latch();
        assertThrows(IllegalStateException.class, line::latch);
        assertTrue(line.isLatched());
    }

    @Test
    void wordsAreZeroAtFirstAndKeptApart() {
        LatchedLine line = new LatchedLine(LatchWatch.NONE);
        for (int word = 0; word < LatchedLine.WORDS; word++) {
            assertEquals(0, line.get(word));
        }
        for (int word = 0; word < LatchedLine.WORDS; word++) {
            line.set(word, Long.MIN_VALUE + word);
        }
        line.setRelease(3, -1);
        assertFalse(line.isLatched());
        for (int word = 0; word < LatchedLine.WORDS; word++) {
            assertEquals(word == 3 ? -1 : Long.MIN_VALUE + word, line.get(word));
            assertEquals(line.get(word), line.getAcquire(word));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> line.get(LatchedLine.WORDS));
        assertThrows(IndexOutOfBoundsException.class, () -> line.set(-1, 0));
    }

    @Test
    void noTwoLiesInOnePairOfLines() {
        List<LatchedLine> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            LatchedLine line = new LatchedLine(LatchWatch.NONE);
            assertEquals(0, line.address() % 128);
            assertTrue(all.stream().noneMatch(other -> other.address() == line.address()));
            all.add(line);
        }
    }

    /** More threads than most machines of two processors have, so that holders are preempted and waiters must yield. */
    @Test
    void whatTheLatchGuardsChangesTogether() throws InterruptedException {
        LatchedLine line = new LatchedLine(LatchWatch.NONE);
        int threads = 4;
        int rounds = 20_000;
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            all.add(builder.start(() -> {
                for (int round = 0; round < rounds; round++) {
                    line.latch();
                    try {
                        for (int word = 0; word < LatchedLine.WORDS; word++) {
                            line.set(word, line.get(word) + word + 1);
                        }
                    } finally {
                        line.unlatch();
                    }
                }
            }));
        }
        long before = 0;
        for (int look = 0; look < rounds; look++) {
            long now = line.getAcquire(0);
            assertTrue(now >= before);
            before = now;
        }
        for (Thread thread : all) {
            thread.join();
        }
        for (int word = 0; word < LatchedLine.WORDS; word++) {
            assertEquals((long) threads * rounds * (word + 1), line.get(word));
        }
    }
}
