package dev.lockstep.engine;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Work that keeps an S-thread on a raw continuation on its carrier, as a class initializer or a native frame does: a
 * critical section of the JDK's own continuations.
 */
final class PinnedWork implements Runnable {
    private static final MethodHandle PIN = find("pin");
    private static final MethodHandle UNPIN = find("unpin");

    private final Runnable work;
    private volatile Throwable failure;

    PinnedWork(Runnable work) {
        this.work = work;
    }

    private static MethodHandle find(String method) {
        try {
            return MethodHandles.lookup()
                    .findStatic(
                            Class.forName("jdk.internal.vm.Continuation"), method, MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** On the S-thread. */
    @Override
    public void run() {
        invoke(PIN);
        try {
            work.run();
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            invoke(UNPIN);
        }
    }

    private static void invoke(MethodHandle method) {
        try {
            method.invokeExact();
        } catch (Throwable e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** What the work has thrown, null if nothing. */
    Throwable failure() {
        return failure;
    }
}
