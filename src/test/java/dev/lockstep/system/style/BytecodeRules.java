package dev.lockstep.system.style;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The rules that compiled code decides. */
final class BytecodeRules {
    /** Restricted calls, as class and method: an embedding application would need --enable-native-access. */
    static final Set<String> RESTRICTED_CALLS = Set.of(
            "java/lang/foreign/MemorySegment.reinterpret",
            "java/lang/foreign/AddressLayout.withTargetLayout",
            "java/lang/foreign/Linker.downcallHandle",
            "java/lang/foreign/Linker.upcallStub",
            "java/lang/foreign/SymbolLookup.libraryLookup");

    /**
     * Calls that no library of Lockstep makes, as class and method, which forbiddenapis cannot name because it runs on
     * Maven's JDK: those that newer ones brought.
     */
    static final Set<String> FORBIDDEN_CALLS = Set.of(
            // Also with a Duration: wait for the event itself.
            "java/lang/Thread.sleep");

    /** Calls that scheduler and engine leave to {@code InstalledTime}: a simulated run has another time. */
    static final Set<String> TIME_CALLS = Set.of(
            "java/lang/System.nanoTime",
            "java/util/concurrent/locks/LockSupport.parkNanos",
            "java/util/concurrent/locks/LockSupport.parkUntil");

    /**
     * Beginnings of what reads and changes files: the engine does both through {@code Storage}, which can be replaced.
     */
    static final List<String> FILE_ACCESS = List.of(
            "java/io/File",
            "java/io/RandomAccessFile",
            "java/nio/channels/AsynchronousFileChannel",
            "java/nio/channels/FileChannel",
            "java/nio/channels/FileLock",
            "java/nio/file/FileSystems",
            "java/nio/file/Files",
            "java/nio/file/spi/");

    private BytecodeRules() {}

    static ClassModel read(Path file) throws IOException {
        return ClassFile.of().parse(Files.readAllBytes(file));
    }

    /** Methods that enter a monitor: an S-thread that waits on one holds its carrier. */
    static List<String> monitors(ClassModel type) {
        List<String> violations = new ArrayList<>();
        for (MethodModel method : type.methods()) {
            boolean enters = method.flags().has(AccessFlag.SYNCHRONIZED)
                    || method.code().stream()
                            .flatMap(CodeModel::elementStream)
                            .anyMatch(MonitorInstruction.class::isInstance);
            if (enters) {
                violations.add(name(type, method) + " enters a monitor: use a latch or java.util.concurrent.locks");
            }
        }
        return violations;
    }

    /** Methods that make one of these calls. */
    static List<String> calls(ClassModel type, Set<String> forbidden) {
        List<String> violations = new ArrayList<>();
        for (MethodModel method : type.methods()) {
            method.code().stream().flatMap(CodeModel::elementStream).forEach(element -> {
                if (element instanceof InvokeInstruction invoke) {
                    String call = invoke.owner().asInternalName() + "."
                            + invoke.name().stringValue();
                    if (forbidden.contains(call)) {
                        violations.add(name(type, method) + " calls " + call);
                    }
                }
            });
        }
        return violations;
    }

    /** Classes with these beginnings that a class names. */
    static List<String> named(ClassModel type, List<String> beginnings) {
        Set<String> violations = new TreeSet<>();
        for (var entry : type.constantPool()) {
            if (entry instanceof ClassEntry named) {
                String name = named.asInternalName();
                if (beginnings.stream().anyMatch(name::startsWith)) {
                    violations.add(type.thisClass().asInternalName() + " names " + name);
                }
            }
        }
        return List.copyOf(violations);
    }

    /** Packages that a class names and that lie outside all the prefixes allowed. */
    static Set<String> foreignPackages(ClassModel type, List<String> prefixes) {
        Set<String> packages = new TreeSet<>();
        for (var entry : type.constantPool()) {
            switch (entry) {
                case ClassEntry named -> addPackage(packages, named);
                case MemberRefEntry member -> addPackage(packages, member.owner());
                default -> {}
            }
        }
        packages.removeIf(name -> prefixes.stream().anyMatch(name::startsWith));
        return packages;
    }

    private static void addPackage(Set<String> packages, ClassEntry entry) {
        ClassDesc type = entry.asSymbol();
        while (type.isArray()) {
            type = type.componentType();
        }
        if (type.isClassOrInterface() && !type.packageName().isEmpty()) {
            packages.add(type.packageName() + ".");
        }
    }

    private static String name(ClassModel type, MethodModel method) {
        return type.thisClass().asInternalName() + "." + method.methodName().stringValue();
    }
}
