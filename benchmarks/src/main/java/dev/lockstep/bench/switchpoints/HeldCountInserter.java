package dev.lockstep.bench.switchpoints;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;

/**
 * Has a method tell {@link HeldCounts} what it takes and gives back, and which monitors it enters. For one method, from
 * its first instruction to its last.
 */
final class HeldCountInserter {
    private static final ClassDesc COUNTS = ClassDesc.of(HeldCounts.class.getName());
    private static final MethodTypeDesc PLAIN = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final MethodTypeDesc IF = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_boolean);

    private static final MethodTypeDesc ENTERED = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

    private final boolean isSynchronized;
    private final boolean isStatic;
    private final ClassDesc owner;
    private boolean begun;

    HeldCountInserter(MethodModel method) {
        isSynchronized = method.flags().has(AccessFlag.SYNCHRONIZED);
        isStatic = method.flags().has(AccessFlag.STATIC);
        owner = method.parent().orElseThrow().thisClass().asSymbol();
    }

    /** To be called before anything is put before the first instruction: tells of the method's own monitor. */
    void begin(CodeBuilder builder) {
        if (isSynchronized && !begun) {
            begun = true;
            if (isStatic) {
                builder.loadConstant(owner);
            } else {
                builder.aload(0);
            }
            builder.invokestatic(COUNTS, "entered", ENTERED);
        }
    }

    /** Appends an element of the method, and what is to be told behind it. */
    void append(CodeBuilder builder, CodeElement element) {
        boolean enters = element instanceof MonitorInstruction each && each.opcode() == Opcode.MONITORENTER;
        if (enters) {
            builder.dup();
        }
        builder.with(element);
        if (enters) {
            builder.invokestatic(COUNTS, "entered", ENTERED);
        } else if (element instanceof InvokeInstruction call
                && HeldResource.isItself(call.owner().asInternalName())) {
            tellOfCall(builder, call);
        }
    }

    private static void tellOfCall(CodeBuilder builder, InvokeInstruction call) {
        HeldResource.Effect effect = HeldResource.effectOrNull(
                call.owner().asInternalName(), call.name().stringValue());
        if (effect == null) {
            return;
        }
        if (effect.change() < 0) {
            tell(builder, "givenBack");
        } else if (call.typeSymbol().returnType().equals(ConstantDescs.CD_boolean)) {
            builder.dup().invokestatic(COUNTS, "takenIf", IF);
        } else {
            tell(builder, "taken");
        }
    }

    private static void tell(CodeBuilder builder, String what) {
        builder.invokestatic(COUNTS, what, PLAIN);
    }
}
