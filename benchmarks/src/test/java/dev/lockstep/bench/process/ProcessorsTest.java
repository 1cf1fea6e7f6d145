package dev.lockstep.bench.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessorsTest {
    @Test
    void readsListsOfProcessors() {
        assertEquals(List.of(0, 1, 2, 3, 8, 10, 11), Processors.parse("0-3,8,10-11"));
        assertEquals(List.of(5), Processors.parse("5"));
    }

    @Test
    void choosesNoMoreThanThereAre() {
        assertThrows(IllegalArgumentException.class, () -> Processors.choose(0));
        assertThrows(IllegalArgumentException.class, () -> Processors.choose(100_000));
    }

    @Test
    void saysWhereChildrenRun() {
        Processors one = Processors.choose(1);
        assertTrue(
                one.description().startsWith(one.pinned() ? "pinned to processor " : "not pinned: "),
                one.description());
    }
}
