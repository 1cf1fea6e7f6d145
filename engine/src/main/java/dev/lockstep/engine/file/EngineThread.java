package dev.lockstep.engine.file;

/**
 * A daemon platform thread that the engine owns and that cannot be interrupted.
 *
 * <p>An interrupt closes the file channel that the interrupted thread uses, for every thread. Threads of the
 * application may be interrupted at any time, so only engine threads touch channels, and {@link #interrupt()}, which a
 * thread group or a monitoring tool could call, does nothing here. {@link DiskStorage} hands calls from other threads
 * over.
 */
public final class EngineThread extends Thread {
    /**
     * Makes the thread; it does not run yet.
     *
     * @param task what it runs
     * @param name name of the thread, beginning with {@code lockstep-}
     */
    public EngineThread(Runnable task, String name) {
        super(task, name);
        setDaemon(true);
    }

    /** Does nothing: an interrupt would close the file in use. */
    @Override
    public void interrupt() {}
}
