package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.simulate.jvm.SimulatedPhases;
import dev.lockstep.counters.Markers;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.IntUnaryOperator;

/**
 * A Java program of known footprint: a round calls {@value #METHODS} generated methods of straight arithmetic, each too
 * large to be inlined, which compile to about 70 KB of code, and reads {@value #READS} pseudo-random words of 256 KB.
 * Nothing is allocated once it runs. Its argument is the number of rounds; it marks them as the measured phase.
 */
final class JvmWork {
    /** With their steps, twice what most L1-I hold. */
    private static final int METHODS = 48;

    /** Of a method; each takes about 14 bytes of bytecode, so that no method is small enough to be inlined. */
    private static final int STEPS = 60;

    private static final int DATA_WORDS = 1 << 16;
    private static final int READS = 4096;
    private static final int GENERATOR_MULTIPLIER = 1_664_525;
    private static final int GENERATOR_INCREMENT = 1_013_904_223;
    private static final int HIGH_BITS_SHIFT = 16;

    private static final ClassDesc STEPS_CLASS = ClassDesc.of(JvmWork.class.getPackageName(), "JvmWorkSteps");
    private static final MethodTypeDesc STEP_TYPE = MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int);
    private static final ClassDesc OPERATOR = ClassDesc.of(IntUnaryOperator.class.getName());

    private JvmWork() {}

    /**
     * Runs the rounds and prints a number that depends on all of them.
     *
     * @param arguments the number of rounds
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        long rounds = Long.parseLong(arguments[0]);
        int[] data = new int[DATA_WORDS];
        for (int i = 0; i < data.length; i++) {
            data[i] = i;
        }
        IntUnaryOperator steps = steps();
        int state = 1;
        SimulatedPhases.begin(Markers.PHASE_MEASURED);
        for (long round = 0; round < rounds; round++) {
            state = read(data, steps.applyAsInt(state));
        }
        Markers.phaseEnd(Markers.PHASE_MEASURED);
        System.out.println(state);
    }

    /** Reads words that a linear congruential generator picks, whose low bits are the least random. */
    private static int read(int[] data, int seed) {
        int state = seed;
        int sum = 0;
        for (int i = 0; i < READS; i++) {
            state = state * GENERATOR_MULTIPLIER + GENERATOR_INCREMENT;
            sum += data[(state >>> HIGH_BITS_SHIFT) & (DATA_WORDS - 1)];
        }
        return state ^ sum;
    }

    /** An operator that calls all the generated methods, one after the other. */
    private static IntUnaryOperator steps() throws ReflectiveOperationException {
        byte[] bytes = ClassFile.of().build(STEPS_CLASS, type -> {
            type.withInterfaceSymbols(OPERATOR);
            type.withMethodBody(
                    ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> code.aload(0)
                            .invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
            type.withMethodBody("applyAsInt", STEP_TYPE, ClassFile.ACC_PUBLIC, code -> {
                code.iload(1);
                for (int method = 0; method < METHODS; method++) {
                    code.invokestatic(STEPS_CLASS, "step" + method, STEP_TYPE);
                }
                code.ireturn();
            });
            for (int i = 0; i < METHODS; i++) {
                int method = i;
                type.withMethodBody(
                        "step" + method,
                        STEP_TYPE,
                        ClassFile.ACC_STATIC | ClassFile.ACC_PRIVATE,
                        code -> arithmetic(code, method));
            }
        });
        return (IntUnaryOperator) MethodHandles.lookup()
                .defineClass(bytes)
                .getDeclaredConstructor()
                .newInstance();
    }

    /** x = (x * constant + constant) ^ (x >>> 7), again and again, with other constants each time. */
    private static void arithmetic(CodeBuilder code, int method) {
        code.iload(0);
        for (int step = 0; step < STEPS; step++) {
            int constant = GENERATOR_INCREMENT * (method * STEPS + step) | 1;
            code.dup()
                    .loadConstant(constant)
                    .imul()
                    .loadConstant(constant ^ GENERATOR_MULTIPLIER)
                    .iadd()
                    .swap()
                    .loadConstant(7)
                    .iushr()
                    .ixor();
        }
        code.ireturn();
    }
}
