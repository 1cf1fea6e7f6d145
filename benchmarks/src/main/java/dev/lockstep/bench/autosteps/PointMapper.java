package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.InsertedBytecode;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPointException;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import dev.lockstep.scheduler.PlacedSwitchPoints;
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

    private static final String PASS_CLASS = PlacedSwitchPoints.class.getName();

    private static final String SCHEDULER = PlacedSwitchPoints.class.getPackageName();

    /** Not public, like the two below. */
    private static final String SWITCH_CLASS = SCHEDULER + ".CarrierThread";

    private static final String TURNS_CLASS = SCHEDULER + ".MemberTurns";
    private static final String TEAMS_CLASS = SCHEDULER + ".CarrierTeams";

    private static final String CALLED_BY = " < ";

    private final TraceFile traces;
    private final ClassBytes classes;
    private final InsertedBytecode inserted;
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

        boolean isSameMethod(Frame other) {
            return className.equals(other.className)
                    && method.equals(other.method)
                    && descriptor.equals(other.descriptor);
        }

        /** Whether it is what inserted bytecode calls, or what that calls in turn. */
        boolean isOfPoint() {
            return isPass() || isSwitch() || isSkip() || className.equals(TURNS_CLASS);
        }

        boolean isPass() {
            return className.equals(PASS_CLASS) && method.equals("pass");
        }

        boolean isSwitch() {
            return className.equals(SWITCH_CLASS) && method.equals("switchPoint");
        }

        /** Whether the scheduler counts a turn that it does not take there, under a latch for example. */
        boolean isSkip() {
            return className.equals(TEAMS_CLASS) && method.equals("countSkipped");
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

    /**
     * For the code that a file names, without that of instruments.
     *
     * @throws SwitchPointException if it had points in its bytecode that these classes cannot have
     */
    static PointMapper of(TraceFile traces, ClassBytes classes) throws IOException {
        return of(traces, classes, traces.inserted(classes));
    }

    /** The same of a JVM whose bytecode had points in it. */
    static PointMapper of(TraceFile traces, ClassBytes classes, InsertedBytecode inserted) {
        return new PointMapper(traces, classes, inserted, INSTRUMENTS);
    }

    PointMapper(TraceFile traces, ClassBytes classes, InsertedBytecode inserted, List<String> instruments) {
        this.traces = traces;
        this.classes = classes;
        this.inserted = inserted;
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
        List<SwitchPoint> points = usable.stream()
                .map(frame -> new SwitchPoint(
                        operation, frame.className, frame.method, frame.descriptor, frame.bytecodeIndex))
                .toList();
        Mapped best = null;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < points.size(); i++) {
            Mapped mapped = checked(points.subList(i, points.size()), moved);
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

    /**
     * Refuses a point where something may be held, or whose method was another one when it was traced.
     *
     * @param withCallers the point, and where those stand that its method is inlined into
     */
    private Mapped checked(List<SwitchPoint> withCallers, int moved) throws IOException {
        try {
            traces.origin().requireThisJvm();
            for (SwitchPoint each : withCallers) {
                traces.origin().requireUnchanged(each.className(), classes.require(each.className()));
                SwitchPoints.requireFree(classes, each);
            }
            return new Mapped(withCallers.getFirst(), "", moved);
        } catch (SwitchPointException e) {
            return new Mapped(null, e.getMessage(), moved);
        }
    }

    /**
     * Where a trace passes points: the instructions before which a member gives up its turn, or would if the point were
     * in the code, ascending. Coming back from a call that the bytecode makes is no new pass, and a point at which the
     * scheduler counts a turn as skipped is none.
     *
     * <p>The compiler moves what it can out of the call of a point, and shares it with others; what the scheduler does
     * once it knows that a member of this operation passes stays where it is, so that alone tells of a point in the
     * code.
     */
    List<Integer> passes(InstructionTrace trace, List<SwitchPoint> points) throws IOException {
        Set<Integer> passes = new TreeSet<>();
        for (SwitchPoint point : points) {
            boolean called = inserted.contains(point);
            List<Frame> before = List.of();
            int last = -1;
            int begun = -1;
            for (int i = 0; i < trace.count(); i++) {
                List<Frame> at = frames(trace.address(i));
                before = called ? withCallers(at, before) : at;
                if (called ? !isSwitch(before, point) : at.stream().noneMatch(frame -> frame.isAt(point))) {
                    continue;
                }
                boolean goesOn = last >= 0 && (last == i - 1 || trace.address(i) == trace.lastByte(last) + 1);
                if (called && isSkipped(before)) {
                    passes.remove(begun);
                } else if (!goesOn) {
                    begun = i > 0 && passes.add(i) ? i : -1;
                }
                last = i;
            }
        }
        return new ArrayList<>(passes);
    }

    /** With those of the instruction before where the scheduler was called, and not inlined. */
    private static List<Frame> withCallers(List<Frame> at, List<Frame> before) {
        if (at.isEmpty() || !at.getLast().isOfPoint()) {
            return at;
        }
        Frame outermost = at.getLast();
        List<Frame> all = new ArrayList<>(at);
        int same = 0;
        while (same < before.size() && !before.get(same).isSameMethod(outermost)) {
            same++;
        }
        all.addAll(same < before.size() ? before.subList(same + 1, before.size()) : before);
        return all;
    }

    /** Whether the scheduler switches there, called by a point. */
    private static boolean isSwitch(List<Frame> frames, SwitchPoint point) {
        boolean switches = false;
        for (int i = 0; i + 1 < frames.size(); i++) {
            Frame frame = frames.get(i);
            switches |= frame.isSwitch();
            if (frame.isPass()) {
                return switches && frames.get(i + 1).isAt(point);
            }
        }
        return false;
    }

    /** Whether the scheduler skips the switch of the point that has called it. */
    private static boolean isSkipped(List<Frame> frames) {
        return frames.stream().takeWhile(frame -> !frame.isPass()).anyMatch(Frame::isSkip);
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

    private List<Frame> parse(String place) {
        return Arrays.stream(place.split(CALLED_BY, -1))
                .map(FRAME::matcher)
                .filter(Matcher::matches)
                .map(frame -> {
                    int bytecodeIndex = inserted.original(
                            frame.group(1), frame.group(2), frame.group(3), Integer.parseInt(frame.group(4)));
                    return new Frame(frame.group(1), frame.group(2), frame.group(3), bytecodeIndex);
                })
                .toList();
    }
}
