package dev.lockstep.engine.proof;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.file.Storage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DelegatingStorageTest {
    /** Also what has a default, by which the engine would go another way. */
    @Test
    void passesEveryCallOn() {
        List<String> asked = Stream.of(Storage.class.getMethods())
                .map(method -> method.getName())
                .sorted()
                .toList();
        List<String> passedOn = Stream.of(DelegatingStorage.class.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .map(method -> method.getName())
                .sorted()
                .toList();
        assertEquals(asked, passedOn);
    }
}
