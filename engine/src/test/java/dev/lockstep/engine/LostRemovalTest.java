package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.FileFormat;
import dev.lockstep.engine.file.FileHeader;
import dev.lockstep.engine.file.FileHeaderLayout;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mark of a clean close whose removal is shown and never gets to the medium. */
class LostRemovalTest {
    private static final Path HOME = Path.of("/database");

    /** Holds all pages; each opening zeroes so much, and the usual 256 MiB took most of the time of this test. */
    private static final long POOL_BYTES = 16L << 20;

    private static final Path MARK = HOME.resolve("cleanclose.lockstep");

    private final LosingStorage storage = new LosingStorage(new FaultyStorage(1));

    /** Takes no further change once the mark is removed, as a file system that its system has made read-only. */
    private static final class LosingStorage extends DelegatingStorage {
        private final FaultyStorage storage;
        private boolean refuses;

        /** Whether the medium has the mark, though nobody sees it. */
        private boolean isRemovalLost;

        private boolean isMadeAnew;
        private FileHeader header;

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
            if (path.equals(MARK) && !isMadeAnew && !isRemovalLost) {
                try (BlockFile mark = storage.open(MARK, OpenMode.READ_ONLY)) {
                    header = FileHeader.read(mark, FileFormat.CLEAN_CLOSE, null);
                }
            }
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

        FaultyStorage disk() {
            return storage;
        }

        void acceptAgain() {
            refuses = false;
            storage.kill();
        }

        void crash(Mark what) {
            storage.crash();
            if (isRemovalLost) {
                try (BlockFile mark = storage.open(MARK, OpenMode.CREATE)) {
                    what.write(mark, header);
                    mark.force(true);
                }
            }
        }
    }

    private Database open() {
        DatabaseOptions options = DatabaseOptions.builder()
                .poolBytes(POOL_BYTES)
                .createIfMissing(true)
                .build();
        return Database.open(storage, HOME, options, null, LogOptions.sync());
    }

    private static void put(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id));
    }

    /** What comes back. */
    private enum Mark {
        WHOLE {
            @Override
            void write(BlockFile file, FileHeader header) {
                header.write(file);
            }
        },
        OF_A_FORMER_VERSION {
            @Override
            void write(BlockFile file, FileHeader header) {
                FileHeader.of(FileFormat.CLEAN_CLOSE, header.databaseId(), 0).write(file);
            }
        },
        EMPTY {
            @Override
            void write(BlockFile file, FileHeader header) {
                // Nothing: of a close whose page bitmap may have pages too many.
            }
        },
        DAMAGED {
            @Override
            void write(BlockFile file, FileHeader header) {
                file.write(ByteBuffer.allocate(FileHeaderLayout.HEADER_BYTES), 0);
            }
        };

        abstract void write(BlockFile file, FileHeader header);
    }

    @ParameterizedTest
    @EnumSource
    void aCommitAfterItIsNotTakenForOneBeforeTheClose(Mark mark) {
        comesBack(mark, List.of(1, 2), again -> put(again, 2));
    }

    /** The log from before it is gone, and there is none behind it. */
    @ParameterizedTest
    @EnumSource
    void aCheckpointAfterItIsNotTakenForTheOneOfTheClose(Mark mark) {
        comesBack(mark, List.of(1, 2), again -> {
            put(again, 2);
            again.checkpoint();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aCommitBehindACheckpointIsNotTakenForOneInFrontOfIt(Mark mark) {
        comesBack(mark, List.of(1, 2, 3), again -> {
            put(again, 3);
            again.checkpoint();
            put(again, 2);
        });
    }

    /** Of a transaction that runs while a checkpoint is written, the log in front of the checkpoint counts. */
    @ParameterizedTest
    @EnumSource
    void aTransactionBesideACheckpointIsNotTakenForOneThatHadEnded(Mark mark) {
        comesBack(mark, List.of(1), again -> {
            Table table = again.table("account");
            Transaction transaction = again.openSession().begin();
            DatabaseTest.put(transaction, table, table.newRecord(), 7, "name", 7);
            again.checkpoint();
        });
    }

    /** What would say that the mark lies cannot be read now: then nobody may believe it. */
    @Test
    void aLogThatCannotBeReadProvesNothing() {
        leavesLost(Mark.WHOLE, again -> put(again, 2));
        storage.disk().failReads("log-", 1);
        assertThrows(StorageException.class, this::open);
        storage.disk().heal();
        requireIds(List.of(1, 2));
    }

    private void comesBack(Mark mark, List<Integer> idsAfterwards, Consumer<Database> use) {
        leavesLost(mark, use);
        requireIds(idsAfterwards);
    }

    /** Closes, has the removal of the mark be lost, uses the database, and crashes, which brings the mark back. */
    private void leavesLost(Mark mark, Consumer<Database> use) {
        Database database = open();
        database.createTable(DatabaseTest.accounts());
        put(database, 1);
        storage.isMadeAnew = true;
        database.close();
        storage.isMadeAnew = false;
        assertThrows(StorageException.class, this::open);
        storage.acceptAgain();
        Database again = open();
        use.accept(again);
        storage.crash(mark);
        again.abandon();
        storage.acceptAgain();
        assertTrue(storage.exists(MARK));
    }

    private void requireIds(List<Integer> idsAfterwards) {
        Database last = open();
        assertEquals(idsAfterwards, DatabaseTest.ids(last, null));
        last.validate();
        last.close();
    }
}
