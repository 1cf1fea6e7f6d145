package dev.lockstep.scheduler;

/**
 * An instrument that is told which operation every thread runs: S-threads and all others that use the database. Offered
 * as a service, and installed by naming its class in the system property {@link InstalledProbe#PROPERTY}.
 *
 * <p>Who executes a plan tells of its operators, which nest, as their calls do: one that has called another is in force
 * again when that one has returned. Operations come between: what a thread does is its operation's while it is in one,
 * else that of the operator in force.
 *
 * <p>A thread is in one operation at a time, or in none; operations do not nest. Each {@link #begin} is followed by
 * {@link #end}, whatever error ends the operation, or by the {@code begin} of the next. An S-thread that gives up its
 * carrier inside or outside an operation {@link #left leaves} it and {@link #resumed goes on} later; in between, the
 * carrier runs the scheduler or other S-threads. So does another virtual thread, told as {@code null}, while it waits
 * for something of the scheduler's or the engine's, with a {@link Waiter} or for a latch. What else a virtual thread
 * waits for is not told, such as the application's own locks, and nothing that a platform thread waits for.
 *
 * <p>An S-thread may do works of others in its operation: as the leader of a staged team those of its members, as a
 * carrier's helper those of another carrier. It alone is told of them, as the operation that it began, and whose each
 * stage is ({@link #doesWorkOf}).
 *
 * <p>Calls come on the thread that they are about, for an S-thread on its carrier, at every operation: they must not
 * block, throw, allocate or use the database. Thread-safety: called by many threads at once.
 */
public interface OperationProbe {
    /**
     * Gives an operation or an operator its number.
     *
     * @param name the operation and, if it has one, its index, such as {@code "fetch customer"}
     * @return the same number for the same name, above 0
     */
    int number(String name);

    /**
     * An operation begins here and now; whatever waiting for a team came before it is over.
     *
     * @param sThread whose operation it is, or {@code null} on a thread that is no S-thread
     * @param number from {@link #number}
     */
    void begin(SThread sThread, int number);

    /** The operation ends. Also told where none had begun, of which nothing follows. */
    void end(SThread sThread);

    /**
     * The S-thread is about to give up its carrier, or has: what runs now is the scheduler.
     *
     * @param sThread or {@code null} on another virtual thread
     */
    void left(SThread sThread);

    /**
     * The S-thread has its carrier again, or for the first time, and is where it was in its operation or in none.
     *
     * @param sThread or {@code null} on another virtual thread, which may have another carrier than before
     */
    void resumed(SThread sThread);

    /**
     * The S-thread has called the scheduler, which works on its stack from here on: until it has {@link #returned}, or
     * its next operation {@link #begin begins} or the one that it is in {@link #end ends}. Meanwhile it may leave its
     * carrier and be resumed, any number of times, and is in the scheduler then as before.
     *
     * <p>Not told where the scheduler does next to nothing: an operation that runs straight and is not timed, a switch
     * point whose turn is not given up, and what is done before an S-thread is suspended there. A probe that does not
     * tell the scheduler from its callers need not listen.
     */
    default void entered(SThread sThread) {}

    /** The S-thread is back from the scheduler, and is where it was in its operation or in none. */
    default void returned(SThread sThread) {}

    /**
     * The S-thread, inside an operation, does a stage of the work of another from here on, which waits meanwhile, or of
     * its own. Until it is told again, or {@link #doesSharedWork}, or has {@link #entered} the scheduler or its
     * operation ends; it may leave its carrier and be resumed in between, and still does that work then. A probe that
     * does not tell one from the other need not listen.
     *
     * @param sThread who does it
     * @param owner whose work it is; the same S-thread for its own
     * @param number of the operation that the owner has come to, from {@link #number}; {@link #begin} of it is told
     *     when the owner goes on
     */
    default void doesWorkOf(SThread sThread, SThread owner, int number) {}

    /** The S-thread does something for all the works that it has in hand, from here on: that is its own operation's. */
    default void doesSharedWork(SThread sThread) {}

    /**
     * An operator of a plan is called. A probe that does not tell a plan's code from its surroundings' need not listen.
     *
     * @param sThread whose plan it is, or {@code null} on a thread that is no S-thread
     * @param number from {@link #number}
     */
    default void operatorCalled(SThread sThread, int number) {}

    /**
     * The operator in force returns, with or without an error.
     *
     * @param sThread whose plan it is, or {@code null} on a thread that is no S-thread
     * @param caller the operator that had called it, from {@link #number}; 0 if none had
     */
    default void operatorReturned(SThread sThread, int caller) {}
}
