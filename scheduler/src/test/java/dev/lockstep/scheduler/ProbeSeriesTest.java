package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several probes in the place of one. */
class ProbeSeriesTest {
    /** Numbers names from its own first one, and writes down what it is told. */
    private static final class Telling implements OperationProbe {
        private final int first;
        private final List<String> names = new ArrayList<>();
        private final List<String> told;

        Telling(int first, List<String> told) {
            this.first = first;
            this.told = told;
        }

        @Override
        public int number(String name) {
            if (!names.contains(name)) {
                names.add(name);
            }
            return first + names.indexOf(name);
        }

        @Override
        public void begin(SThread sThread, int number) {
            told.add(first + " begins " + names.get(number - first));
        }

        @Override
        public void end(SThread sThread) {
            told.add(first + " ends");
        }

        @Override
        public void left(SThread sThread) {
            told.add(first + " left");
        }

        @Override
        public void resumed(SThread sThread) {
            told.add(first + " resumed");
        }

        @Override
        public void entered(SThread sThread) {
            told.add(first + " entered");
        }

        @Override
        public void returned(SThread sThread) {
            told.add(first + " returned");
        }

        @Override
        public void operatorCalled(SThread sThread, int number) {
            told.add(first + " calls " + names.get(number - first));
        }

        @Override
        public void operatorReturned(SThread sThread, int caller) {
            told.add(first + " back in " + (caller == 0 ? "none" : names.get(caller - first)));
        }
    }

    @Test
    void tellsEachInOrderByItsOwnNumbers() {
        List<String> told = new ArrayList<>();
        Telling one = new Telling(1, told);
        Telling other = new Telling(70, told);
        other.number("known before");
        ProbeSeries both = new ProbeSeries(List.of(one, other));
        int fetch = both.number("fetch");
        int commit = both.number("commit");
        assertEquals(fetch, both.number("fetch"));
        assertEquals(1, Math.min(fetch, commit), "numbers begin at 1");
        both.begin(null, commit);
        both.left(null);
        both.resumed(null);
        both.entered(null);
        both.returned(null);
        both.begin(null, fetch);
        both.end(null);
        both.operatorCalled(null, commit);
        both.operatorReturned(null, fetch);
        both.operatorReturned(null, 0);
        assertEquals(
                List.of(
                        "1 begins commit",
                        "70 begins commit",
                        "1 left",
                        "70 left",
                        "1 resumed",
                        "70 resumed",
                        "1 entered",
                        "70 entered",
                        "1 returned",
                        "70 returned",
                        "1 begins fetch",
                        "70 begins fetch",
                        "1 ends",
                        "70 ends",
                        "1 calls commit",
                        "70 calls commit",
                        "1 back in fetch",
                        "70 back in fetch",
                        "1 back in none",
                        "70 back in none"),
                told);
    }

    @Test
    void anSThreadKeepsAnObjectOfEachClass() throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults().withCarriers(1))) {
            SThread sThread = scheduler.start("attached", -1, () -> {
                SThread current = SThread.current();
                assertNull(current.attachment(String.class));
                current.attach("first");
                int[] other = {7};
                current.attach(other);
                assertEquals("first", current.attachment(String.class));
                current.attach("second");
                assertEquals("second", current.attachment(String.class));
                assertSame(other, current.attachment(int[].class));
                assertNull(current.attachment(Object.class));
            });
            sThread.join();
            assertNull(sThread.failure());
        }
    }
}
