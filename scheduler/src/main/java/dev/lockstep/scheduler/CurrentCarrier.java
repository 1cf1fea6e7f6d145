package dev.lockstep.scheduler;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Finds the carrier below the running code without a thread-local look-up.
 *
 * <p>A raw continuation runs on its carrier's own identity. Below a virtual thread the carrier is what the JDK's
 * package-private {@code Thread.currentCarrierThread()} returns, an intrinsic that is one load; where java.lang is
 * not opened to this module there are no virtual S-threads to find. An S-thread never changes its carrier, so a value
 * that the JIT compiler keeps across a switch is still right.
 */
final class CurrentCarrier {
    private static final MethodHandle CURRENT_CARRIER_THREAD = find();

    private CurrentCarrier() {}

    static CarrierThread get() {
        Thread thread = Thread.currentThread();
        if (thread instanceof CarrierThread carrier) {
            return carrier;
        }
        if (CURRENT_CARRIER_THREAD == null || !thread.isVirtual()) {
            return null;
        }
        return currentCarrierThread() instanceof CarrierThread carrier ? carrier : null;
    }

    private static Thread currentCarrierThread() {
        try {
            return (Thread) CURRENT_CARRIER_THREAD.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.currentCarrierThread() declares no exception", e);
        }
    }

    private static MethodHandle find() {
        if (!Support.javaLangIsOpen()) {
            return null;
        }
        try {
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findStatic(Thread.class, "currentCarrierThread", MethodType.methodType(Thread.class));
        } catch (ReflectiveOperationException e) {
            // Another JDK: Support.probe reports kind VIRTUAL as unsupported.
            return null;
        }
    }

    static boolean isAvailable() {
        return CURRENT_CARRIER_THREAD != null;
    }
}
