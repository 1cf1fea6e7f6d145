package dev.lockstep.bench.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/**
 * A jar by which a JVM has a Java agent: a manifest and nothing else. It names the agent's class, and leads to the
 * class path of this JVM, so that a program has the agent whose own class path lacks it.
 */
public final class AgentJar {
    private AgentJar() {}

    /**
     * Writes it.
     *
     * @param agent a class of this JVM's class path with a {@code premain}
     */
    public static void write(Path jar, Class<?> agent) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", agent.getName());
        attributes.put(
                Attributes.Name.CLASS_PATH,
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream jarOut = new JarOutputStream(out, manifest)) {
            jarOut.finish();
        }
    }
}
