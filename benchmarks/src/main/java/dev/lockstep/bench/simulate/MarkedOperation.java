package dev.lockstep.bench.simulate;

/**
 * What a marked number stands for.
 *
 * @param number as the plugin tells it
 * @param context the transaction type or call of the application, empty outside any
 * @param operation the engine's name for it, or what the marks call being outside of operations
 * @param executions how often it began in the measured phase; where there was none, in the whole run
 */
public record MarkedOperation(int number, String context, String operation, long executions) {
    /**
     * The system property that names the file to which a JVM writes, as JSON, what its marks stand for when it ends.
     */
    public static final String PROPERTY = "dev.lockstep.bench.operations";
}
