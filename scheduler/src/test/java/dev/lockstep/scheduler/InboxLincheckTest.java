package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Model checking of {@link Inbox} against a plain queue: nothing is lost, doubled or reordered. The same check on a
 * copy that takes its content in two steps must fail.
 */
@Isolated("Lincheck transforms classes of the whole JVM")
class InboxLincheckTest {
    private static final int INVOCATIONS = Integer.getInteger("lockstep.lincheck.invocations", 500);
    private static final int ITERATIONS = Integer.getInteger("lockstep.lincheck.iterations", 8);

    @Test
    void behavesLikeAQueue() {
        options().check(RealInbox.class);
    }

    @Test
    void takingInTwoStepsIsFound() {
        assertThrows(LincheckAssertionError.class, () -> options().check(TwoStepInbox.class));
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(INVOCATIONS)
                .threads(3)
                .actorsPerThread(3)
                .sequentialSpecification(QueueModel.class)
                .minimizeFailedScenario(false);
    }

    /** What both must behave like. */
    public static class QueueModel {
        private final Queue<Integer> queue = new ArrayDeque<>();

        @Operation
        public void push(int value) {
            queue.add(value);
        }

        @Operation(nonParallelGroup = "consumer")
        public List<Integer> drain() {
            List<Integer> all = new ArrayList<>(queue);
            queue.clear();
            return all;
        }
    }

    /** The real inbox; nodes are made per push, because a node is in an inbox at most once. */
    @Param(name = "value", gen = IntGen.class, conf = "1:9")
    public static class RealInbox {
        private final Inbox inbox = new Inbox();

        @Operation
        public void push(@Param(name = "value") int value) {
            Node node = new Node(value);
            if (node.casQueued()) {
                inbox.push(node);
            }
        }

        @Operation(nonParallelGroup = "consumer")
        public List<Integer> drain() {
            List<Integer> all = new ArrayList<>();
            for (InboxNode node = inbox.drain(); node != null; node = node.nextInInbox) {
                all.add(((Node) node).value);
            }
            return all;
        }
    }

    /** Reads what is there and then empties itself: a push in between is lost. */
    @Param(name = "value", gen = IntGen.class, conf = "1:9")
    public static class TwoStepInbox {
        private volatile Node head;

        @Operation
        public void push(@Param(name = "value") int value) {
            Node node = new Node(value);
            node.nextInInbox = head;
            head = node;
        }

        @Operation(nonParallelGroup = "consumer")
        public List<Integer> drain() {
            List<Integer> all = new ArrayList<>();
            for (InboxNode node = head; node != null; node = node.nextInInbox) {
                all.addFirst(((Node) node).value);
            }
            head = null;
            return all;
        }
    }

    private static final class Node extends InboxNode {
        private final int value;

        Node(int value) {
            this.value = value;
        }
    }
}
