package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Finds class files as a class loader would. Thread-safe. */
public final class ClassBytes {
    private final ClassLoader loader;

    /** Of what a loader and its parents find. */
    public ClassBytes(ClassLoader loader) {
        this.loader = loader;
    }

    /** Of this program and what it runs. */
    public static ClassBytes ofProgram() {
        return new ClassBytes(ClassLoader.getSystemClassLoader());
    }

    /** Finds the classes that frames of a stack map have to be merged for. */
    ClassLoader loader() {
        return loader;
    }

    /** The class file of a class, empty where there is none, as for classes that are made while a program runs. */
    public Optional<byte[]> find(String className) throws IOException {
        try (InputStream in = loader.getResourceAsStream(className.replace('.', '/') + ".class")) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        }
    }

    /**
     * The class file of a class that has to be there.
     *
     * @throws SwitchPointException if it is not
     */
    public byte[] require(String className) throws IOException {
        return find(className)
                .orElseThrow(() -> new SwitchPointException(
                        Reason.CLASS,
                        "a class with switch points is not on the class path: class=" + className
                                + "; remedy: run the program that the points were found in, or search again"));
    }
}
