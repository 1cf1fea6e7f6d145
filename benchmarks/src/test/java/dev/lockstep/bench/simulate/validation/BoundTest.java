package dev.lockstep.bench.simulate.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BoundTest {
    @Test
    void holdsUpToItsDistanceAndNoFurther() {
        assertTrue(Bound.exact().holds(3, 3));
        assertFalse(Bound.exact().holds(3, 4));
        assertTrue(Bound.within(0.01).holds(100, 101));
        assertTrue(Bound.within(0.01).holds(100, 99));
        assertFalse(Bound.within(0.01).holds(100, 98.9));
        assertFalse(Bound.within(0.01).holds(0, 1), "a part of nothing is nothing");
        assertTrue(Bound.within(0.01, 2).holds(0, 2));
        assertFalse(Bound.within(0.01, 2).holds(0, 3));
        assertTrue(Bound.atLeast().holds(0.9, 0.9));
        assertFalse(Bound.atLeast().holds(0.9, 0.89));
        assertTrue(Bound.atMost().holds(2, 1));
        assertFalse(Bound.atMost().holds(2, 2.1));
    }

    @Test
    void isSaidToTheReader() {
        assertEquals("equal", Bound.exact().text());
        assertEquals("15 %", Bound.within(0.15).text());
        assertEquals("2 % or 40", Bound.within(0.02, 40).text());
        assertEquals("at least", Bound.atLeast().text());
    }

    @Test
    void aTableFailsWithOneOfItsChecks() {
        Check right = Check.of("load", "L1", "misses", 9, 9, Bound.exact());
        Check wrong = Check.of("load", "L1", "loads", 9, 18, Bound.exact());
        ValidationTable both = new ValidationTable("Table", "computed", List.of("A note."), List.of(right, wrong));
        assertTrue(new ValidationTable("Table", "computed", List.of(), List.of(right)).passes());
        assertFalse(both.passes());
        String text = both.text();
        assertTrue(text.startsWith("Table: 1 of 2 within their bounds\nA note.\n"), text);
        assertTrue(text.lines().anyMatch(line -> line.contains("+100.000 %") && line.endsWith("FAILS")), text);
        assertTrue(text.lines().anyMatch(line -> line.contains(" misses ") && line.endsWith("ok")), text);
    }

    @Test
    void aDifferenceIsOfEachQuantity() {
        Counts longer = new Counts(Map.of(Quantity.INSTRUCTIONS, 30L, Quantity.L1D_MISSES, 7L), 3);
        Counts shorter = new Counts(Map.of(Quantity.INSTRUCTIONS, 10L, Quantity.L1D_MISSES, 7L), 1);
        Counts difference = longer.minus(shorter);
        assertEquals(20, difference.get(Quantity.INSTRUCTIONS));
        assertEquals(0, difference.get(Quantity.L1D_MISSES));
        assertEquals(2, difference.seconds());
        assertThrows(IllegalArgumentException.class, () -> difference.get(Quantity.UPGRADES));
    }
}
