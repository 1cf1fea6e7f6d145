package dev.lockstep.engine;

import dev.lockstep.engine.buffer.BufferStatistics;
import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.instance.Health;
import dev.lockstep.engine.instance.Instance;
import dev.lockstep.engine.lock.LockListing;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.lock.LockOwner;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.recovery.CheckpointSource;
import dev.lockstep.engine.recovery.Checkpointer;
import dev.lockstep.engine.recovery.RecoveryReport;
import dev.lockstep.engine.transaction.SnapshotStatistics;
import dev.lockstep.engine.transaction.TransactionContext;
import dev.lockstep.scheduler.InstalledTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Looks at a database for {@link Database#status()}: reads what others write, and holds nobody up. Stateless. */
final class StatusReader {
    private StatusReader() {}

    /**
     * Looks.
     *
     * @param sessions of the database
     */
    static DatabaseStatus read(Instance instance, Iterable<Session> sessions) {
        LockListing listing = new LockListing(DatabaseStatus.LOCK_REQUESTS_MAX);
        instance.locks().list(listing);
        return new DatabaseStatus(
                transactions(sessions),
                locks(listing, tableNames(instance)),
                listing.isComplete(),
                snapshots(instance),
                log(instance),
                checkpoint(instance),
                pool(instance),
                recovery(instance),
                health(instance.health()));
    }

    private static List<DatabaseStatus.OpenTransaction> transactions(Iterable<Session> sessions) {
        long now = InstalledTime.nanoTime();
        List<DatabaseStatus.OpenTransaction> transactions = new ArrayList<>();
        for (Session session : sessions) {
            TransactionGate gate = session.transaction().gate();
            // Volatile: what the transaction wrote when it began is seen with it. The rest may be stale, or of the
            // next transaction of that session, which is as good an answer.
            boolean rollbackOnly = gate.isRollbackOnly();
            if (gate.isOpen()) {
                transactions.add(transaction(session.core().context(), rollbackOnly, now));
            }
        }
        transactions.sort(Comparator.comparingLong(DatabaseStatus.OpenTransaction::openNanos)
                .reversed());
        return transactions;
    }

    private static DatabaseStatus.OpenTransaction transaction(
            TransactionContext context, boolean rollbackOnly, long now) {
        LockOwner owner = context.lockOwner();
        long firstLsn = context.firstLsnVolatile();
        long waitsFor = owner.waitsForOpaque();
        return new DatabaseStatus.OpenTransaction(
                owner.index(),
                context.transactionId(),
                owner.runnerName(),
                context.isolation(),
                Math.max(now - owner.beginNanos(), 0),
                rollbackOnly,
                owner.heldCount(),
                context.undo().byteCount(),
                firstLsn == TransactionContext.NO_LSN ? DatabaseStatus.NONE : firstLsn,
                waitsFor == 0 ? "" : LockName.toString(waitsFor));
    }

    private static Map<Long, String> tableNames(Instance instance) {
        Map<Long, String> names = new HashMap<>();
        for (TableReference table : instance.catalog().tables()) {
            TableState state = table.stateOrNull();
            if (state != null) {
                names.put(LockName.ofTable(state.tree().treeId()), table.name());
            }
        }
        return names;
    }

    private static List<DatabaseStatus.Lock> locks(LockListing listing, Map<Long, String> tableNames) {
        Map<Long, DatabaseStatus.Lock> locks = new LinkedHashMap<>();
        Map<Long, List<DatabaseStatus.LockRequest>> holders = new HashMap<>();
        Map<Long, List<DatabaseStatus.LockRequest>> waiters = new HashMap<>();
        for (int line = 0; line < listing.count(); line++) {
            long name = listing.name(line);
            locks.put(name, null);
            (listing.isWaiting(line) ? waiters : holders)
                    .computeIfAbsent(name, ignored -> new ArrayList<>())
                    .add(new DatabaseStatus.LockRequest(listing.owner(line), LockMode.toString(listing.mode(line))));
        }
        locks.replaceAll((name, ignored) -> new DatabaseStatus.Lock(
                LockName.toString(name),
                tableNames.getOrDefault(name, ""),
                holders.getOrDefault(name, List.of()),
                waiters.getOrDefault(name, List.of())));
        return List.copyOf(locks.values());
    }

    private static DatabaseStatus.SnapshotStatus snapshots(Instance instance) {
        SnapshotStatistics snapshots = instance.transactions().snapshotStatistics();
        return new DatabaseStatus.SnapshotStatus(
                snapshots.openSnapshots(), snapshots.oldestAgeNanos(), snapshots.versionBytes());
    }

    private static DatabaseStatus.LogStatus log(Instance instance) {
        Log log = instance.log();
        if (log == null) {
            return new DatabaseStatus.LogStatus(
                    0, 0, 0, DatabaseStatus.NONE, DatabaseStatus.NONE, DatabaseStatus.LogKeptFor.NO_LOG);
        }
        // The tail first, as a checkpoint does: what begins afterwards lies behind it.
        long tail = log.tailLsn();
        long transaction = instance.transactions().oldestFirstLsn();
        long dirtyPage = instance.pool().oldestRecoveryLsn();
        long kept = Math.min(instance.logKeptFromLsn(), tail);
        long needed = Math.min(transaction, dirtyPage);
        DatabaseStatus.LogKeptFor keptFor = DatabaseStatus.LogKeptFor.NEXT_CHECKPOINT;
        if (needed <= kept) {
            keptFor = transaction <= dirtyPage
                    ? DatabaseStatus.LogKeptFor.TRANSACTION
                    : DatabaseStatus.LogKeptFor.DIRTY_PAGE;
        }
        Checkpointer checkpointer = instance.checkpointerOrNull();
        long held = checkpointer == null ? CheckpointSource.NO_LSN : checkpointer.heldLsn();
        if (held <= Math.min(kept, needed)) {
            keptFor = DatabaseStatus.LogKeptFor.BACKUP;
            kept = held == Checkpointer.HELD_FROM_THE_NEXT ? kept : held;
        }
        return new DatabaseStatus.LogStatus(
                kept,
                tail,
                log.durableLsn(),
                transaction == Long.MAX_VALUE ? DatabaseStatus.NONE : transaction,
                dirtyPage == Long.MAX_VALUE ? DatabaseStatus.NONE : dirtyPage,
                keptFor);
    }

    private static DatabaseStatus.CheckpointStatus checkpoint(Instance instance) {
        Checkpointer checkpointer = instance.checkpointerOrNull();
        if (checkpointer == null) {
            return new DatabaseStatus.CheckpointStatus(0, false, 0, DatabaseStatus.NONE);
        }
        long target = checkpointer.writesBackUpToLsn();
        long completed = checkpointer.completedCount();
        if (target == 0) {
            long left = checkpointer.dueLsn() - instance.log().tailLsn();
            return new DatabaseStatus.CheckpointStatus(completed, false, 0, Math.max(left, 0));
        }
        long from = instance.logKeptFromLsn();
        long oldest = Math.clamp(instance.pool().oldestRecoveryLsn(), Math.min(from, target), target);
        double progress = target <= from ? 1 : (double) (oldest - from) / (target - from);
        return new DatabaseStatus.CheckpointStatus(completed, true, progress, 0);
    }

    private static DatabaseStatus.RecoveryStatus recovery(Instance instance) {
        boolean looksForLostPages = instance.environment().allocator().isSuperset();
        RecoveryReport report = instance.recoveryReport();
        if (report == null) {
            return new DatabaseStatus.RecoveryStatus(false, 0, 0, 0, 0, 0, looksForLostPages);
        }
        return new DatabaseStatus.RecoveryStatus(
                true,
                report.redoScanLsn(),
                report.endLsn(),
                report.scannedRecordCount(),
                report.committedCount(),
                report.rolledBackCount() + report.loserCount(),
                looksForLostPages);
    }

    private static DatabaseStatus.HealthStatus health(Health health) {
        Health.Setbacks setbacks = health.setbacks();
        return new DatabaseStatus.HealthStatus(text(health.failureOrNull()), setbacks.count(), text(setbacks.last()));
    }

    private static String text(Throwable causeOrNull) {
        return causeOrNull == null ? "" : causeOrNull.toString();
    }

    private static DatabaseStatus.PoolStatus pool(Instance instance) {
        BufferStatistics statistics = instance.pool().statistics();
        return new DatabaseStatus.PoolStatus(
                instance.options().poolBytes(), statistics.accesses(), statistics.misses(), statistics.hitRatio());
    }
}
