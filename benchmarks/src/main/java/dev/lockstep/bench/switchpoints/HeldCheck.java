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
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Refuses switch points where a method may hold a latch, lock or monitor that it has taken itself: whoever runs next on
 * the carrier could wait for it without end. A method is walked along all its paths, jumps and handlers included, and
 * counts what it may hold at most. A path that does not happen counts too. What a caller holds is not seen; see
 * {@link HeldCounts}.
 */
final class HeldCheck {
    /** More than code nests, and few enough that a loop that takes and never gives back ends soon. */
    private static final int DEPTH_MAX = 16;

    private static final int NOT_REACHED = -1;
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
        if (heldBefore(method)[number] > 0) {
            throw refused(point, "between taking and giving back");
        }
    }

    private static SwitchPointException refused(SwitchPoint point, String why) {
        return new SwitchPointException(
                Reason.HELD,
                "a latch, lock or monitor may be held where a switch is to go: point=" + point + " why=" + why
                        + "; remedy: leave the point out, or move it to where nothing is held");
    }

    /** What may be held at most before each instruction. */
    private static int[] heldBefore(BytecodeMethod method) {
        List<Instruction> instructions = method.instructions();
        int[] held = new int[instructions.size()];
        Arrays.fill(held, NOT_REACHED);
        Deque<Integer> changed = new ArrayDeque<>();
        raise(held, changed, 0, 0);
        // Ends: counts only rise, up to DEPTH_MAX.
        while (!changed.isEmpty()) {
            int at = changed.poll();
            Instruction instruction = instructions.get(at);
            int after = Math.clamp(held[at] + change(instruction), 0, DEPTH_MAX);
            for (int next : successors(method, at)) {
                raise(held, changed, next, after);
            }
            for (ExceptionCatch handler : method.handlers()) {
                if (at >= method.number(handler.tryStart()) && at < method.number(handler.tryEnd())) {
                    raise(held, changed, method.number(handler.handler()), held[at]);
                }
            }
        }
        return held;
    }

    private static void raise(int[] held, Deque<Integer> changed, int at, int count) {
        if (count > held[at]) {
            held[at] = count;
            changed.add(at);
        }
    }

    private static int change(Instruction instruction) {
        return switch (instruction) {
            case MonitorInstruction monitor -> monitor.opcode() == Opcode.MONITORENTER ? 1 : -1;
            case InvokeInstruction call ->
                HeldResource.change(call.owner().asInternalName(), call.name().stringValue());
            default -> 0;
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
