package dev.lockstep.engine.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class UndoBufferTest {
    /** Too little for the arrays of an eighth of a million entries beside those of twice as many. */
    private static final String HEAP = "-Xmx12m";

    private static final byte[] KEY = {1, 2, 3};
    private static final byte[] NOTHING = {};

    /** A session that has rolled back a bulk load keeps no more than one that has done little. */
    @Test
    void aBulkLoadDoesNotStayInMemory() {
        UndoBuffer buffer = new UndoBuffer();
        int empty = buffer.capacityBytes();
        for (int entry = 0; entry < 1 << 16; entry++) {
            buffer.reserve(KEY.length);
            buffer.push(UndoBuffer.INSERT, null, 0, KEY, KEY.length, 0, NOTHING, 0);
        }
        buffer.clear();
        assertEquals(empty, buffer.capacityBytes());
    }

    /**
     * Where memory runs out between two of its arrays, the buffer is as before, and refuses or takes the next entry.
     */
    @Test
    void staysInOrderWhenMemoryRunsOut() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        HEAP,
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
    }

    /** Fills a buffer until memory runs out, and goes on as a transaction might whose statement has failed. */
    static final class Child {
        private static final int STATEMENTS_AFTERWARDS = 10;

        private Child() {}

        public static void main(String[] arguments) {
            UndoBuffer buffer = new UndoBuffer();
            // Ends when memory does.
            while (push(buffer)) {
                buffer.kind(0);
            }
            int entries = buffer.entryCount();
            for (int i = 0; i < STATEMENTS_AFTERWARDS; i++) {
                entries += push(buffer) ? 1 : 0;
            }
            if (buffer.entryCount() != entries || buffer.key(entries - 1).length != KEY.length) {
                throw new AssertionError("entryCount=" + buffer.entryCount() + " expected=" + entries);
            }
            buffer.truncate(0);
        }

        private static boolean push(UndoBuffer buffer) {
            try {
                buffer.reserve(KEY.length);
            } catch (OutOfMemoryError full) {
                return false;
            }
            buffer.pushDelete(null, 0, KEY, KEY.length, 0, NOTHING, 0, 0);
            return true;
        }
    }
}
