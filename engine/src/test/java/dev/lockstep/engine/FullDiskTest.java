package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.FaultyStorage;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A disk that is full when the database is closed. */
class FullDiskTest {
    private static final Path HOME = Path.of("/database");
    private static final int ROWS = 1_000;
    private static final int ROOM_BYTES_PER_TURN = 16 << 10;

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final FaultyStorage storage = new FaultyStorage(1);

    private Database open(Durability durability) {
        DatabaseOptions options = DatabaseOptions.builder()
                .createIfMissing(true)
                .durability(durability)
                .poolBytes(4 << 20)
                .logSegmentBytes(DatabaseOptions.LOG_SEGMENT_BYTES_MIN)
                .build();
        return validated.unexamined(Database.open(storage, HOME, options, null, LogOptions.sync()));
    }

    private static void fill(Database database, int from, int to) {
        Table table = database.table("account");
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = from; id < to; id++) {
                DatabaseTest.put(transaction, table, row, id, "x".repeat(500), id);
            }
        });
    }

    private static boolean isClosed(Database database) {
        try {
            database.close();
            return true;
        } catch (DiskFullException full) {
            return false;
        }
    }

    /** Nothing else than the open database has what it was to write: without a log it would be lost. */
    @Test
    void withoutALogItStaysOpenUntilThereIsRoom() {
        Database database = open(Durability.NONE);
        database.createTable(DatabaseTest.accounts());
        fill(database, 0, ROWS);
        long room = storage.bytes();
        storage.bytesMax(room);
        assertThrows(DiskFullException.class, database::close);
        int refusals = 1;
        // Ends: each turn there is room for more of what a close writes.
        while (!isClosed(database)) {
            assertEquals(ROWS, DatabaseTest.ids(database, null).size());
            refusals++;
            room += ROOM_BYTES_PER_TURN;
            storage.bytesMax(room);
        }
        storage.bytesMax(Long.MAX_VALUE);
        assertTrue(refusals > 3, "closes refused: " + refusals);
        assertThrows(DatabaseClosedException.class, () -> fill(database, ROWS, ROWS + 1));
        Database again = open(Durability.NONE);
        assertEquals(ROWS, DatabaseTest.ids(again, null).size());
        again.validate();
        again.close();
    }

    /** It must not go on beside a mark that says that it was closed in order. */
    @Test
    void withoutALogItEndsWhereItsMarkCannotBeTakenBack() {
        Storage refusing = new DelegatingStorage(storage) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                BlockFile file = super.open(path, mode);
                return !isMark(path) || mode != OpenMode.CREATE
                        ? file
                        : new DelegatingFile(file) {
                            @Override
                            public void write(ByteBuffer source, long position) {
                                throw new DiskFullException("no room for the mark");
                            }
                        };
            }

            @Override
            public void delete(Path path) {
                if (isMark(path)) {
                    throw new StorageException("the mark stays");
                }
                super.delete(path);
            }
        };
        DatabaseOptions options =
                ValidatedDatabase.USUAL.toBuilder().durability(Durability.NONE).build();
        Database database = validated.unexamined(Database.open(refusing, HOME, options, null, LogOptions.sync()));
        database.createTable(DatabaseTest.accounts());
        fill(database, 0, ROWS);
        StorageException failure = assertThrows(StorageException.class, database::close);
        assertEquals(DiskFullException.class, failure.getSuppressed()[0].getClass());
        assertThrows(DatabaseClosedException.class, () -> fill(database, ROWS, ROWS + 1));
        Database again = open(Durability.NONE);
        assertEquals(ROWS, DatabaseTest.ids(again, null).size());
        again.close();
    }

    private static boolean isMark(Path path) {
        return path.getFileName().toString().equals(FixedPlaces.CLEAN_CLOSE_FILE);
    }

    @Test
    void withALogTheNextOpenBringsEverythingBack() {
        Database database = open(Durability.SYNC);
        database.createTable(DatabaseTest.accounts());
        fill(database, 0, ROWS);
        storage.bytesMax(storage.bytes());
        assertThrows(DiskFullException.class, database::close);
        assertThrows(DatabaseClosedException.class, () -> fill(database, ROWS, ROWS + 1));
        database.close();
        storage.bytesMax(Long.MAX_VALUE);
        Database again = open(Durability.SYNC);
        assertEquals(ROWS, DatabaseTest.ids(again, null).size());
        again.validate();
        again.close();
    }
}
