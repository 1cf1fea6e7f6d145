package dev.lockstep.bench.codemap;

import dev.lockstep.counters.Markers;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A program whose JVM compiles a method twice, and often the second time to where the first had been: {@link #WORK} is
 * compiled with the one {@link IntUnaryOperator} inlined that it has called, thrown away when it calls others, freed by
 * a collection, and compiled again with a call. What it executes of the first code is {@link #PHASE_FIRST}, of the
 * second {@link #PHASE_SECOND}. Several copies of the class, since where code comes to lie is the JVM's choice.
 */
final class RecompiledProgram {
    static final String CLASS = "RecompiledWork";
    static final String WORK = "work";
    static final String INLINED = "inlined";
    static final int PHASE_FIRST = 1;
    static final int PHASE_SECOND = 2;

    private static final int COPIES = 8;
    private static final int CALLS_TO_COMPILE = 2_000;
    private static final int CALLS_MEASURED = 200;

    /** Larger than the holes that a young code cache has, so that the second code goes where the first was. */
    private static final int STEPS = 160;

    /** As much as is inlined into a hot method, three times. */
    private static final int STEPS_INLINED = 20;

    private static final int INLINED_METHODS = 3;

    private static final ClassDesc TYPE = ClassDesc.of(RecompiledProgram.class.getPackageName(), CLASS);
    private static final ClassDesc OPERATOR = ClassDesc.of(IntUnaryOperator.class.getName());
    private static final MethodTypeDesc STEP = MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int);
    private static final MethodTypeDesc STEP_OF =
            MethodTypeDesc.of(ConstantDescs.CD_int, OPERATOR, ConstantDescs.CD_int);

    private RecompiledProgram() {}

    /** What a copy does. */
    interface Work {
        /** Straight arithmetic, and then what the operator does. */
        int work(IntUnaryOperator operator, int x);
    }

    /**
     * Runs it.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        IntUnaryOperator[] others = {x -> x + 1, x -> x - 3, x -> x ^ 5};
        int x = 1;
        for (int copy = 0; copy < COPIES; copy++) {
            Work work = make();
            IntUnaryOperator[] itself = {(IntUnaryOperator) work};
            x = call(work, itself, CALLS_TO_COMPILE, x);
            Markers.phaseBegin(PHASE_FIRST);
            x = call(work, itself, CALLS_MEASURED, x);
            Markers.phaseEnd(PHASE_FIRST);
            x = call(work, others, others.length, x);
            System.gc();
            System.gc();
            x = call(work, others, CALLS_TO_COMPILE, x);
            Markers.phaseBegin(PHASE_SECOND);
            x = call(work, others, CALLS_MEASURED, x);
            Markers.phaseEnd(PHASE_SECOND);
        }
        System.out.println(x);
    }

    private static int call(Work work, IntUnaryOperator[] operators, int calls, int x) {
        int result = x;
        for (int i = 0; i < calls; i++) {
            result = work.work(operators[i % operators.length], result);
        }
        return result;
    }

    private static Work make() throws ReflectiveOperationException {
        ClassDesc interfaceOfWork = ClassDesc.ofDescriptor(Work.class.descriptorString());
        byte[] bytes = ClassFile.of().build(TYPE, type -> {
            type.withInterfaceSymbols(List.of(OPERATOR, interfaceOfWork));
            type.withMethodBody(
                    ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> code.aload(0)
                            .invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
            type.withMethodBody(WORK, STEP_OF, ClassFile.ACC_PUBLIC, code -> {
                arithmetic(code, 2, STEPS);
                code.istore(2)
                        .aload(1)
                        .iload(2)
                        .invokeinterface(OPERATOR, "applyAsInt", STEP)
                        .ireturn();
            });
            type.withMethodBody("applyAsInt", STEP, ClassFile.ACC_PUBLIC, code -> {
                code.iload(1);
                for (int i = 0; i < INLINED_METHODS; i++) {
                    code.invokestatic(TYPE, INLINED + i, STEP);
                }
                code.ireturn();
            });
            for (int i = 0; i < INLINED_METHODS; i++) {
                type.withMethodBody(INLINED + i, STEP, ClassFile.ACC_STATIC, code -> {
                    arithmetic(code, 0, STEPS_INLINED);
                    code.ireturn();
                });
            }
        });
        // Hidden, so that it can be made again.
        return (Work) MethodHandles.lookup()
                .defineHiddenClass(bytes, true)
                .lookupClass()
                .getDeclaredConstructor()
                .newInstance();
    }

    private static void arithmetic(CodeBuilder code, int variable, int steps) {
        code.iload(variable);
        for (int step = 0; step < steps; step++) {
            code.dup()
                    .loadConstant(31 + 2 * step)
                    .imul()
                    .loadConstant(507 + step)
                    .iadd()
                    .swap()
                    .loadConstant(2 + step % 9)
                    .iushr()
                    .ixor();
        }
    }
}
