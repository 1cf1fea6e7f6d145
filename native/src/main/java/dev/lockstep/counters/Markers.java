package dev.lockstep.counters;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Marks by which this process tells Lockstep's simulator what it is doing: phases, operations, mapped regions. The
 * simulator sees them as stores and calls that mean nothing to a processor; {@code lockstep_marker.h} says which.
 *
 * <p>Marks are made only in a simulated process, which has the variable {@value #ENVIRONMENT} in its environment, and
 * only where the native library is. Anywhere else every method here checks its arguments and returns, which the
 * compiler folds to next to nothing: the answer is fixed when this class is initialized. Of phases, the {@linkplain
 * #observe observer} is told in any process.
 *
 * <p>Thread-safe. Phases belong to the process; operations and cores to the thread of the operating system that makes
 * the call, which for a virtual thread is its carrier.
 */
public final class Markers {
    /** The environment variable whose presence, with any value, says that the process is simulated. */
    public static final String ENVIRONMENT = "LOCKSTEP_SIMULATED";

    /** The system property that overrides {@link #ENVIRONMENT} by {@code true} or {@code false}. */
    public static final String PROPERTY = "lockstep.simulated";

    /** The phase of what is measured: of a workload, or of a JMH iteration. */
    public static final int PHASE_MEASURED = 1;

    /** The largest number of a phase; the smallest is 1. */
    public static final int PHASE_MAX = 255;

    /** The operation of a thread that is in none. */
    public static final int OPERATION_NONE = 0;

    /** Operations are numbered from 0 to one less than this. */
    public static final int OPERATIONS = 4096;

    /** Stands for a node: that of whoever touches a page first. */
    public static final int NODE_OF_FIRST_TOUCH = -1;

    /** The largest number of a node. */
    public static final int NODE_MAX = 254;

    /** The smallest size of a page. */
    public static final int PAGE_BYTES_MIN = 4096;

    private static final boolean SIMULATED = simulated();
    private static final MarkerFunctions.Result FOUND = SIMULATED
            ? MarkerFunctions.load()
            : new MarkerFunctions.Result.Missing("The process is not simulated: environmentVariable=" + ENVIRONMENT
                    + " is not set; run it under ./lockstep simulate.");
    private static final MarkerFunctions FUNCTIONS =
            FOUND instanceof MarkerFunctions.Result.Available(MarkerFunctions functions) ? functions : null;

    /** Null where nobody wants to hear of phases. */
    private static volatile PhaseObserver observer;

    private Markers() {}

    /** Told to the simulator by the first operation that is marked. */
    private static final class OperationPage {
        private static final VarHandle STORE = ValueLayout.JAVA_BYTE.varHandle();
        private static final MemorySegment BYTES = FUNCTIONS.tellOperationPage();
    }

    private static boolean simulated() {
        String property = System.getProperty(PROPERTY);
        return property == null ? System.getenv(ENVIRONMENT) != null : Boolean.parseBoolean(property);
    }

    /** Whether this process says that it is simulated; its marks may still reach nobody, see {@link #obstacle}. */
    public static boolean isSimulated() {
        return SIMULATED;
    }

    /** Why marks are not made, one sentence with what to do about it; empty when they are. */
    public static Optional<String> obstacle() {
        return FOUND instanceof MarkerFunctions.Result.Missing(String reason) ? Optional.of(reason) : Optional.empty();
    }

    /**
     * Has somebody told of the phases of this process from now on, in place of who was told before.
     *
     * @param told who is told, or null for nobody
     */
    public static void observe(PhaseObserver told) {
        observer = told;
    }

    /**
     * The process enters a phase. Costs a call of a native function, which makes one store.
     *
     * @param phase 1 to {@link #PHASE_MAX}
     */
    public static void phaseBegin(int phase) {
        markPhase(phase, true);
    }

    /**
     * The process leaves a phase, unless it is in another one. Costs as much.
     *
     * @param phase 1 to {@link #PHASE_MAX}
     */
    public static void phaseEnd(int phase) {
        markPhase(phase, false);
    }

    /**
     * Says with which pages a range of memory is mapped. Costs a system call.
     *
     * @param kind what is there
     * @param address of the first byte
     * @param bytes length of the range, at least 1
     * @param pageBytes size of its pages, a power of two, {@value #PAGE_BYTES_MIN} or more
     * @param node that its memory was taken from, 0 to {@value #NODE_MAX}; or {@link #NODE_OF_FIRST_TOUCH}
     */
    public static void region(RegionKind kind, long address, long bytes, long pageBytes, int node) {
        if (address == 0 || bytes < 1 || Long.bitCount(pageBytes) != 1 || pageBytes < PAGE_BYTES_MIN) {
            throw new IllegalArgumentException("Not a mapped region: address=0x" + Long.toHexString(address)
                    + " bytes=" + bytes + " pageBytes=" + pageBytes
                    + "; name an address, at least one byte, and a power of two from 4096");
        }
        if (node < NODE_OF_FIRST_TOUCH || node > NODE_MAX) {
            throw new IllegalArgumentException("Not a node: node=" + node + "; nodes are numbered from 0 to 254");
        }
        mark(
                MarkerFunctions.REGION,
                address,
                bytes,
                pageBytes | (long) (node + 1) << MarkerFunctions.REGION_NODE_SHIFT | kind.number);
    }

    /**
     * The calling thread runs on this simulated core from now on. Costs a system call.
     *
     * @param core from 0
     */
    public static void threadCore(int core) {
        if (core < 0) {
            throw new IllegalArgumentException("Not a simulated core: core=" + core + "; cores are numbered from 0");
        }
        mark(MarkerFunctions.THREAD_CORE, core, 0, 0);
    }

    /**
     * The calling thread is in this operation from now on. Costs some ten instructions, a store among them, so it may
     * stand on a hot path. The compiler moves no access to memory across it.
     *
     * @param operation {@link #OPERATION_NONE} to {@link #OPERATIONS} - 1
     */
    public static void operation(int operation) {
        if (operation < 0 || operation >= OPERATIONS) {
            throw new IllegalArgumentException(
                    "Not an operation: operation=" + operation + "; operations are numbered from 0 to 4095");
        }
        if (FUNCTIONS != null) {
            OperationPage.STORE.setOpaque(OperationPage.BYTES, (long) operation, (byte) 0);
        }
    }

    /**
     * The cycles that the simulated processors have run, since the process began: those of the model on the processor
     * that is ahead, and one for each instruction as long as the model was not fed. Never goes back. Costs a system
     * call.
     *
     * @return 0 where nobody simulates
     */
    public static long clockCycles() {
        return FUNCTIONS == null ? 0 : FUNCTIONS.clock();
    }

    private static void markPhase(int phase, boolean begins) {
        if (phase < 1 || phase > PHASE_MAX) {
            throw new IllegalArgumentException("Not a phase: phase=" + phase + "; phases are numbered from 1 to 255");
        }
        PhaseObserver told = observer;
        if (told != null && begins) {
            told.begins(phase);
        }
        if (FUNCTIONS != null) {
            FUNCTIONS.markPhase(phase, begins);
        }
        if (told != null && !begins) {
            told.ended(phase);
        }
    }

    private static void mark(long kind, long a, long b, long c) {
        if (FUNCTIONS != null) {
            FUNCTIONS.mark(kind, a, b, c);
        }
    }
}
