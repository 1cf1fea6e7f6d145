package dev.lockstep.bench.process;

import dev.lockstep.scheduler.NodeLayout;
import java.nio.file.Path;

/** The nodes of the machine that this process runs on, where a file describes them: a simulated one, above all. */
public final class NodesFile {
    /** The environment variable that names the file, which {@link NodeLayout#read} reads. */
    public static final String ENVIRONMENT = "LOCKSTEP_NODES";

    private NodesFile() {}

    /**
     * What the file says; {@link NodeLayout#NONE} where none is named.
     *
     * @throws RuntimeException as {@link NodeLayout#read} does
     */
    public static NodeLayout layout() {
        String file = System.getenv(ENVIRONMENT);
        return file == null ? NodeLayout.NONE : NodeLayout.read(Path.of(file));
    }
}
