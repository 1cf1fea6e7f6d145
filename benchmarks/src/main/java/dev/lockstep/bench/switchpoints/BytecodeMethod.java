package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The instructions of a method, in their order: what lies at a bytecode index, and where labels and exception handlers
 * are. Immutable.
 */
final class BytecodeMethod {
    private final MethodModel method;
    private final List<Instruction> instructions = new ArrayList<>();
    private final List<ExceptionCatch> handlers = new ArrayList<>();
    /** Number of an instruction by its bytecode index. */
    private final Map<Integer, Integer> numbers = new HashMap<>();
    /** Number of the instruction behind a label; that of the method's end is one too many. */
    private final Map<Label, Integer> labels = new HashMap<>();

    BytecodeMethod(MethodModel method, CodeModel code) {
        this.method = method;
        int bytecodeIndex = 0;
        for (CodeElement element : code) {
            switch (element) {
                case Instruction instruction -> {
                    numbers.put(bytecodeIndex, instructions.size());
                    instructions.add(instruction);
                    bytecodeIndex += instruction.sizeInBytes();
                }
                case LabelTarget target -> labels.put(target.label(), instructions.size());
                case ExceptionCatch handler -> handlers.add(handler);
                default -> {
                    // Lines, names of variables and the like.
                }
            }
        }
    }

    /**
     * The method of a point.
     *
     * @throws SwitchPointException if the class has no such method with code
     */
    static BytecodeMethod of(ClassModel model, SwitchPoint point) throws SwitchPointException {
        for (MethodModel method : model.methods()) {
            if (method.methodName().equalsString(point.method())
                    && method.methodType().equalsString(point.descriptor())
                    && method.code().isPresent()) {
                return new BytecodeMethod(method, method.code().get());
            }
        }
        throw missing(point);
    }

    /** Refuses a point between two instructions or outside the method. */
    void requireInstruction(SwitchPoint point) throws SwitchPointException {
        number(point);
    }

    /** The number of the instruction of a point. */
    int number(SwitchPoint point) throws SwitchPointException {
        Integer number = numbers.get(point.bytecodeIndex());
        if (number == null) {
            throw missing(point);
        }
        return number;
    }

    private static SwitchPointException missing(SwitchPoint point) {
        return new SwitchPointException(
                Reason.PLACE,
                "there is no instruction where a switch is to go: point=" + point
                        + "; remedy: search again with ./lockstep autosteps --points FILE");
    }

    MethodModel method() {
        return method;
    }

    List<Instruction> instructions() {
        return instructions;
    }

    List<ExceptionCatch> handlers() {
        return handlers;
    }

    /** The number of the instruction behind a label. */
    int number(Label label) {
        return labels.get(label);
    }
}
