package dev.lockstep.bench.switchpoints;

import dev.lockstep.scheduler.PlacedSwitchPoints;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Inserts calls of {@link PlacedSwitchPoints#pass} into class files. A call stands before the instruction of its point
 * and behind every label there, so that jumps to the instruction pass it too; it leaves the operand stack as it was.
 *
 * <p>Where points are to be checked, {@link HeldCounts#pass} is called in its place, and all methods tell what they
 * take and give back.
 *
 * <p>Thread-safe.
 */
final class SwitchPointInserter {
    private static final ClassDesc PLACED = ClassDesc.of(PlacedSwitchPoints.class.getName());
    private static final ClassDesc COUNTS = ClassDesc.of(HeldCounts.class.getName());
    private static final MethodTypeDesc PASS = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    private static final MethodTypeDesc CHECK =
            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int, ConstantDescs.CD_int);

    private final ClassFile classFile;
    private final ToIntFunction<String> numbers;
    private final ToIntFunction<SwitchPoint> checkedIndexes;

    private SwitchPointInserter(
            ClassLoader loader, ToIntFunction<String> numbers, ToIntFunction<SwitchPoint> checkedIndexes) {
        this.numbers = numbers;
        classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(loader).orElse(ClassHierarchyResolver.defaultResolver())));
        this.checkedIndexes = checkedIndexes;
    }

    /**
     * Inserts switches.
     *
     * @param loader finds the classes that frames of the stack map have to be merged for; they are not loaded
     */
    static SwitchPointInserter ofSwitches(ClassLoader loader) {
        return ofSwitches(loader, PlacedSwitchPoints::number);
    }

    /**
     * Inserts switches.
     *
     * @param loader finds classes, as above
     * @param numbers of operations, by their names
     */
    static SwitchPointInserter ofSwitches(ClassLoader loader, ToIntFunction<String> numbers) {
        return new SwitchPointInserter(loader, numbers, null);
    }

    /**
     * Inserts checks.
     *
     * @param loader see {@link #ofSwitches}
     * @param indexes numbers of the points for {@link HeldCounts}
     */
    static SwitchPointInserter ofChecks(ClassLoader loader, ToIntFunction<SwitchPoint> indexes) {
        return new SwitchPointInserter(loader, PlacedSwitchPoints::number, indexes);
    }

    /**
     * Inserts the points of one class.
     *
     * @param points all of this class; where they are to be checked there may be none
     * @throws SwitchPointException if there is no such instruction
     */
    byte[] insert(byte[] bytes, List<SwitchPoint> points) throws SwitchPointException {
        ClassModel model = classFile.parse(bytes);
        for (SwitchPoint point : points) {
            BytecodeMethod.of(model, point).requireInstruction(point);
        }
        return classFile.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                List<SwitchPoint> ofMethod = points.stream()
                        .filter(point -> method.methodName().equalsString(point.method())
                                && method.methodType().equalsString(point.descriptor()))
                        .toList();
                builder.transformMethod(
                        method,
                        MethodTransform.transformingCode(
                                CodeTransform.ofStateful(() -> new Inserting(method, ofMethod))));
            } else {
                builder.with(element);
            }
        });
    }

    /** Of one method, from its first instruction to its last. */
    private final class Inserting implements CodeTransform {
        private final List<SwitchPoint> points;
        private final HeldCountInserter counts;
        private int bytecodeIndex;

        Inserting(MethodModel method, List<SwitchPoint> points) {
            this.points = points;
            counts = checkedIndexes == null ? null : new HeldCountInserter(method);
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof Instruction instruction) {
                if (counts != null) {
                    counts.begin(builder);
                }
                for (SwitchPoint point : points) {
                    if (point.bytecodeIndex() == bytecodeIndex) {
                        call(builder, point);
                    }
                }
                bytecodeIndex += instruction.sizeInBytes();
            }
            if (counts == null) {
                builder.with(element);
            } else {
                counts.append(builder, element);
            }
        }

        private void call(CodeBuilder builder, SwitchPoint point) {
            builder.loadConstant(numbers.applyAsInt(point.operation()));
            if (checkedIndexes == null) {
                builder.invokestatic(PLACED, "pass", PASS);
            } else {
                builder.loadConstant(checkedIndexes.applyAsInt(point)).invokestatic(COUNTS, "pass", CHECK);
            }
        }
    }
}
