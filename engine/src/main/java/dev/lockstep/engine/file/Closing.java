package dev.lockstep.engine.file;

/** Closes what was opened before something else failed. */
final class Closing {
    private Closing() {}

    /** Closes; a failure of that is added to the first failure, which is the one that the caller throws. */
    static void quietly(AutoCloseable resource, Throwable failure) {
        try {
            resource.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }
}
