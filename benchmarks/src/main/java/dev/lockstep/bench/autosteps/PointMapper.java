package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the place in the bytecode for an address that {@link SwitchPointSearch} has found: of the methods inlined there
 * whose classes can take a call of the scheduler, the one that the operation passes least often, since the compiler
 * copies an inner method to many addresses, of which the search means one. Where there is none, because a stub, the
 * JVM, the JDK or an instrument runs, the point moves back along the trace to the last instruction that has one, which
 * is the nearest enclosing call.
 *
 * <p>Used by one thread.
 */
final class PointMapper {
    /** Instruments, whose code in the trace is not part of the operation. */
    private static final List<String> INSTRUMENTS = List.of(
            "dev.lockstep.bench.codemap.",
            "dev.lockstep.bench.flame.",
            "dev.lockstep.bench.simulate.",
            "dev.lockstep.counters.");

    /** As in {@code a.b.Node.find(I)I@12:88}. */
    private static final Pattern FRAME = Pattern.compile("(\\S+)\\.([^\\s.(]+)(\\([^@]*)@(\\d+)(?::\\d+)?");

    private static final String CALLED_BY = " < ";

    private final TraceFile traces;
    private final ClassBytes classes;
    private final Set<String> instruments;
    private final Map<Long, List<Frame>> frames = new HashMap<>();
    private final Map<String, Boolean> present = new HashMap<>();

    /** A method and where it is. */
    private record Frame(String className, String method, String descriptor, int bytecodeIndex) {
        boolean isAt(SwitchPoint point) {
            return className.equals(point.className())
                    && method.equals(point.method())
                    && descriptor.equals(point.descriptor())
                    && bytecodeIndex == point.bytecodeIndex();
        }
    }

    /**
     * What became of an address.
     *
     * @param point in the bytecode, or null
     * @param refused why there is none, or empty
     * @param movedInstructions executed between the point and the address
     */
    record Mapped(SwitchPoint point, String refused, int movedInstructions) {}

    /** For the code that a file names, without that of instruments. */
    static PointMapper of(TraceFile traces) {
        return new PointMapper(traces, ClassBytes.ofProgram(), INSTRUMENTS);
    }

    PointMapper(TraceFile traces, ClassBytes classes, List<String> instruments) {
        this.traces = traces;
        this.classes = classes;
        this.instruments = new TreeSet<>(instruments);
    }

    /**
     * Maps the switch before an instruction.
     *
     * @param operation as the scheduler knows it
     */
    Mapped map(String operation, InstructionTrace trace, int index) throws IOException {
        for (int at = index; at >= 0; at--) {
            List<Frame> usable = usable(trace.address(at));
            if (!usable.isEmpty()) {
                return passedLeast(operation, trace, usable, index - at);
            }
        }
        return new Mapped(null, "no code before it can take a call", 0);
    }

    /** Of methods inlined into each other; the innermost of equals. The reason of the innermost where none is free. */
    private Mapped passedLeast(String operation, InstructionTrace trace, List<Frame> usable, int moved)
            throws IOException {
        Mapped best = null;
        int fewest = Integer.MAX_VALUE;
        for (Frame frame : usable) {
            Mapped mapped = checked(
                    new SwitchPoint(operation, frame.className, frame.method, frame.descriptor, frame.bytecodeIndex),
                    moved);
            int passes = mapped.point == null
                    ? Integer.MAX_VALUE
                    : passes(trace, List.of(mapped.point)).size();
            if (best == null || passes < fewest) {
                best = mapped;
                fewest = passes;
            }
        }
        return best;
    }

    private Mapped checked(SwitchPoint point, int moved) throws IOException {
        try {
            SwitchPoints.requireFree(classes, point);
            return new Mapped(point, "", moved);
        } catch (SwitchPointException e) {
            return new Mapped(null, e.getMessage(), moved);
        }
    }

    /**
     * Where a trace passes points: the instructions before which a member would give up its turn, ascending. Coming
     * back from a call that the bytecode makes is no new pass.
     */
    List<Integer> passes(InstructionTrace trace, List<SwitchPoint> points) throws IOException {
        Set<Integer> passes = new TreeSet<>();
        for (SwitchPoint point : points) {
            int last = -1;
            for (int i = 0; i < trace.count(); i++) {
                if (frames(trace.address(i)).stream().noneMatch(frame -> frame.isAt(point))) {
                    continue;
                }
                boolean goesOn = last >= 0 && (last == i - 1 || trace.address(i) == trace.lastByte(last) + 1);
                if (!goesOn && i > 0) {
                    passes.add(i);
                }
                last = i;
            }
        }
        return new ArrayList<>(passes);
    }

    private List<Frame> usable(long address) throws IOException {
        List<Frame> usable = new ArrayList<>();
        for (Frame frame : frames(address)) {
            if (isUsable(frame.className)) {
                usable.add(frame);
            }
        }
        return usable;
    }

    private boolean isUsable(String className) throws IOException {
        Boolean known = present.get(className);
        if (known == null) {
            known = SwitchPoints.mayBeIn(className)
                    && instruments.stream().noneMatch(className::startsWith)
                    && classes.find(className).isPresent();
            present.put(className, known);
        }
        return known;
    }

    /** The innermost first; none for code that is not Java's. */
    private List<Frame> frames(long address) {
        return frames.computeIfAbsent(address, each -> parse(traces.place(each)));
    }

    private static List<Frame> parse(String place) {
        return Arrays.stream(place.split(CALLED_BY, -1))
                .map(FRAME::matcher)
                .filter(Matcher::matches)
                .map(frame ->
                        new Frame(frame.group(1), frame.group(2), frame.group(3), Integer.parseInt(frame.group(4))))
                .toList();
    }
}
