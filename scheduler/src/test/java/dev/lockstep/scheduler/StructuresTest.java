package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The carrier's own structures against models from java.util, by random steps. */
class StructuresTest {
    private static final int STEPS = 5_000;
    private static final int S_THREADS = 40;

    private final List<SThread> sThreads = new ArrayList<>();

    StructuresTest() {
        for (int i = 0; i < S_THREADS; i++) {
            sThreads.add(new PlainSThread(null, "s" + i, () -> false));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void timersComeInTheOrderOfTheirDeadlines(long seed) {
        Random random = new Random(seed);
        TimerHeap heap = new TimerHeap();
        List<SThread> model = new ArrayList<>();
        // Deadlines around the overflow of nanoTime.
        long base = Long.MAX_VALUE - 50;
        for (int step = 0; step < STEPS; step++) {
            String replay = "seed=" + seed + " step=" + step;
            SThread any = sThreads.get(random.nextInt(S_THREADS));
            if (any.timerIndex == TimerHeap.ABSENT) {
                any.deadlineNanos = base + random.nextInt(100);
                heap.reserve();
                heap.add(any);
                model.add(any);
            } else {
                heap.remove(any);
                model.remove(any);
                assertEquals(TimerHeap.ABSENT, any.timerIndex, replay);
            }
            assertEquals(model.size(), heap.size(), replay);
            assertEquals(model.isEmpty(), heap.isEmpty(), replay);
            SThread first = heap.first();
            if (model.isEmpty()) {
                assertNull(first, replay);
            } else {
                long earliest = model.stream()
                        .min(Comparator.comparingLong(each -> each.deadlineNanos - base))
                        .orElseThrow()
                        .deadlineNanos;
                assertEquals(earliest, first.deadlineNanos, replay);
            }
        }
    }

    /** It is the carrier that adds, and an S-thread that makes room: a lack of memory is its own affair. */
    @Test
    void onlyMakingRoomForATimerAllocates() {
        ThreadMXBean threads = assertInstanceOf(ThreadMXBean.class, ManagementFactory.getThreadMXBean());
        TimerHeap heap = new TimerHeap();
        long reservedBytes = 0;
        long addedBytes = 0;
        for (int i = 0; i < 1_000; i++) {
            SThread sThread = new PlainSThread(null, "s" + i, () -> false);
            sThread.deadlineNanos = -i;
            long before = threads.getCurrentThreadAllocatedBytes();
            heap.reserve();
            long between = threads.getCurrentThreadAllocatedBytes();
            heap.add(sThread);
            addedBytes += threads.getCurrentThreadAllocatedBytes() - between;
            reservedBytes += between - before;
        }
        // Places for 1,024, of 4 bytes at least, where 64 would have done for a start.
        assertTrue(reservedBytes > 4_096, "reservedBytes=" + reservedBytes);
        assertTrue(addedBytes < 512, "addedBytes=" + addedBytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aTeamIsARing(long seed) {
        Random random = new Random(seed);
        Team team = new Team();
        Deque<SThread> model = new ArrayDeque<>();
        for (int step = 0; step < STEPS; step++) {
            String replay = "seed=" + seed + " step=" + step;
            SThread any = sThreads.get(random.nextInt(S_THREADS));
            if (random.nextInt(4) == 0 && !model.isEmpty()) {
                team.pass();
                model.addLast(model.removeFirst());
            } else if (!any.member) {
                team.add(any);
                model.addLast(any);
            } else {
                team.remove(any);
                model.remove(any);
                assertNull(any.next, replay);
                assertNull(any.previous, replay);
            }
            assertEquals(model.size(), team.size(), replay);
            assertSame(model.peekFirst(), team.turn(), replay);
            SThread each = team.turn();
            for (SThread expected : model) {
                assertSame(expected, each, replay);
                assertSame(each, each.next.previous, replay);
                each = each.next;
            }
        }
    }

    @Test
    void aTeamWithMembersIsNotStartedAgain() {
        Team team = new Team();
        team.add(sThreads.getFirst());
        assertThrows(IllegalStateException.class, () -> team.start(new OperationList(1, 10, TeamMode.ON, null, null)));
    }

    /** Some are of no part, some of parts that share a place. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nobodyHasASecondTurnBeforeWhoWaited(long seed) {
        Random random = new Random(seed);
        TurnQueue queue = new TurnQueue();
        int[] parts = {Scheduler.NO_PART, 0, 1, 2, 2 + TurnQueue.PLACES};
        for (SThread each : sThreads) {
            each.dataPart = parts[random.nextInt(parts.length)];
        }
        // Who has had a turn while the key waited, and who of its part still waits that came before it.
        Map<SThread, Set<SThread>> turnsBeside = new LinkedHashMap<>();
        Map<SThread, Set<SThread>> ahead = new HashMap<>();
        SThread polled = null;
        for (int step = 0; step < STEPS; step++) {
            String replay = "seed=" + seed + " step=" + step;
            SThread any = sThreads.get(random.nextInt(S_THREADS));
            if (polled != null && random.nextInt(10) == 0) {
                queue.prepend(polled);
                assertSame(polled, queue.poll(), replay);
            } else if (random.nextBoolean() && !turnsBeside.containsKey(any)) {
                ahead.put(any, new HashSet<>(turnsBeside.keySet()));
                ahead.get(any).removeIf(each -> place(each) != place(any));
                turnsBeside.put(any, new HashSet<>());
                queue.append(any);
                polled = polled == any ? null : polled;
            } else {
                polled = queue.poll();
                assertEquals(turnsBeside.isEmpty(), polled == null, replay);
                if (polled != null) {
                    assertNotNull(turnsBeside.remove(polled), replay);
                    assertEquals(Set.of(), ahead.remove(polled), replay);
                    for (SThread waiting : turnsBeside.keySet()) {
                        assertTrue(turnsBeside.get(waiting).add(polled), replay);
                        ahead.get(waiting).remove(polled);
                    }
                }
            }
            assertEquals(turnsBeside.size(), queue.size(), replay);
            assertEquals(turnsBeside.isEmpty(), queue.isEmpty(), replay);
        }
    }

    private static int place(SThread sThread) {
        return sThread.dataPart == Scheduler.NO_PART ? -1 : sThread.dataPart % TurnQueue.PLACES;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aQueueKeepsTheOrderOfArrival(long seed) {
        Random random = new Random(seed);
        SThreadQueue queue = new SThreadQueue();
        Deque<SThread> model = new ArrayDeque<>();
        for (int step = 0; step < STEPS; step++) {
            String replay = "seed=" + seed + " step=" + step;
            SThread any = sThreads.get(random.nextInt(S_THREADS));
            switch (random.nextInt(5)) {
                case 0 -> assertSame(model.pollFirst(), queue.poll(), replay);
                case 1 -> {
                    if (!model.isEmpty()) {
                        queue.removeNewest(model.removeLast());
                    }
                }
                case 2 -> {
                    if (!model.contains(any)) {
                        queue.prepend(any);
                        model.addFirst(any);
                    }
                }
                default -> {
                    if (!model.contains(any)) {
                        queue.append(any);
                        model.addLast(any);
                    }
                }
            }
            assertEquals(model.size(), queue.size(), replay);
            assertEquals(model.isEmpty(), queue.isEmpty(), replay);
        }
    }

    @Test
    void onlyTheNewestIsTakenBack() {
        SThreadQueue queue = new SThreadQueue();
        queue.append(sThreads.get(0));
        queue.append(sThreads.get(1));
        assertThrows(IllegalStateException.class, () -> queue.removeNewest(sThreads.get(0)));
    }

    @Test
    void anInboxKeepsTheOrderOfArrival() {
        Inbox inbox = new Inbox();
        assertTrue(inbox.isEmpty());
        assertNull(inbox.drain());
        assertTrue(sThreads.get(0).casQueued());
        assertFalse(sThreads.get(0).casQueued(), "at most once");
        assertTrue(inbox.push(sThreads.get(0)));
        assertFalse(inbox.push(sThreads.get(1)));
        InboxNode first = inbox.drain();
        assertSame(sThreads.get(0), first);
        assertSame(sThreads.get(1), first.nextInInbox);
        assertTrue(inbox.isEmpty());
        first.clearQueued();
        assertTrue(sThreads.get(0).casQueued());
    }
}
