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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A close that the system refuses, of a database without a log. */
class UnloggedCloseTest {
    private static final Path HOME = Path.of("/database");
    private static final List<Integer> IDS = List.of(1, 2, 3);
    private static final Pattern PLANNED = Pattern.compile("operation=\\W*([a-z ]+)\\W*, file=([^,]+),");

    /** Where these fail everything is written, and a mark that says so. */
    private static final Set<String> MARKED = Set.of("force cleanclose.lockstep", "delete unlogged.lockstep");

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private Database open(Storage storage) {
        DatabaseOptions options =
                ValidatedDatabase.USUAL.toBuilder().durability(Durability.NONE).build();
        return validated.unexamined(Database.open(storage, HOME, options, null, LogOptions.sync()));
    }

    private static void insert(Database database, int id) {
        Table table = database.table("account");
        database.run(transaction -> DatabaseTest.put(transaction, table, table.newRecord(), id, "name", id));
    }

    /** Nothing else than the open database has its rows. Only behind a failed force nobody knows where they are. */
    @Test
    void whatTheSystemRefusesOnceIsClosedLater() {
        Set<String> outlived = new TreeSet<>();
        Set<String> ended = new TreeSet<>();
        boolean hasFailed = true;
        // Ends behind the last change that a close makes.
        for (int change = 1; hasFailed; change++) {
            FaultyStorage storage = new FaultyStorage(change);
            Database database = open(storage);
            database.createTable(DatabaseTest.accounts());
            insert(database, 1);
            storage.failAtChange(change, false);
            try {
                database.close();
                hasFailed = false;
            } catch (LockstepException refused) {
                storage.heal();
                String operation = operation(refused);
                if (!database.instance().isClosed()) {
                    outlived.add(operation);
                    insert(database, 2);
                    database.close();
                    requireRows(storage, List.of(1, 2), operation);
                } else {
                    ended.add(operation);
                    if (MARKED.contains(operation)) {
                        requireRows(storage, List.of(1), operation);
                    }
                }
            }
        }
        assertEquals(
                "[create checkpoint-new.lockstep, create cleanclose.lockstep, rename checkpoint-new.lockstep,"
                        + " write checkpoint-new.lockstep, write cleanclose.lockstep, write pages.lockstep]",
                outlived.toString());
        assertEquals(
                "[delete unlogged.lockstep, force checkpoint-new.lockstep, force cleanclose.lockstep,"
                        + " force directory database, force doublewrite.lockstep, force pages.lockstep,"
                        + " write doublewrite.lockstep]",
                ended.toString());
    }

    /** What the storage was to do, and with which file. */
    private static String operation(LockstepException refused) {
        Matcher planned = PLANNED.matcher(refused.toString());
        assertTrue(planned.find(), refused.toString());
        return planned.group(1) + " " + Path.of(planned.group(2)).getFileName();
    }

    private void requireRows(FaultyStorage storage, List<Integer> ids, String operation) {
        Database again = open(storage);
        assertEquals(ids, DatabaseTest.ids(again, null), operation);
        validated.close(again);
    }

    /** As at the limit of file descriptors, which others may hold for long. */
    @Test
    void itStaysOpenAsLongAsTheSystemRefuses() {
        FaultyStorage storage = new FaultyStorage(1);
        AtomicBoolean refuses = new AtomicBoolean();
        Storage atItsLimit = new DelegatingStorage(storage) {
            @Override
            public BlockFile open(Path path, OpenMode mode) {
                if (refuses.get()) {
                    throw new StorageException("too many open files");
                }
                return super.open(path, mode);
            }
        };
        Database database = open(atItsLimit);
        database.createTable(DatabaseTest.accounts());
        refuses.set(true);
        for (int id : IDS) {
            insert(database, id);
            assertThrows(StorageException.class, database::close);
        }
        refuses.set(false);
        database.close();
        requireRows(storage, IDS, "open");
    }
}
