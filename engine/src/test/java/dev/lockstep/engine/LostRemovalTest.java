package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mark of a clean close whose removal is shown and never gets to the medium, or that is never removed. */
class LostRemovalTest {
    private static final Path HOME = Path.of("/database");
    private static final Path MARK = HOME.resolve("cleanclose.lockstep");

    private final LosingStorage storage = new LosingStorage(new FaultyStorage(1));

    /** Takes no further change once the mark is removed, as a file system that its system has made read-only. */
    private static final class LosingStorage extends DelegatingStorage {
        private final FaultyStorage storage;
        private boolean refuses;

        /** Whether the medium has the mark, though nobody sees it. */
        private boolean isRemovalLost;

        private boolean isMadeAnew;

        LosingStorage(FaultyStorage storage) {
            super(storage);
            this.storage = storage;
        }

        private void check() {
            if (refuses) {
                throw new StorageException("refused");
            }
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            if (mode == OpenMode.CREATE) {
                check();
                isMadeAnew |= path.equals(MARK);
            }
            return super.open(path, mode);
        }

        @Override
        public void delete(Path path) {
            super.delete(path);
            if (path.equals(MARK) && !isMadeAnew && !isRemovalLost) {
                refuses = true;
                isRemovalLost = true;
            }
        }

        /** Writes what is shown, if any of it was changed since. */
        @Override
        public void forceDirectory(Path directory) {
            check();
            isRemovalLost &= !isMadeAnew;
            super.forceDirectory(directory);
        }

        void acceptAgain() {
            refuses = false;
            storage.kill();
        }

        void crash() {
            storage.crash();
            if (isRemovalLost) {
                storage.open(MARK, OpenMode.CREATE).close();
            }
        }
    }

    /** Takes no change any more where a recovery would remove the mark that it has made. */
    private static final class StoppingStorage extends DelegatingStorage {
        private boolean stopsAtTheMark;
        private boolean isStopped;

        StoppingStorage(FaultyStorage storage) {
            super(storage);
        }

        @Override
        public void delete(Path path) {
            isStopped |= stopsAtTheMark && path.equals(MARK);
            if (isStopped) {
                throw new StorageException("stopped");
            }
            super.delete(path);
        }
    }

    private Database open() {
        return open(storage, TornPageProtection.DOUBLE_WRITE);
    }

    private static Database open(Storage storage, TornPageProtection protection) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .tornPageProtection(protection)
                .build();
        return Database.open(storage, HOME, options, null, LogOptions.sync());
    }

    private static void put(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id));
    }

    @Test
    void aCommitAfterItIsNotTakenForOneBeforeTheClose() {
        Database database = open();
        database.createTable(DatabaseTest.accounts());
        put(database, 1);
        storage.isMadeAnew = true;
        database.close();
        storage.isMadeAnew = false;
        assertThrows(StorageException.class, this::open);
        storage.acceptAgain();
        Database again = open();
        put(again, 2);
        storage.crash();
        again.abandon();
        storage.acceptAgain();
        Database last = open();
        assertEquals(List.of(1, 2), DatabaseTest.ids(last, null));
        last.validate();
        last.close();
    }

    /** The log goes on behind what the recovery has written, images of pages among it. */
    @ParameterizedTest
    @EnumSource
    void aRecoveryThatEndedBesideItsOwnMarkLosesNoLog(TornPageProtection protection) {
        FaultyStorage disk = new FaultyStorage(2);
        StoppingStorage stopping = new StoppingStorage(disk);
        Database database = open(stopping, protection);
        database.createTable(DatabaseTest.accounts());
        put(database, 1);
        database.abandon();
        disk.kill();
        stopping.stopsAtTheMark = true;
        assertThrows(StorageException.class, () -> open(stopping, protection));
        assertTrue(stopping.isStopped && disk.exists(MARK));
        disk.kill();
        Database marked = open(disk, protection);
        put(marked, 2);
        marked.abandon();
        disk.kill();
        Database last = open(disk, protection);
        assertEquals(List.of(1, 2), DatabaseTest.ids(last, null));
        last.validate();
        last.close();
    }
}
