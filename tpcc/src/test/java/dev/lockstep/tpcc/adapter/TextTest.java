package dev.lockstep.tpcc.adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.tpcc.workload.TpccRandom;
import org.junit.jupiter.api.Test;

class TextTest {
    private static final long SEED = 31;

    @Test
    void showsAnotherArrayWithoutCopying() {
        byte[] page = "..NAME..".getBytes(ISO_8859_1);
        Text text = new Text(10);
        text.wrap(page, 2, 4);
        assertEquals("NAME", text.toString());
        assertSame(page, text.bytes());
        Text copy = new Text(10);
        copy.copyFrom(text);
        assertNotSame(page, copy.bytes());
        assertTrue(copy.sameAs(text));
        page[2] = 'G';
        assertEquals("GAME", text.toString());
        assertEquals("NAME", copy.toString());
        assertFalse(copy.sameAs(text));
    }

    @Test
    void keepsWhatItShows() {
        byte[] page = "..NAME..".getBytes(ISO_8859_1);
        Text text = new Text(10);
        text.wrap(page, 2, 4);
        text.keep();
        page[2] = 'G';
        assertEquals("NAME", text.toString());
        byte[] kept = text.bytes();
        text.keep();
        assertSame(kept, text.bytes());
        assertEquals("NAME", text.toString());
    }

    @Test
    void appendsUpToItsCapacity() {
        Text text = new Text(8);
        text.clear().append('x').append(0).append(1_234);
        assertEquals("x01234", text.toString());
        Text other = new Text(8);
        other.copyFrom("abcdef");
        text.append(other);
        assertEquals("x01234ab", text.toString());
        text.append('!');
        assertEquals("x01234ab", text.toString());
        text.clear().append(Long.MAX_VALUE);
        assertEquals("92233720", text.toString());
        assertThrows(IllegalArgumentException.class, () -> text.own(9));
    }

    @Test
    void patternIsFoundWhereverStringFindsIt() {
        TpccRandom random = new TpccRandom(SEED);
        TextPattern pattern = new TextPattern("ABAAB");
        Text text = new Text(30);
        int found = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = text.own(random.between(0, 30));
            for (int at = 0; at < text.length(); at++) {
                bytes[at] = (byte) ('A' + random.below(2));
            }
            boolean expected = text.toString().contains("ABAAB");
            assertEquals(expected, pattern.in(text), () -> text + " seed " + SEED);
            found += expected ? 1 : 0;
        }
        assertTrue(found > 1_000 && found < 19_000, "both outcomes occur: " + found);
    }

    @Test
    void lastNamesAreThreeSyllables() {
        assertEquals("BARBARBAR", LastName.of(0).string());
        assertEquals("PRICALLYOUGHT", LastName.of(371).string());
        assertEquals("EINGEINGEING", LastName.of(999).string());
        assertEquals(371, LastName.numberOf("PRICALLYOUGHT"));
        assertThrows(IllegalArgumentException.class, () -> LastName.numberOf("SMITH"));
    }
}
