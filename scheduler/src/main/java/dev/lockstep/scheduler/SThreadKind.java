package dev.lockstep.scheduler;

/** What an S-thread is made of. */
public enum SThreadKind {
    /**
     * A virtual thread whose scheduler is one of our carriers. Thread locals, locks, interrupts and debuggers behave as
     * for every virtual thread; one that parks with a native frame or a class initializer on its stack blocks its
     * carrier meanwhile. A switch takes about 120 ns. Needs {@code --add-opens java.base/java.lang}.
     */
    VIRTUAL,

    /**
     * A raw continuation on a carrier. A switch takes about 95 ns. It runs under the identity of its carrier:
     * {@code Thread.currentThread()}, thread locals and the owner of every JDK lock are the carrier's. So
     * application code must hold no lock or monitor of the JDK across a database call, and must be interrupted by
     * {@link SThread#interrupt()}. Needs {@code --add-exports java.base/jdk.internal.vm}.
     */
    CONTINUATION,

    /**
     * An ordinary virtual thread on the JDK's own scheduler: no carriers, no teams, no switch points. Needs nothing.
     * {@link SThread#current()} is {@code null} there, so nothing is paid for what does not happen.
     */
    PLAIN
}
