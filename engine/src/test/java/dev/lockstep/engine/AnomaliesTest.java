package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each isolation level admits exactly the anomalies that it is said to admit: those are shown to happen, in the very
 * schedules in which the others are shown not to.
 */
class AnomaliesTest {
    private static final String TABLE_HEAD = "| anomaly | `READ_UNCOMMITTED` | `READ_COMMITTED` |";

    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    private final List<Actor> actors = new ArrayList<>();
    private Database database;
    private Table table;

    @BeforeEach
    void begin() {
        database = validated.inMemory();
        table = database.createTable(DatabaseTest.accounts());
        database.run(transaction -> {
            Record row = table.newRecord();
            for (int id = 10; id <= 50; id += 10) {
                DatabaseTest.put(transaction, table, row, id, "n", id);
            }
        });
    }

    @AfterEach
    void end() throws Exception {
        for (Actor actor : actors) {
            actor.close();
        }
    }

    private Anomaly.Player player(Isolation level) throws Exception {
        return player(database.transactionOptions().withIsolation(level));
    }

    private Anomaly.Player player(TransactionOptions options) throws Exception {
        Actor actor = new Actor(database, table, "player-" + actors.size());
        actors.add(actor);
        actor.run(own -> own.begin(options));
        return new Anomaly.Player(actor);
    }

    private long amount(int id) {
        return database.call(transaction -> {
            Record row = table.newRecord();
            assertTrue(transaction.fetch(table, table.newKey().add(id), row));
            return row.getLong(2);
        });
    }

    static Stream<Arguments> all() {
        return Arrays.stream(Anomaly.values())
                .flatMap(anomaly -> Arrays.stream(Isolation.values()).map(level -> Arguments.of(anomaly, level)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void levelsAdmitWhatTheyAreSaidToAdmit(Anomaly anomaly, Isolation level) throws Exception {
        assertEquals(anomaly.isAdmittedBy(level), occurs(anomaly, level, level));
    }

    private boolean occurs(Anomaly anomaly, Isolation one, Isolation two) throws Exception {
        return anomaly.occursIn(new Anomaly.Schedule(player(one), player(two), this::amount));
    }

    /** What a transaction may see depends on its own level, and not on those of the transactions beside it. */
    @ParameterizedTest
    @EnumSource(
            value = Anomaly.class,
            names = {"G0", "PMP", "PMP_BY_INDEX", "G_SINGLE", "G_SINGLE_OF_RANGES"})
    void aSerializableTransactionIsSafeBesideWeakerOnes(Anomaly anomaly) throws Exception {
        assertEquals(false, occurs(anomaly, Isolation.SERIALIZABLE, Isolation.READ_UNCOMMITTED));
    }

    /** The same where it is the second transaction of the schedule that reads. */
    @ParameterizedTest
    @EnumSource(
            value = Anomaly.class,
            names = {"G1A", "G1B", "OTV"})
    void whoReadsCommittedIsSafeBesideWeakerOnes(Anomaly anomaly) throws Exception {
        assertEquals(false, occurs(anomaly, Isolation.READ_UNCOMMITTED, Isolation.READ_COMMITTED));
    }

    /** A snapshot sees what was committed up to one point, whatever runs beside it; here it is the first that reads. */
    @ParameterizedTest
    @EnumSource(
            value = Anomaly.class,
            names = {"PMP", "PMP_BY_INDEX", "G_SINGLE", "G_SINGLE_OF_RANGES"})
    void aSnapshotThatIsReadAroundACommitIsSafe(Anomaly anomaly) throws Exception {
        Anomaly.Player snapshot = player(database.transactionOptions().readOnlySnapshot());
        assertEquals(
                false, anomaly.occursIn(new Anomaly.Schedule(snapshot, player(Isolation.SERIALIZABLE), this::amount)));
    }

    /** The same where it is the second, and what it must not see is not committed. */
    @ParameterizedTest
    @EnumSource(
            value = Anomaly.class,
            names = {"G1A", "G1B", "OTV"})
    void aSnapshotThatIsReadBeforeACommitIsSafe(Anomaly anomaly) throws Exception {
        Anomaly.Player writer = player(Isolation.READ_UNCOMMITTED);
        Anomaly.Player snapshot = player(database.transactionOptions().readOnlySnapshot());
        assertEquals(false, anomaly.occursIn(new Anomaly.Schedule(writer, snapshot, this::amount)));
    }

    /** Many rows are locked one by one: their table is not, and others change it beside. */
    @Test
    void locksAreNotEscalated() throws Exception {
        Actor one = new Actor(database, table, "one");
        Actor two = new Actor(database, table, "two");
        actors.addAll(List.of(one, two));
        one.run(own -> own.begin(database.transactionOptions().withIsolation(Isolation.SERIALIZABLE)));
        for (int id = 1_000; id < 11_000; id++) {
            int next = id;
            one.run(own -> own.insert(next, next));
        }
        assertEquals(10_000, one.run(own -> own.ids(1_000, 11_000)).size());
        two.run(own -> own.begin(database.transactionOptions().withIsolation(Isolation.SERIALIZABLE)));
        assertEquals(true, two.run(own -> own.write(10, 11)));
        two.run(own -> own.insert(5, 5));
        two.run(Actor::commit);
        one.run(Actor::commit);
    }

    /** The table of ARCHITECTURE.md is the one that is tested here. */
    @Test
    void theTableInTheDocumentIsExact() throws IOException {
        Path module = Path.of("").toAbsolutePath();
        Path root = Files.exists(module.resolve("ARCHITECTURE.md")) ? module : module.getParent();
        List<String> lines = Files.readAllLines(root.resolve("ARCHITECTURE.md"));
        int head = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith(TABLE_HEAD))
                .findFirst()
                .orElseThrow());
        TreeSet<String> written = new TreeSet<>();
        for (int i = head + 2; lines.get(i).startsWith("|"); i++) {
            written.add(lines.get(i));
        }
        TreeSet<String> tested = new TreeSet<>();
        for (Anomaly anomaly : Anomaly.values()) {
            StringBuilder row = new StringBuilder("| ").append(anomaly.title()).append(" |");
            for (Isolation level : Isolation.values()) {
                row.append(anomaly.isAdmittedBy(level) ? " admitted |" : " forbidden |");
            }
            tested.add(row.toString());
        }
        assertEquals(tested, written);
    }
}
