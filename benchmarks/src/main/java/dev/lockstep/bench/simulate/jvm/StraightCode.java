package dev.lockstep.bench.simulate.jvm;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.util.function.IntUnaryOperator;

/**
 * Generated code of known size: methods of straight arithmetic without branches, each too large to be inlined, which
 * compile to about 24 bytes a step and allocate nothing.
 */
public final class StraightCode {
    /** The class of the generated methods, without its package. */
    public static final String NAME = "GeneratedSteps";

    /** How the methods of wide code begin. */
    public static final String WIDE_METHOD = "wide";

    private static final String METHOD = "step";

    /** Of a step, compiled. */
    private static final int STEP_BYTES = 24;

    private static final int METHOD_BYTES = 1024;

    /** Independent values of wide code: as many multiplications as a processor has under way, one a cycle. */
    private static final int WIDE_CHAINS = 4;

    private static final int MULTIPLIER = 1_664_525;
    private static final int INCREMENT = 1_013_904_223;

    private static final ClassDesc CLASS = ClassDesc.of(StraightCode.class.getPackageName(), NAME);
    private static final MethodTypeDesc STEP_TYPE = MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int);
    private static final ClassDesc OPERATOR = ClassDesc.of(IntUnaryOperator.class.getName());

    private StraightCode() {}

    /**
     * Methods that have about so many bytes together, compiled.
     *
     * @param bytes at least those of one step
     */
    public static IntUnaryOperator ofBytes(int bytes) {
        return make(methods(bytes), steps(bytes), METHOD, StraightCode::arithmetic);
    }

    /**
     * The same of steps that do not all wait for each other, so that a processor executes it about as fast as it gets
     * the code. Each step of {@link #ofBytes} waits for the one before, and most fetching of code hides behind that.
     *
     * @param bytes at least those of one step
     */
    public static IntUnaryOperator wideOfBytes(int bytes) {
        return make(methods(bytes), steps(bytes), WIDE_METHOD, StraightCode::wideArithmetic);
    }

    /** How many methods so many bytes are made of, beside one that calls them. */
    public static int methods(int bytes) {
        return Math.max(1, bytes / METHOD_BYTES);
    }

    private static int steps(int bytes) {
        return Math.max(1, bytes / methods(bytes) / STEP_BYTES);
    }

    /**
     * An operator that calls all the generated methods, one after the other.
     *
     * @param methods how many
     * @param steps of each; each takes about 14 bytes of bytecode
     */
    public static IntUnaryOperator make(int methods, int steps) {
        return make(methods, steps, METHOD, StraightCode::arithmetic);
    }

    /** The bytecode of a method. */
    private interface Body {
        void generate(CodeBuilder code, int method, int steps);
    }

    private static IntUnaryOperator make(int methods, int steps, String name, Body body) {
        byte[] bytes = ClassFile.of().build(CLASS, type -> {
            type.withInterfaceSymbols(OPERATOR);
            type.withMethodBody(
                    ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> code.aload(0)
                            .invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                            .return_());
            type.withMethodBody("applyAsInt", STEP_TYPE, ClassFile.ACC_PUBLIC, code -> {
                code.iload(1);
                for (int method = 0; method < methods; method++) {
                    code.invokestatic(CLASS, name + method, STEP_TYPE);
                }
                code.ireturn();
            });
            for (int i = 0; i < methods; i++) {
                int method = i;
                type.withMethodBody(
                        name + method,
                        STEP_TYPE,
                        ClassFile.ACC_STATIC | ClassFile.ACC_PRIVATE,
                        code -> body.generate(code, method, steps));
            }
        });
        try {
            // Hidden, so that it can be made again.
            return (IntUnaryOperator) MethodHandles.lookup()
                    .defineHiddenClass(bytes, true)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("generated code cannot be loaded", e);
        }
    }

    /** x = (x * constant + constant) ^ (x >>> 7), again and again, with other constants each time. */
    private static void arithmetic(CodeBuilder code, int method, int steps) {
        code.iload(0);
        for (int step = 0; step < steps; step++) {
            step(code, method * steps + step);
        }
        code.ireturn();
    }

    /** The same of several values in turn, which are one before and after. */
    private static void wideArithmetic(CodeBuilder code, int method, int steps) {
        for (int chain = 1; chain <= WIDE_CHAINS; chain++) {
            code.iload(0).loadConstant(chain).iadd().istore(chain);
        }
        for (int step = 0; step < steps; step++) {
            int chain = 1 + step % WIDE_CHAINS;
            code.iload(chain);
            step(code, method * steps + step);
            code.istore(chain);
        }
        code.iload(1);
        for (int chain = 2; chain <= WIDE_CHAINS; chain++) {
            code.iload(chain).ixor();
        }
        code.ireturn();
    }

    private static void step(CodeBuilder code, int number) {
        int constant = INCREMENT * number | 1;
        code.dup()
                .loadConstant(constant)
                .imul()
                .loadConstant(constant ^ MULTIPLIER)
                .iadd()
                .swap()
                .loadConstant(7)
                .iushr()
                .ixor();
    }
}
