package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Refuses switch points where a method may hold a latch, lock or monitor that it has taken itself: whoever runs next on
 * the carrier could wait for it without end. A method is walked along all its paths, jumps and handlers included, and
 * what it may hold at most is counted. A path that does not happen counts too. Whether it is something of its own or of
 * a caller's that a method gives back is told by the kind, and by the name where the bytecode has one; where it has
 * none it is taken for its own. What a caller holds is not seen; see {@link HeldCounts}.
 */
final class HeldCheck {
    private static final String SCHEDULER = "dev.lockstep.scheduler.";
    private static final List<String> PLATFORM = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

    private HeldCheck() {}

    /** Whether a class could have switch points at all: not the JDK, which must not call us, nor the scheduler. */
    static boolean mayHavePoints(String className) {
        return !className.startsWith(SCHEDULER) && PLATFORM.stream().noneMatch(className::startsWith);
    }

    /**
     * Checks one point.
     *
     * @param bytes the class file of its class
     * @throws SwitchPointException if something may be held there, or there is no such instruction
     */
    static void check(byte[] bytes, SwitchPoint point) throws SwitchPointException {
        if (!mayHavePoints(point.className())) {
            throw refused(point, "class of the JDK or the scheduler");
        }
        ClassModel model = ClassFile.of().parse(bytes);
        BytecodeMethod method = BytecodeMethod.of(model, point);
        int number = method.number(point);
        if (method.method().flags().has(AccessFlag.SYNCHRONIZED)) {
            throw refused(point, "synchronized method");
        }
        if (point.method().equals("<clinit>")) {
            throw refused(point, "initialization of a class");
        }
        HeldSet held = heldBefore(method).get(number);
        if (held != null && !held.isEmpty()) {
            throw refused(point, "between taking and giving back");
        }
    }

    private static SwitchPointException refused(SwitchPoint point, String why) {
        return new SwitchPointException(
                Reason.HELD,
                "a latch, lock or monitor may be held where a switch is to go: point=" + point + " why=" + why
                        + "; remedy: leave the point out, or move it to where nothing is held");
    }

    /** What may be held at most before each instruction; null for one that is not reached. */
    private static List<HeldSet> heldBefore(BytecodeMethod method) {
        PushedValues values = new PushedValues(method);
        List<HeldSet> held =
                new ArrayList<>(Collections.nCopies(method.instructions().size(), null));
        Deque<Integer> changed = new ArrayDeque<>();
        raise(held, changed, 0, HeldSet.NOTHING);
        // Ends: what may be held only grows, up to so many of each.
        while (!changed.isEmpty()) {
            int at = changed.poll();
            HeldSet after = after(held.get(at), method.instructions().get(at), at, values);
            for (int next : successors(method, at)) {
                raise(held, changed, next, after);
            }
            for (ExceptionCatch handler : method.handlers()) {
                if (at >= method.number(handler.tryStart()) && at < method.number(handler.tryEnd())) {
                    raise(held, changed, method.number(handler.handler()), held.get(at));
                }
            }
        }
        return held;
    }

    private static void raise(List<HeldSet> held, Deque<Integer> changed, int at, HeldSet more) {
        HeldSet before = held.get(at);
        HeldSet after = before == null ? more : before.or(more);
        if (!after.equals(before)) {
            held.set(at, after);
            changed.add(at);
        }
    }

    private static HeldSet after(HeldSet before, Instruction instruction, int at, PushedValues values) {
        return switch (instruction) {
            case MonitorInstruction monitor -> {
                // The compiler of Java pairs them.
                HeldSet.Resource any = new HeldSet.Resource(HeldResource.MONITOR, List.of());
                yield monitor.opcode() == Opcode.MONITORENTER ? before.with(any) : before.without(any);
            }
            case InvokeInstruction call -> {
                HeldResource.Effect effect = HeldResource.effectOrNull(
                        call.owner().asInternalName(), call.name().stringValue());
                if (effect == null) {
                    yield before;
                }
                HeldSet.Resource resource = new HeldSet.Resource(effect.kind(), values.ofCall(at));
                yield effect.change() > 0 ? before.with(resource) : before.without(resource);
            }
            default -> before;
        };
    }

    private static List<Integer> successors(BytecodeMethod method, int at) {
        Instruction instruction = method.instructions().get(at);
        List<Integer> next = new ArrayList<>();
        switch (instruction) {
            case BranchInstruction branch -> next.add(method.number(branch.target()));
            case TableSwitchInstruction table -> {
                next.add(method.number(table.defaultTarget()));
                for (SwitchCase each : table.cases()) {
                    next.add(method.number(each.target()));
                }
            }
            case LookupSwitchInstruction lookup -> {
                next.add(method.number(lookup.defaultTarget()));
                for (SwitchCase each : lookup.cases()) {
                    next.add(method.number(each.target()));
                }
            }
            default -> {
                // Goes on behind itself, or ends the method.
            }
        }
        if (fallsThrough(instruction) && at + 1 < method.instructions().size()) {
            next.add(at + 1);
        }
        return next;
    }

    private static boolean fallsThrough(Instruction instruction) {
        return switch (instruction.opcode()) {
            case GOTO, GOTO_W, TABLESWITCH, LOOKUPSWITCH, ATHROW, RETURN, IRETURN, LRETURN, FRETURN, DRETURN, ARETURN ->
                false;
            default -> true;
        };
    }
}
