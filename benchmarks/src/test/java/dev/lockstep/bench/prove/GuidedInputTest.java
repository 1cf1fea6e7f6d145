package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What the bytes of the coverage-guided fuzzer do to files. */
class GuidedInputTest {
    private static final int PAGES = 4;

    /** Files whose pages differ: each is full of its number. The others are as long as they must be. */
    private static SortedMap<String, byte[]> files() {
        byte[] pages = new byte[PAGES * PageLayout.PAGE_BYTES];
        for (int page = 0; page < PAGES; page++) {
            Arrays.fill(pages, page * PageLayout.PAGE_BYTES, (page + 1) * PageLayout.PAGE_BYTES, (byte) page);
        }
        SortedMap<String, byte[]> files = new TreeMap<>();
        files.put(PageFile.PAGES_FILE, pages);
        files.put(CheckpointLayout.FILE_NAME, new byte[2_000]);
        return files;
    }

    private static byte[] damagedPages(byte[] input) {
        SortedMap<String, byte[]> files = files();
        GuidedInput guided = new GuidedInput(input);
        assertEquals(GuidedInput.Target.PAGES, guided.target());
        byte[] damaged = guided.files(files, files).get(PageFile.PAGES_FILE);
        assertArrayEquals(files().get(PageFile.PAGES_FILE), files.get(PageFile.PAGES_FILE), "the files stay");
        return damaged;
    }

    private static byte[] input(GuidedInput.Operation operation, int place, int... contents) {
        ByteBuffer input = ByteBuffer.allocate(GuidedInput.HEADER_BYTES + Short.BYTES * contents.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) GuidedInput.Target.PAGES.ordinal())
                .put((byte) (operation.ordinal() << GuidedInput.FLAG_BITS))
                .putShort((short) place);
        for (int number : contents) {
            input.putShort((short) number);
        }
        return input.array();
    }

    private static byte[] undamaged() {
        return files().get(PageFile.PAGES_FILE);
    }

    private static byte[] page(byte[] pages, int page) {
        return Arrays.copyOfRange(pages, page * PageLayout.PAGE_BYTES, (page + 1) * PageLayout.PAGE_BYTES);
    }

    @Test
    void anOverlayBeginsWithItsPlace() {
        byte[] expected = undamaged();
        expected[2 * PageLayout.PAGE_BYTES] = 0x34;
        expected[2 * PageLayout.PAGE_BYTES + 1] = 0x12;
        assertArrayEquals(expected, damagedPages(input(GuidedInput.Operation.OVERLAY, 2 + PAGES, 0x1234)));
    }

    @Test
    void bitsAreFlippedWithinAPlace() {
        byte[] expected = undamaged();
        expected[PageLayout.PAGE_BYTES + 100] ^= (byte) 0x80;
        assertArrayEquals(expected, damagedPages(input(GuidedInput.Operation.FLIP, 1, 100, 0, 0, 0x0080)));
    }

    @Test
    void aFileEndsWithinAPlace() {
        assertArrayEquals(
                Arrays.copyOf(undamaged(), 3 * PageLayout.PAGE_BYTES + 7),
                damagedPages(input(GuidedInput.Operation.TRUNCATE, 3, 7)));
        assertEquals(0, damagedPages(input(GuidedInput.Operation.TRUNCATE, 0)).length);
    }

    @Test
    void aSpliceCopiesAPageOrAPartOfOne() {
        byte[] whole = damagedPages(input(GuidedInput.Operation.SPLICE, 1, 0, 3));
        assertArrayEquals(page(undamaged(), 3), page(whole, 1));
        assertArrayEquals(page(undamaged(), 3), page(whole, 3));
        byte[] expected = undamaged();
        Arrays.fill(expected, PageLayout.PAGE_BYTES + 10, PageLayout.PAGE_BYTES + 15, (byte) 3);
        assertArrayEquals(expected, damagedPages(input(GuidedInput.Operation.SPLICE, 1, 10, 3, 5)));
    }

    @Test
    void aSwapExchangesPagesAndNeverOverlaps() {
        byte[] swapped = damagedPages(input(GuidedInput.Operation.SWAP, 1, 0, 3));
        assertArrayEquals(page(undamaged(), 3), page(swapped, 1));
        assertArrayEquals(page(undamaged(), 1), page(swapped, 3));
        assertArrayEquals(swapped, damagedPages(input(GuidedInput.Operation.SWAP, 3, 0, 1)));
        byte[] neighbours = damagedPages(input(GuidedInput.Operation.SWAP, 1, 0, 2, 0xffff));
        assertArrayEquals(page(undamaged(), 2), page(neighbours, 1));
        assertArrayEquals(page(undamaged(), 1), page(neighbours, 2));
        assertArrayEquals(undamaged(), damagedPages(input(GuidedInput.Operation.SWAP, 1, 5, 1, 9)));
    }

    @Test
    void everyInputMeansSomething() {
        assertArrayEquals(undamaged(), damagedPages(new byte[0]));
        SortedMap<String, byte[]> files = files();
        for (int what = 0; what <= 0xff; what++) {
            for (int length = 2; length < 16; length++) {
                byte[] input = new byte[length];
                Arrays.fill(input, (byte) 0xff);
                input[1] = (byte) (what & ~GuidedInput.FORGED);
                for (GuidedInput.Target target : List.of(GuidedInput.Target.PAGES, GuidedInput.Target.CHECKPOINT)) {
                    GuidedInput guided = new GuidedInput(GuidedInput.withTarget(input, target));
                    assertEquals(target, guided.target());
                    assertEquals(files.keySet(), guided.files(files, files).keySet());
                }
            }
        }
    }

    @Test
    void seedsOfferEachOperationAndDamageNothingByOverlays() {
        SortedMap<String, byte[]> files = files();
        List<GuidedInput> seeds = GuidedInput.seeds(GuidedInput.Target.PAGES, files, files).stream()
                .map(GuidedInput::new)
                .toList();
        for (GuidedInput.Operation operation : GuidedInput.Operation.values()) {
            assertTrue(seeds.stream().anyMatch(seed -> seed.operation() == operation), operation::title);
        }
        assertEquals(
                PAGES,
                seeds.stream()
                        .filter(seed -> seed.operation() == GuidedInput.Operation.OVERLAY)
                        .count());
        for (byte[] seed : GuidedInput.seeds(GuidedInput.Target.PAGES, files, files)) {
            if (new GuidedInput(seed).operation() == GuidedInput.Operation.OVERLAY) {
                seed[1] &= (byte) ~GuidedInput.FORGED;
                assertArrayEquals(undamaged(), damagedPages(seed));
            }
        }
    }

    @Test
    void pagesAndLogGetMostInputs() {
        int all = Arrays.stream(GuidedInput.Target.values())
                .mapToInt(GuidedInput.Target::weight)
                .sum();
        assertTrue(2 * (GuidedInput.Target.PAGES.weight() + GuidedInput.Target.LOG.weight()) >= all);
    }
}
