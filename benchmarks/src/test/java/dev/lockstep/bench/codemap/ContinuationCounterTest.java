package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.ContinuationSwitches;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Freezes and thaws, from a library and files made by hand. */
class ContinuationCounterTest {
    private static final int HEADER_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int SECTION_BYTES = 64;
    private static final int SYMBOL_BYTES = 24;

    /** Where the library has its first byte; 7f0000000000 in the process. */
    private static final long LIBRARY_BEGIN = 0x1000;

    private static final String FREEZE_SLOW = "_ZN10FreezeBase11freeze_slowEv";
    private static final String NEW_CHUNK = "_ZN10FreezeBase21freeze_fast_new_chunkEP17stackChunkOopDesc";
    private static final String EXISTING_CHUNK = "_ZN10FreezeBase26freeze_fast_existing_chunkEv";
    private static final String THAW_FAST =
            "_ZN4ThawI6ConfigIL8oop_kind1E12G1BarrierSetEE9thaw_fastILb0EEEPlP17stackChunkOopDesc";
    private static final String THAW_FAST_OTHER =
            "_ZN4ThawI6ConfigIL8oop_kind0E12G1BarrierSetEE9thaw_fastILb0EEEPlP17stackChunkOopDesc";
    private static final String THAW_SLOW =
            "_ZN4ThawI6ConfigIL8oop_kind1E12G1BarrierSetEE9thaw_slowEP17stackChunkOopDescN12Continuation9thaw_kindE";

    /** Blocks 0 to 6 are first ones; 7 is within a function, 8 the first one of another function. */
    private static final String LINES =
            """
            lockstep-code-lines 5
            b 7f0000000100 10 2 1
            b 7f0000000200 10 2 1
            b 7f0000000300 10 2 1
            b 7f0000000400 10 2 1
            b 7f0000000500 10 2 1
            b 7f0000000600 10 2 1
            b 7f0000000300 10 2 9
            b 7f0000000110 10 2 1
            b 7f0000000700 10 2 1
            c 1 0 carrier
            0 3 1
            1 20 1
            2 1000 1
            3 1100 1
            5 30 1
            7 500 1
            8 700 1
            c 1 4 client
            0 1 1
            6 500 1
            4 7 1
            c 0 0 carrier
            0 999 1
            c 1 0 compiler
            0 999 1
            end
            """;

    @TempDir
    Path directory;

    private static SequencedMap<String, Long> functions() {
        SequencedMap<String, Long> functions = new LinkedHashMap<>();
        functions.put(FREEZE_SLOW, 0x100L);
        functions.put(NEW_CHUNK, 0x200L);
        functions.put(EXISTING_CHUNK, 0x300L);
        functions.put(THAW_FAST, 0x400L);
        functions.put(THAW_FAST_OTHER + ".isra.0", 0x500L);
        functions.put(THAW_SLOW, 0x600L);
        functions.put(FREEZE_SLOW + ".cold", 0x110L);
        functions.put("_ZN10FreezeBase12freeze_slowlyEv", 0x700L);
        return functions;
    }

    /** A library with a symbol table of functions. */
    private static byte[] library(SequencedMap<String, Long> functions) throws IOException {
        ByteArrayOutputStream names = new ByteArrayOutputStream();
        names.write(0);
        byte[] table = new byte[SYMBOL_BYTES * (functions.size() + 1)];
        ByteBuffer symbols = littleEndian(table);
        symbols.position(SYMBOL_BYTES);
        for (Map.Entry<String, Long> function : functions.entrySet()) {
            symbols.putInt(names.size()).put((byte) 2).put((byte) 0).putShort((short) 1);
            symbols.putLong(LIBRARY_BEGIN + function.getValue()).putLong(16);
            names.write(function.getKey().getBytes(StandardCharsets.UTF_8));
            names.write(0);
        }
        int symbolsAt = HEADER_BYTES + SEGMENT_BYTES;
        int namesAt = symbolsAt + table.length;
        int sectionsAt = namesAt + names.size();
        byte[] library = new byte[sectionsAt + 3 * SECTION_BYTES];
        ByteBuffer file = littleEndian(library);
        file.put(new byte[] {0x7F, 'E', 'L', 'F', 2, 1});
        file.putLong(32, HEADER_BYTES)
                .putLong(40, sectionsAt)
                .putShort(56, (short) 1)
                .putShort(60, (short) 3);
        file.putInt(HEADER_BYTES, 1).putLong(HEADER_BYTES + 16, LIBRARY_BEGIN).putLong(HEADER_BYTES + 48, 0x1000);
        file.put(symbolsAt, table).put(namesAt, names.toByteArray());
        section(file, sectionsAt + SECTION_BYTES, 2, symbolsAt, table.length);
        file.putInt(sectionsAt + SECTION_BYTES + 40, 2);
        section(file, sectionsAt + 2 * SECTION_BYTES, 3, namesAt, names.size());
        return library;
    }

