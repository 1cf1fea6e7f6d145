package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ExceptionsTest {
    /** Pinned: programs and searches rely on these numbers. */
    private static final Map<Integer, String> CODES = Map.ofEntries(
            Map.entry(101, "StorageException"),
            Map.entry(102, "DiskFullException"),
            Map.entry(103, "MissingFileException"),
            Map.entry(104, "UnknownFormatException"),
            Map.entry(105, "NewerFormatException"),
            Map.entry(106, "OlderFormatException"),
            Map.entry(107, "TruncatedFileException"),
            Map.entry(108, "CorruptionException"),
            Map.entry(109, "UncleanShutdownException"),
            Map.entry(110, "DatabaseInUseException"),
            Map.entry(111, "TargetNotEmptyException"),
            Map.entry(112, "IncompleteCopyException"),
            Map.entry(201, "DatabaseFailedException"),
            Map.entry(202, "DatabaseClosedException"),
            Map.entry(203, "ReadOnlyException"),
            Map.entry(204, "TransactionsRunningException"),
            Map.entry(205, "OutOfFramesException"),
            Map.entry(206, "MaintenanceRefusedException"),
            Map.entry(301, "SchemaException"),
            Map.entry(302, "DuplicateKeyException"),
            Map.entry(303, "NullViolationException"),
            Map.entry(304, "ValueOutOfRangeException"),
            Map.entry(305, "RecordTooLargeException"),
            Map.entry(306, "InvalidOptionException"),
            Map.entry(401, "WrongThreadException"),
            Map.entry(402, "LeakedHandleException"),
            Map.entry(403, "TransactionStateException"),
            Map.entry(404, "DeadlockException"),
            Map.entry(405, "LockTimeoutException"),
            Map.entry(406, "TransactionTimeoutException"),
            Map.entry(407, "InterruptedOperationException"),
            Map.entry(408, "TransactionTooLargeException"),
            Map.entry(409, "SnapshotTooOldException"),
            Map.entry(410, "BusyException"));

    @Test
    void everyClassHasItsOwnCodeAndBothConstructors() throws ReflectiveOperationException {
        Map<Integer, String> seen = new TreeMap<>();
        String message = Message.of("It failed").with("answer", 42).remedy("Ask again.");
        for (Class<?> type : LockstepException.class.getPermittedSubclasses()) {
            Throwable cause = new IllegalStateException("first");
            LockstepException plain =
                    (LockstepException) type.getConstructor(String.class).newInstance(message);
            LockstepException caused = (LockstepException)
                    type.getConstructor(String.class, Throwable.class).newInstance(message, cause);
            int code = type.getField("CODE").getInt(null);
            assertEquals(code, plain.code(), type.getName());
            assertEquals("It failed: answer=42. Remedy: Ask again. [code=" + code + "]", plain.getMessage());
            assertEquals(plain.getMessage(), caused.getMessage());
            assertNull(plain.getCause());
            assertSame(cause, caused.getCause());
            assertNull(seen.put(code, type.getSimpleName()), "two classes have code " + code);
        }
        assertEquals(new TreeMap<>(CODES), seen);
    }

    @Test
    void onlyDeadlocksAndTimeoutsAreRetryable() throws ReflectiveOperationException {
        Set<String> retryable = new TreeSet<>();
        for (Class<?> type : LockstepException.class.getPermittedSubclasses()) {
            if (((LockstepException) type.getConstructor(String.class).newInstance("")).isRetryable()) {
                retryable.add(type.getSimpleName());
            }
        }
        assertEquals(Set.of("DeadlockException", "LockTimeoutException", "TransactionTimeoutException"), retryable);
    }

    @Test
    void messagesStayOneReadableLine() {
        assertEquals("Text", Message.of("Text").toString());
        assertEquals(
                "Text: table=ITEM, rows=7, none=null, empty=\"\", path=\"/a b\", odd=\"x,\\\"y\\\\\\n\\r\\t\\u0001\"",
                Message.of("Text")
                        .with("table", "ITEM")
                        .with("rows", 7)
                        .with("none", null)
                        .with("empty", "")
                        .with("path", "/a b")
                        .with("odd", "x,\"y\\\n\r\t\u0001")
                        .toString());
        assertEquals(
                "Text: key=0x00ff7f, cause=\"java.lang.Error: no\". Remedy: None.",
                Message.of("Text")
                        .with("key", new byte[] {0, -1, 127})
                        .with("cause", new Error("no"))
                        .remedy("None."));
    }

    @Test
    void longValuesAreCut() {
        String cut = Message.of("Text").with("value", "x".repeat(1_000_000)).toString();
        assertEquals("Text: value=" + "x".repeat(Message.VALUE_CHARACTERS_MAX) + "...", cut);
        String bytes = Message.of("Text").with("value", new byte[1_000_000]).toString();
        assertEquals("Text: value=0x" + "0".repeat(Message.VALUE_CHARACTERS_MAX) + "...", bytes);
        assertTrue(Message.of("Text").with("value", "x".repeat(200)).toString().endsWith("x"));
    }
}
