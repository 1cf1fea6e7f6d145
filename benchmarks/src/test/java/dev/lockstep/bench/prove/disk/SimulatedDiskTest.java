package dev.lockstep.bench.prove.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.Storage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose operation comes first where two threads want the disk. */
class SimulatedDiskTest {
    private static final Path HOME = Path.of("/database");
    private static final Path COPY = Path.of("/copy");

    /** As many as a thread comes to while another has lost its processor. */
    private static final int OPERATIONS_BEFORE = 1_000;

    /** As when the log's thread begins a segment while the one that it has answered goes on. */
    @Test
    void aThreadThatComesTooEarlyWaits() throws Exception {
        List<DiskOperation> recorded = recorded();
        SimulatedDisk disk = new SimulatedDisk(new DiskImage(), true);
        disk.follow(recorded, 0);
        Storage process = disk.startProcess();
        Thread early = Thread.ofPlatform().start(() -> process.exists(COPY));
        awaitWaiting(early);
        assertTrue(early.isAlive(), "it went first");
        for (int i = 0; i < OPERATIONS_BEFORE; i++) {
            process.exists(HOME);
        }
        early.join();
        assertNull(disk.driftOrNull());
        List<DiskOperation> noted = disk.noted();
        assertEquals(recorded.size(), noted.size());
        for (int i = 0; i < noted.size(); i++) {
            assertTrue(recorded.get(i).isSameAs(noted.get(i)), "operation=" + i);
        }
    }

    /** What the recorded run never did is not waited for. */
    @Test
    void whatWasNeverRecordedIsDoneAndTold() {
        SimulatedDisk disk = new SimulatedDisk(new DiskImage(), true);
        disk.follow(recorded(), 0);
        disk.startProcess().exists(Path.of("/other"));
        assertNotNull(disk.driftOrNull());
        assertEquals(1, disk.noted().size());
    }

    /** A process that ends takes those along that wait for their turn. */
    @Test
    void whoWaitsDoesNothingAfterItsProcessHasEnded() throws Exception {
        SimulatedDisk disk = new SimulatedDisk(new DiskImage(), true);
        disk.follow(recorded(), 0);
        SimulatedDisk.Process process = disk.startProcess();
        Thread early = Thread.ofPlatform().unstarted(() -> process.exists(COPY));
        early.setUncaughtExceptionHandler((thread, failure) -> {});
        early.start();
        awaitWaiting(early);
        process.end();
        disk.startProcess().exists(HOME);
        early.join();
        assertEquals(1, disk.noted().size());
    }

    private static List<DiskOperation> recorded() {
        SimulatedDisk disk = new SimulatedDisk(new DiskImage(), true);
        Storage process = disk.startProcess();
        for (int i = 0; i < OPERATIONS_BEFORE; i++) {
            process.exists(HOME);
        }
        process.exists(COPY);
        return disk.noted();
    }

    /** Ends when the thread waits for its turn, or has not waited and is at its end. */
    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }
}