    private static void section(ByteBuffer file, int at, int type, int begin, int bytes) {
        file.putInt(at + 4, type).putLong(at + 24, begin).putLong(at + 32, bytes);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Path library() {
        return directory.resolve("libjvm.so");
    }

    private ContinuationSwitches count(byte[] library) throws IOException {
        Files.write(library(), library);
        return count(library());
    }

    private ContinuationSwitches count(Path library) throws IOException {
        Path lines = Files.writeString(directory.resolve("lines.txt"), LINES);
        Path events = Files.writeString(
                directory.resolve("events.txt"),
                """
                lockstep-code-events 1
                v 25
                r 7f0000001000 7f0000002000 LIBRARY
                r 7f0000000000 7f0000001000 LIBRARY
                end
                """
                        .replace("LIBRARY", library.toString()));
        return new MissedCodeReader().executed(lines, events, 1).continuations();
    }

    private static SequencedMap<String, Long> without(String function) {
        SequencedMap<String, Long> functions = functions();
        functions.remove(function);
        return functions;
    }

    @Test
    void countsFirstBlocksOfTheMeasuredPhaseOnSimulatedThreads() throws IOException {
        ContinuationSwitches counted = count(library(functions()));
        assertEquals(new ContinuationSwitches(1524, 4, 20, 1137, 30, ""), counted);
        assertEquals(
                "Continuations: 1,524 freezes, 4 of them slow (1 in 381), 20 into new memory; 1,137 thaws, 30 of them"
                        + " slow (1 in 38).",
                counted.sentence());
    }

    @Test
    void saysWhereNothingWasSwitched() {
        assertEquals(
                "Continuations: none was frozen or thawed.", new ContinuationSwitches(0, 0, 0, 0, 0, "").sentence());
        assertEquals(
                "Continuations: 7 freezes, none of them slow, 7 into new memory; 7 thaws, none of them slow.",
                new ContinuationSwitches(7, 0, 7, 7, 0, "").sentence());
    }

    private static void assertNotCounted(String reason, ContinuationSwitches counted) {
        assertTrue(counted.sentence().startsWith("Continuations: not counted: "), counted::sentence);
        assertTrue(counted.notCounted().contains(reason), counted::sentence);
        assertTrue(counted.notCounted().contains("; remedy: "), counted::sentence);
        assertEquals(0, counted.freezes());
    }

    /** A zero would say that nothing was slow. */
    @Test
    void doesNotCountWithoutAllOfTheFunctions() throws IOException {
        assertNotCounted("missing=[FREEZE_EXISTING_CHUNK]", count(library(without(EXISTING_CHUNK))));
        SequencedMap<String, Long> none = new LinkedHashMap<>();
        assertNotCounted("missing=[FREEZE_SLOW, ", count(library(none)));
        SequencedMap<String, Long> split = functions();
        split.put(THAW_SLOW + ".part.0", 0x700L);
        assertNotCounted("has a function in parts: function=" + THAW_SLOW + ".part.0", count(library(split)));
    }

    @Test
    void doesNotCountByADamagedLibrary() throws IOException {
        byte[] whole = library(functions());
        for (int bytes : new int[] {0, HEADER_BYTES - 1, HEADER_BYTES, whole.length / 2, whole.length - 1}) {
            assertNotCounted("cannot be read: file=" + library(), count(Arrays.copyOf(whole, bytes)));
        }
        byte[] other = whole.clone();
        other[4] = 1;
        assertNotCounted("no library of 64 bits", count(other));
        assertNotCounted("is not there any more: file=", count(directory.resolve("gone/libjvm.so")));
        assertNotCounted("the process has no libjvm.so", count(directory.resolve("libother.so")));
    }
}
