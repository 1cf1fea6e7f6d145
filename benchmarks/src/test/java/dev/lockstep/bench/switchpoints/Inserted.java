package dev.lockstep.bench.switchpoints;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Points of classes of this test, and their classes as the inserter makes them. */
final class Inserted {
    private static final ClassBytes CLASSES = new ClassBytes(Inserted.class.getClassLoader());

    private Inserted() {}

    static byte[] bytes(Class<?> of) throws IOException {
        return CLASSES.require(of.getName());
    }

    /** Before each call of a method, in one method or, for {@code null}, in all. */
    static List<SwitchPoint> atCalls(Class<?> of, String method, String called, String operation) throws IOException {
        return points(
                of,
                method,
                operation,
                instruction -> instruction instanceof InvokeInstruction call
                        && call.name().equalsString(called));
    }

    /** Before every instruction. */
    static List<SwitchPoint> everywhere(Class<?> of, String operation) throws IOException {
        return points(of, null, operation, instruction -> true);
    }

    private static List<SwitchPoint> points(
            Class<?> of, String methodName, String operation, Predicate<Instruction> wanted) throws IOException {
        ClassModel model = ClassFile.of().parse(bytes(of));
        List<SwitchPoint> points = new ArrayList<>();
        for (MethodModel method : model.methods()) {
            if (method.code().isEmpty()
                    || (methodName != null && !method.methodName().equalsString(methodName))) {
                continue;
            }
            int bytecodeIndex = 0;
            for (CodeElement element : method.code().get()) {
                if (element instanceof Instruction instruction) {
                    if (wanted.test(instruction)) {
                        points.add(new SwitchPoint(
                                operation,
                                of.getName(),
                                method.methodName().stringValue(),
                                method.methodType().stringValue(),
                                bytecodeIndex));
                    }
                    bytecodeIndex += instruction.sizeInBytes();
                }
            }
        }
        return points;
    }

    /** An instance of the class with these bytes, from a loader of its own. */
    static <T> T instance(Class<? extends T> of, byte[] bytes, Class<T> type) throws ReflectiveOperationException {
        ClassLoader loader = new ClassLoader(Inserted.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (!name.equals(of.getName())) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? defineClass(name, bytes, 0, bytes.length) : loaded;
            }
        };
        return type.cast(loader.loadClass(of.getName()).getDeclaredConstructor().newInstance());
    }
}
