package dev.lockstep.counters;

/** What a range of memory holds that {@link Markers#region} tells of. */
public enum RegionKind {
    /** Anything else. */
    OTHER(0),
    /** Frames of an engine's buffer pool. */
    BUFFER_POOL(1),
    /** The JVM's heap. */
    HEAP(2),
    /** Compiled and generated code of the JVM. */
    CODE_CACHE(3),
    /** The JVM's descriptions of classes. */
    METASPACE(4);

    /** As {@code lockstep_marker.h} numbers them. */
    final int number;

    RegionKind(int number) {
        this.number = number;
    }
}
