package dev.lockstep.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class NativeLibraryTest {
    private static final Path THREAD_STATUS = Path.of("/proc/thread-self/status");

    private static NativeLibrary library() {
        return switch (NativeLibrary.load()) {
            case NativeLibrary.Result.Available(NativeLibrary library) -> library;
            case NativeLibrary.Result.Missing(String reason) -> throw notRun(reason);
        };
    }

    private static TestAbortedException notRun(String reason) {
        String message = "NOT RUN: " + reason;
        System.out.println(message);
        return new TestAbortedException(message);
    }

    private static String processorsAllowed() throws Exception {
        return Files.readAllLines(THREAD_STATUS).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void pinsTheCallingThreadAndNoOther() throws Exception {
        NativeLibrary library = library();
        if (!Files.exists(THREAD_STATUS)) {
            throw notRun("this system does not show a thread's processors");
        }
        String before = processorsAllowed();
        String first = before.split("[-,]", 2)[0];
        FutureTask<String> pinned = new FutureTask<>(() -> {
            library.pinCurrentThread(Integer.parseInt(first));
            return processorsAllowed();
        });
        Thread.ofPlatform().start(pinned);
        assertEquals(first, pinned.get());
        assertEquals(before, processorsAllowed());
    }

    @Test
    void refusesAProcessorThatIsNotThere() {
        NativeLibrary library = library();
        NativeCallException refused =
                assertThrows(NativeCallException.class, () -> library.pinCurrentThread(Integer.MAX_VALUE));
        assertTrue(refused.errno() > 0);
        assertTrue(refused.getMessage().contains("processor=" + Integer.MAX_VALUE), refused.getMessage());
        assertTrue(refused.getMessage().contains("errno="), refused.getMessage());
    }

    @Test
    void refusesToPinAVirtualThread() throws Exception {
        NativeLibrary library = library();
        FutureTask<Boolean> refused = new FutureTask<>(() -> {
            assertThrows(IllegalStateException.class, () -> library.pinCurrentThread(0));
            return true;
        });
        Thread.ofVirtual().start(refused);
        assertTrue(refused.get());
    }

    @Test
    void reportsCachesThatCanBe() {
        NativeLibrary library = library();
        for (CacheLevel level : CacheLevel.values()) {
            Optional<CacheGeometry> cache = library.cache(level);
            cache.ifPresent(geometry -> {
                assertTrue(geometry.bytes() >= 1024, level + " " + geometry);
                assertTrue(Integer.bitCount(geometry.lineBytes()) <= 1, level + " " + geometry);
            });
        }
    }

    @Test
    void isLoadedOnce() {
        assertSame(library(), library());
    }

    @Test
    void saysWhatIsMissing() {
        NativeLibrary.Result.Missing missing =
                assertInstanceOf(NativeLibrary.Result.Missing.class, NativeLibrary.load("lockstep_no_such_library"));
        assertTrue(missing.reason().contains("library=lockstep_no_such_library"), missing.reason());
        assertTrue(missing.reason().contains("install a C compiler"), missing.reason());
    }

    @Test
    void refusesAGeometryWithoutSize() {
        assertThrows(IllegalArgumentException.class, () -> new CacheGeometry(0, 8, 64));
    }
}
