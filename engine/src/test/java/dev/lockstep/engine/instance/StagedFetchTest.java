package dev.lockstep.engine.instance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.Isolation;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.BTree;
import dev.lockstep.engine.btree.TreeDescent;
import dev.lockstep.engine.lock.CountedStripes;
import dev.lockstep.engine.lock.LockMode;
import dev.lockstep.engine.lock.LockName;
import dev.lockstep.engine.operation.FetchOperation;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.RawRecord;
import dev.lockstep.engine.type.RecordTarget;
import dev.lockstep.scheduler.OperationStatistics;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import dev.lockstep.scheduler.StagedWork;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A fetch that fails in the hands of a leader fails for its own transaction alone. */
class StagedFetchTest {
    private static final List<String> TABLES = List.of("first", "second");
    private static final int MEMBERS = 6;
    private static final int ROUNDS = 10;

    /** Several times as many as a list has teams before its mean is looked at. */
    private static final int FETCHES = 300;

    /** Takes a value as long as there is memory for it. */
    private static final class FullTarget implements RecordTarget {
        private final Error failure;

        FullTarget(Error failure) {
            this.failure = failure;
        }

        @Override
        public byte[] ensureKeyCapacity(int bytes) {
            throw failure;
        }

        @Override
        public void setKeyLength(int bytes) {
            throw failure;
        }

        @Override
        public byte[] ensureValueCapacity(int bytes) {
            throw failure;
        }

        @Override
        public void setValueLength(int bytes) {
            throw failure;
        }

        @Override
        public void setPosition(int pageId, int frame, int slot, long version, int treeStamp, long lockStamp) {
            throw failure;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aFailureIsOfOneMemberAlone(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options = SchedulerOptions.defaults()
                .withKind(kind)
                .withCarriers(1)
                .withTeamMode(TeamMode.ON)
                .withTeamExecution(TeamExecution.STAGED);
        try (Scheduler scheduler = new Scheduler(options)) {
            Instance instance = openInMemory(scheduler);
            BTree tree = filled(instance, "raw", 1);
            int list = scheduler.registerOperation("fetch raw");
            AtomicInteger failures = new AtomicInteger();
            List<SThread> members = Collections.synchronizedList(new ArrayList<>());
            members.add(scheduler.start("starter", 0, () -> {
                for (int member = 0; member < MEMBERS; member++) {
                    int number = member;
                    members.add(
                            scheduler.start("member-" + number, 0, () -> run(instance, tree, list, number, failures)));
                }
            }));
            scheduler.awaitTermination();
            for (SThread member : members) {
                assertNull(member.failure(), () -> member + " " + member.failure());
            }
            assertEquals(MEMBERS * ROUNDS, failures.get());
            OperationStatistics statistics = scheduler.statistics().stream()
                    .filter(each -> each.operation().equals("fetch raw"))
                    .findAny()
                    .orElseThrow();
            assertTrue(statistics.membersStaged() > MEMBERS, statistics::toString);
            assertEquals(statistics.membersIn(), statistics.membersOut(), statistics::toString);
            instance.validate();
            assertTrue(instance.locks().isEmpty());
            instance.close();
        }
    }

    private static Instance openInMemory(Scheduler scheduler) {
        DatabaseOptions smallest = DatabaseOptions.builder()
                .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                .build();
        return new InstanceOpener(smallest, scheduler).openInMemory();
    }

    private static byte[] key(int member) {
        return new byte[] {(byte) member};
    }

    private static BTree filled(Instance instance, String table, int mark) {
        BTree tree = instance.schema()
                .createTable(TableDefinition.named(table)
                        .column("key", ColumnType.binary(10))
                        .primaryKey("key")
                        .build())
                .state()
                .tree();
        SessionCore session = instance.newSession();
        session.begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        for (int member = 0; member < MEMBERS; member++) {
            session.beforeChange();
            byte[] value = {(byte) member, (byte) mark};
            session.insert.start(tree, key(member), 1, value, value.length, 0);
            session.driver.runPlain(session.insert);
        }
        session.commit();
        session.close();
        return tree;
    }

    /** As many as there are reads that depend on one another: the leaf, and then the row where its slot says. */
    @Test
    void aRowWhoseLeafIsGuessedTakesTwoStages() {
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults())) {
            Instance instance = openInMemory(scheduler);
            BTree tree = filled(instance, "raw", 1);
            SessionCore session = instance.newSession();
            session.begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
            assertEquals(3, stages(session.fetchBesideOthers(), tree, 0), "the leaf is the root, but was not guessed");
            assertEquals(2, stages(session.fetchBesideOthers(), tree, 0));
            assertEquals(4, stages(session.fetch, tree, 0), "a switch point behind each stage");
            session.commit();
            session.close();
            instance.validate();
            instance.close();
        }
    }

