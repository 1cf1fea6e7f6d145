package dev.lockstep.scheduler.memory;

import java.lang.foreign.MemorySegment;

/**
 * The memory of the whole process as one segment, in a JVM that allows this module native access ({@code
 * --enable-native-access=dev.lockstep.scheduler}, or {@code ALL-UNNAMED} where it lies on the class path).
 *
 * <p>An access of a segment checks place, alignment and session, some 25 instructions that read the segment from
 * memory. Of a segment that is a constant and ends where addresses end, the compiler keeps next to nothing of that. So
 * whoever knows by other means that an address is right uses it here. A wrong one ends the JVM, or destroys what lies
 * there. Without the permission everything is checked, and the JVM has nothing to warn of.
 *
 * <p>Thread-safety: immutable.
 */
public final class AddressSpace {
    /** All of the process, in which an offset is an address; or null without the permission, for the whole process. */
    public static final MemorySegment WHOLE_OR_NULL =
            AddressSpace.class.getModule().isNativeAccessEnabled() ? whole() : null;

    private AddressSpace() {}

    /** Returns whether there is such a segment. */
    public static boolean isOpen() {
        return WHOLE_OR_NULL != null;
    }

    /** Restricted, and so never called where the JVM would warn of it. */
    @SuppressWarnings("restricted")
    private static MemorySegment whole() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }
}
