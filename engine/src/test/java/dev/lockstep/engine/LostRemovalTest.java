package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A mark of a clean close whose removal is shown and never gets to the medium. */
@Timeout(60)
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

    private Database open() {
        DatabaseOptions options =
                DatabaseOptions.builder().createIfMissing(true).build();
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
}