    /** Each of its own transaction; a lock that is not to be had keeps nobody but its own statement. */
    @Test
    void theLocksOfATeamTakeOnePassThroughEachStripe() {
        CountedStripes stripes = new CountedStripes();
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults())) {
            Instance instance = stripes.opening(() -> openInMemory(scheduler));
            BTree tree = filled(instance, "raw", 1);
            SessionCore[] sessions = new SessionCore[MEMBERS];
            StagedWork[] team = new StagedWork[MEMBERS];
            long[] names = new long[MEMBERS];
            int number = 0;
            for (int member = 0; member < MEMBERS; member++) {
                byte[] key;
                do {
                    key = new byte[] {(byte) (number >>> Byte.SIZE), (byte) number++};
                    names[member] = LockName.ofKey(tree.treeId(), tree.leadingBytes(), key, 0, key.length);
                } while (member % 2 == 1
                        && CountedStripes.stripesOf(instance.locks(), names[member - 1], names[member]) == 2);
                sessions[member] = instance.newSession();
                sessions[member].begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
                FetchOperation fetch = sessions[member].fetchBesideOthers();
                fetch.start(tree, key, key.length, LockMode.KEY_X, false, new RawRecord());
                sessions[member].stagedFetch().start(new FetchOperation[] {fetch}, 1);
                team[member] = sessions[member].stagedFetch();
            }
            int stripeCount = CountedStripes.stripesOf(instance.locks(), names);
            assertTrue(stripeCount <= MEMBERS / 2, "members share stripes");
            assertTrue(instance.locks().tryLock(sessions[0].context().lockOwner(), names[1], LockMode.KEY_X));
            int passesBefore = stripes.passes();
            sessions[0].stagedFetch().runTogether(team, MEMBERS);
            assertEquals(
                    stripeCount + 1, stripes.passes() - passesBefore, "and the one that is not granted tries again");
            for (int member = 0; member < MEMBERS; member++) {
                int held = instance.locks().heldMode(sessions[member].context().lockOwner(), names[member]);
                assertEquals(member == 1 ? LockMode.NONE : LockMode.KEY_X, held, "member " + member);
                sessions[member].commit();
                sessions[member].close();
            }
            instance.validate();
            assertTrue(instance.locks().isEmpty());
            instance.close();
        }
    }

    private static int stages(FetchOperation fetch, BTree tree, int member) {
        RawRecord found = new RawRecord();
        fetch.start(tree, key(member), 1, LockMode.KEY_S, false, found);
        fetch.followHint();
        int stages = 1;
        // Ends because nobody changes the tree meanwhile.
        while (fetch.step() == TreeDescent.CONTINUE) {
            stages++;
        }
        assertTrue(fetch.found());
        assertArrayEquals(new byte[] {(byte) member, 1}, Arrays.copyOf(found.valueBytes(), 2));
        return stages;
    }

    /** In each round one statement after the other fetches its row, has no room for it, and fetches it with others. */
    private static void run(Instance instance, BTree tree, int list, int member, AtomicInteger failures) {
        SessionCore session = instance.newSession();
        RawRecord found = new RawRecord();
        for (int round = 0; round < ROUNDS; round++) {
            session.begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
            FetchOperation fetch = session.fetchBesideOthers();
            for (int statement = 0; statement < MEMBERS; statement++) {
                if (statement == member) {
                    OutOfMemoryError full = new OutOfMemoryError("by hand");
                    fetch.start(tree, key(member), 1, LockMode.KEY_S, false, new FullTarget(full));
                    assertSame(full, assertThrows(OutOfMemoryError.class, () -> session.stagedFetch()
                            .run(fetch, list)));
                    failures.incrementAndGet();
                } else {
                    fetch.start(tree, key(member), 1, LockMode.KEY_S, false, found);
                    session.stagedFetch().run(fetch, list);
                    assertTrue(fetch.found());
                    assertArrayEquals(new byte[] {(byte) member, 1}, Arrays.copyOf(found.valueBytes(), 2));
                }
            }
            session.commit();
        }
        session.close();
    }

    /** Consolidated lists: the leader fetches rows of its own table and of another. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void aLeaderFetchesFromTablesOfOthers(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options =
                staged(kind).withCarriers(1).withTeamMode(TeamMode.ON).withConsolidationOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            runMembers(scheduler, (tables, member) -> tables.fetch(member % TABLES.size(), member));
            for (String table : TABLES) {
                OperationStatistics statistics = scheduler.statistics().stream()
                        .filter(each -> each.operation().equals("fetch " + table))
                        .findAny()
                        .orElseThrow();
                assertTrue(statistics.teamsConsolidated() > FETCHES / 2, statistics::toString);
                assertTrue(statistics.membersStaged() > 2 * statistics.teamsConsolidated(), statistics::toString);
                assertEquals(statistics.membersIn(), statistics.membersOut(), statistics::toString);
            }
        }
    }

    /** The other carrier has nothing to do; the rows are those of S-threads that it does not run. */
    @ParameterizedTest
    @EnumSource(
            value = SThreadKind.class,
            names = {"VIRTUAL", "CONTINUATION"})
    void anIdleCarrierFetches(SThreadKind kind) throws InterruptedException {
        SchedulerOptions options =
                staged(kind).withCarriers(2).withTeamMode(TeamMode.ON).withLendingOn(true);
        try (Scheduler scheduler = new Scheduler(options)) {
            runMembers(scheduler, (tables, member) -> {
                // Ends because the other carrier is idle sooner or later.
                while (membersLent(scheduler) == 0) {
                    for (int table = 0; table < TABLES.size(); table++) {
                        tables.fetch((member + table) % TABLES.size(), member);
                    }
                }
            });
        }
    }

    private static SchedulerOptions staged(SThreadKind kind) {
        return SchedulerOptions.defaults().withKind(kind).withTeamExecution(TeamExecution.STAGED);
    }

    /** Two filled tables, whose fetches have a list each. */
    private record Tables(Instance instance, List<BTree> trees) {
        void fetch(int table, int member) {
            fetchAlone(instance, trees.get(table), table + 1, member, "fetch " + TABLES.get(table));
        }
    }

    /** Runs S-threads of carrier 0 on two tables, and ends the scheduler. */
    private static void runMembers(Scheduler scheduler, ObjIntConsumer<Tables> body) throws InterruptedException {
        Instance instance = openInMemory(scheduler);
        List<SThread> members = Collections.synchronizedList(new ArrayList<>());
        Tables tables =
                new Tables(instance, List.of(filled(instance, TABLES.get(0), 1), filled(instance, TABLES.get(1), 2)));
        members.add(scheduler.start("starter", 0, () -> {
            for (int member = 0; member < MEMBERS; member++) {
                int number = member;
                members.add(scheduler.start("member-" + number, 0, () -> body.accept(tables, number)));
            }
        }));
        scheduler.awaitTermination();
        for (SThread member : members) {
            assertNull(member.failure(), () -> member + " " + member.failure());
        }
        instance.validate();
        assertTrue(instance.locks().isEmpty());
        instance.close();
    }

    private static long membersLent(Scheduler scheduler) {
        return scheduler.statistics().stream()
                .mapToLong(OperationStatistics::membersLent)
                .sum();
    }

    private static void fetchAlone(Instance instance, BTree tree, int mark, int member, String list) {
        int operation = instance.scheduler().registerOperation(list);
        SessionCore session = instance.newSession();
        RawRecord found = new RawRecord();
        session.begin(Isolation.SERIALIZABLE, Durability.ASYNC, Long.MAX_VALUE, Long.MAX_VALUE);
        FetchOperation fetch = session.fetchBesideOthers();
        for (int round = 0; round < FETCHES; round++) {
            fetch.start(tree, key(member), 1, LockMode.KEY_S, false, found);
            session.stagedFetch().run(fetch, operation);
            assertTrue(fetch.found());
            assertArrayEquals(new byte[] {(byte) member, (byte) mark}, Arrays.copyOf(found.valueBytes(), 2));
        }
        session.commit();
        session.close();
    }
}
