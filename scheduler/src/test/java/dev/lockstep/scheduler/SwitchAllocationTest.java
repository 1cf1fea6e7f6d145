package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the turns of a team leave on the heap. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchAllocationTest {
    private static final int MEMBERS = 10;

    /** So many that C2 has compiled the switch. */
    private static final int LAPS_BEFORE = 20_000;

    private static final int LAPS = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long bytesBefore;
    private long bytesAfter;

    private void takeTurns(int operation, int member) {
        SThread self = SThread.current();
        self.beginOperation(operation);
        for (int i = 0; i < LAPS_BEFORE; i++) {
            self.switchPoint();
        }
        if (member == 0) {
            bytesBefore = allocatedBytes(self);
        }
        for (int i = 0; i < LAPS; i++) {
            self.switchPoint();
        }
        if (member == 0) {
            bytesAfter = allocatedBytes(self);
        }
        self.endOperation();
    }

    /** By the carrier, whose buffers of the heap S-threads of both kinds allocate from. */
    private long allocatedBytes(SThread sThread) {
        return threads.getThreadAllocatedBytes(sThread.carrierThread().threadId());
    }

    /** Between two looks of one member each of the others has as many turns. */
    @ParameterizedTest
    @EnumSource(names = {"VIRTUAL", "CONTINUATION"})
    void aSwitchAllocatesLessThanAByte(SThreadKind kind) throws InterruptedException {
        try (Scheduler scheduler = new Scheduler(Fixtures.exact(kind).withTeamLimit(MEMBERS))) {
            int operation = scheduler.registerOperation("fetch");
            List<Runnable> members = new ArrayList<>();
            for (int i = 0; i < MEMBERS; i++) {
                int member = i;
                members.add(() -> takeTurns(operation, member));
            }
            Fixtures.runTogether(scheduler, members);
            OperationStatistics statistics = Fixtures.statistics(scheduler, "fetch");
            assertEquals(1, statistics.teams());
            assertEquals(0, statistics.switchesSkipped());
            assertEquals((long) MEMBERS * (LAPS_BEFORE + LAPS), statistics.switches());
            assertTrue(bytesBefore > 0, () -> "not counted here: bytes=" + bytesBefore);
            long switches = (long) MEMBERS * LAPS;
            long bytes = bytesAfter - bytesBefore;
            assertTrue(bytes < switches, () -> "bytes=" + bytes + " switches=" + switches);
        }
    }
}
