package dev.lockstep.bench.prove.isolation;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.lock.LockFault;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IsolationProofTest {
    private static final Map<Finding, String> LOST_UPDATE = Map.of(Finding.P4, "an example");

    /** A search that shows an anomaly and calls it admitted would let it pass in a history. */
    @Test
    void aBrokenLockTableIsNoticedByWhatFailsAHistory() {
        HistoryChecker.Verdict forbidden = new HistoryChecker.Verdict(LOST_UPDATE, LOST_UPDATE);
        HistoryChecker.Verdict admitted = new HistoryChecker.Verdict(LOST_UPDATE, Map.of());
        assertTrue(IsolationProof.isNoticed(LockFault.READS_UNLOCKED, forbidden));
        assertFalse(IsolationProof.isNoticed(LockFault.READS_UNLOCKED, admitted));
        assertFalse(IsolationProof.isNoticed(LockFault.GAPS_UNLOCKED, forbidden));
    }
}
