package dev.lockstep.bench.switchpoints;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;

/**
 * Has a method tell {@link HeldCounts} what it takes and gives back. A synchronized method that ends by an exception
 * is counted as holding its monitor on, so the check refuses more than it has to. For one method, from its first
 * instruction to its last.
 */
final class HeldCountInserter {
    private static final ClassDesc COUNTS = ClassDesc.of(HeldCounts.class.getName());
    private static final MethodTypeDesc PLAIN = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final MethodTypeDesc IF = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_boolean);

    private final boolean monitor;
    private boolean begun;

    HeldCountInserter(MethodModel method) {
        monitor = method.flags().has(AccessFlag.SYNCHRONIZED);
    }

    /** Appends an element of the method, and what is to be told before and behind it. */
    void append(CodeBuilder builder, CodeElement element) {
        if (monitor && !begun && element instanceof Instruction) {
            begun = true;
            tell(builder, "taken");
        }
        if (monitor && element instanceof ReturnInstruction) {
            tell(builder, "givenBack");
        }
        builder.with(element);
        if (element instanceof MonitorInstruction each) {
            tell(builder, each.opcode() == Opcode.MONITORENTER ? "taken" : "givenBack");
        } else if (element instanceof InvokeInstruction call
                && HeldResource.isItself(call.owner().asInternalName())) {
            tellOfCall(builder, call);
        }
    }

    private static void tellOfCall(CodeBuilder builder, InvokeInstruction call) {
        int change =
                HeldResource.change(call.owner().asInternalName(), call.name().stringValue());
        if (change < 0) {
            tell(builder, "givenBack");
        } else if (change > 0 && call.typeSymbol().returnType().equals(ConstantDescs.CD_boolean)) {
            builder.dup().invokestatic(COUNTS, "takenIf", IF);
        } else if (change > 0) {
            tell(builder, "taken");
        }
    }

    private static void tell(CodeBuilder builder, String what) {
        builder.invokestatic(COUNTS, what, PLAIN);
    }
}
