package dev.lockstep.bench.prove.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.Storage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlawTest {
    /**
     * By what a storage says of itself the engine goes one way or another: only the flaw may tell it from the proof.
     */
    @ParameterizedTest
    @EnumSource(Flaw.class)
    void onlyTheFlawTellsAControlFromTheProof(Flaw flaw) {
        for (Storage sound :
                new Storage[] {new SimulatedDisk(new DiskImage(), true).startProcess(), DiskStorage.INSTANCE}) {
            Storage flawed = flaw.storage(sound);
            assertEquals(sound.answersAtOnce(), flawed.answersAtOnce());
            assertEquals(sound.readsAhead(), flawed.readsAhead());
        }
    }
}
