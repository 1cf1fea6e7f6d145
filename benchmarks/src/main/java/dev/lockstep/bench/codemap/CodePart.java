package dev.lockstep.bench.codemap;

/** The parts of a running JVM that executed code belongs to. */
public enum CodePart {
    /** Methods that C2 compiled. */
    C2("Java, C2"),
    /** Methods that C1 compiled, with or without profile. */
    C1("Java, C1"),
    /** Methods compiled at a level that the agent could not find out. */
    COMPILED("Java, compiled"),
    /** The interpreter's templates. */
    INTERPRETER("Java, interpreted"),
    /** What the JVM generated beside: call stubs, copies, adapters, barriers, wrappers of native methods. */
    STUB("stubs"),
    /** The JVM's own library, in C++. */
    JVM("JVM, C++"),
    /** The C library. */
    LIBC("C library"),
    /** Other libraries, and the program itself. */
    LIBRARY("other libraries"),
    /** Nobody knows. */
    UNKNOWN("unresolved");

    private final String words;

    CodePart(String words) {
        this.words = words;
    }

    /** What people call it. */
    public String words() {
        return words;
    }

    /** Whether it runs bytecode. */
    public boolean isJava() {
        return this == C2 || this == C1 || this == COMPILED || this == INTERPRETER;
    }

    /** Whether it is the code of one Java method with what was inlined into it. */
    public boolean isCompiled() {
        return this == C2 || this == C1 || this == COMPILED;
    }
}
