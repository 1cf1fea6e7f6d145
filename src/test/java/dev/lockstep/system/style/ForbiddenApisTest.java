package dev.lockstep.system.style;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.thetaphi.forbiddenapis.Checker;
import de.thetaphi.forbiddenapis.ForbiddenApiException;
import de.thetaphi.forbiddenapis.Logger;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every signature of the forbidden APIs exists, and a class that uses it is found. */
class ForbiddenApisTest {
    private static final List<String> FILES = List.of("forbidden-apis.txt", "forbidden-apis-library.txt");

    /** Counts the violations that the checker reports. */
    private static final class Violations implements Logger {
        private final List<String> found = new ArrayList<>();

        @Override
        public void error(String message) {
            if (message.startsWith("Forbidden ")) {
                found.add(message);
            }
        }

        @Override
        public void warn(String message) {}

        @Override
        public void info(String message) {}

        @Override
        public void debug(String message) {}
    }

    static List<String> signatures() throws Exception {
        List<String> signatures = new ArrayList<>();
        for (String file : FILES) {
            try (InputStream stream = ForbiddenApisTest.class.getResourceAsStream(file)) {
                new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("#") && !line.startsWith("@"))
                        .forEach(signatures::add);
            }
        }
        return signatures;
    }

    private static List<String> violations(Consumer<ClassBuilder> members) throws Exception {
        byte[] type = ClassFile.of().build(ClassDesc.of("dev.lockstep.Offender"), builder -> {
            builder.withFlags(ClassFile.ACC_PUBLIC);
            members.accept(builder);
        });
        Violations violations = new Violations();
        Checker checker = new Checker(
                violations,
                ForbiddenApisTest.class.getClassLoader(),
                Checker.Option.FAIL_ON_VIOLATION,
                Checker.Option.FAIL_ON_UNRESOLVABLE_SIGNATURES);
        for (String file : FILES) {
            checker.parseSignaturesFile(ForbiddenApisTest.class.getResource(file));
        }
        checker.addBundledSignatures("jdk-system-out", null);
        checker.streamReadClassToCheck(new ByteArrayInputStream(type), "Offender");
        try {
            checker.run();
        } catch (ForbiddenApiException e) {
            assertTrue(!violations.found.isEmpty(), e::getMessage);
        }
        return violations.found;
    }

    private static void method(ClassBuilder type, Consumer<CodeBuilder> code) {
        type.withMethodBody("offend", ConstantDescs.MTD_void, ClassFile.ACC_STATIC, code);
    }

    @ParameterizedTest
    @MethodSource("signatures")
    void itsUseIsFound(String signature) throws Exception {
        int member = signature.indexOf('#');
        String name = member < 0 ? signature : signature.substring(0, member);
        Class<?> owner = Class.forName(name);
        List<String> found = member < 0
                ? violations(type -> type.withField("offender", ClassDesc.of(name), 0))
                : violations(type -> method(type, code -> call(code, owner, signature.substring(member + 1))));
        assertEquals(1, found.size(), () -> signature + " " + found);
        assertTrue(found.getFirst().contains("["), () -> "No replacement is named: " + found);
    }

    @Test
    void printingIsFound() throws Exception {
        ClassDesc stream = ClassDesc.of("java.io.PrintStream");
        List<String> found =
                violations(type -> method(type, code -> code.getstatic(ClassDesc.of("java.lang.System"), "out", stream)
                        .pop()
                        .return_()));
        assertEquals(1, found.size(), found::toString);
    }

    @Test
    void anInnocentIsNot() throws Exception {
        assertEquals(List.of(), violations(type -> method(type, code -> call(code, Thread.class, "yield()"))));
    }

    /** Calls a method with arguments of zero and null; the code is looked at, never run. */
    private static void call(CodeBuilder code, Class<?> owner, String signature) {
        Executable called = Stream.concat(
                        Arrays.stream(owner.getDeclaredMethods()), Arrays.stream(owner.getDeclaredConstructors()))
                .filter(candidate -> signature.equals(signature(candidate)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no " + owner + "#" + signature));
        ClassDesc ownerType = owner.describeConstable().orElseThrow();
        ClassDesc result = ConstantDescs.CD_void;
        if (called instanceof Method method) {
            result = method.getReturnType().describeConstable().orElseThrow();
        }
        if (!(called instanceof Method)) {
            code.new_(ownerType);
        } else if (!Modifier.isStatic(called.getModifiers())) {
            code.aconst_null();
        }
        for (Class<?> parameter : called.getParameterTypes()) {
            if (parameter == long.class) {
                code.lconst_0();
            } else if (parameter.isPrimitive()) {
                code.iconst_0();
            } else {
                code.aconst_null();
            }
        }
        MethodTypeDesc type = MethodTypeDesc.of(
                result,
                Arrays.stream(called.getParameterTypes())
                        .map(parameter -> parameter.describeConstable().orElseThrow())
                        .toList());
        String name = signature.substring(0, signature.indexOf('('));
        if (!(called instanceof Method)) {
            code.invokespecial(ownerType, name, type);
        } else if (Modifier.isStatic(called.getModifiers())) {
            code.invokestatic(ownerType, name, type);
        } else {
            code.invokevirtual(ownerType, name, type);
        }
        code.return_();
    }

    private static String signature(Executable executable) {
        String name = executable instanceof Method ? executable.getName() : "<init>";
        return Arrays.stream(executable.getParameterTypes())
                .map(Class::getName)
                .collect(Collectors.joining(",", name + "(", ")"));
    }
}
