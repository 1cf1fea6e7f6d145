package dev.lockstep.bench.prove.isolation;

import dev.lockstep.engine.Isolation;

/**
 * What a history may show that a level forbids. The names are those of the table in ARCHITECTURE.md, which says by whom
 * they are.
 */
public enum Finding {
    /** A read differs from what its own transaction wrote before, or a list from the order of its elements. */
    INTERNAL("no order", null),
    /** A committed write is not there at the end, or there twice, or rests on the same version as another. */
    LOST_WRITE("lost write", null),
    /** A cycle of overwritings. */
    G0("G0", null),
    /** A value of a transaction that was rolled back is seen, or overwritten, by one that committed. */
    G1A("G1a", Isolation.READ_UNCOMMITTED),
    /** A value is seen that its own transaction replaced. */
    G1B("G1b", Isolation.READ_UNCOMMITTED),
    /** A cycle of overwritings and reads. */
    G1C("G1c", Isolation.READ_UNCOMMITTED),
    /** After one of a transaction's writes another of them is not seen. */
    OTV("OTV", Isolation.READ_UNCOMMITTED),
    /** A write over a version later than the one that its transaction had read by key, or found in a scan. */
    P4("P4", Isolation.READ_COMMITTED),
    /** A cycle with one overwritten read, of a key that was asked for or found. */
    G_SINGLE("G-single (rows)", Isolation.READ_COMMITTED),
    /** A cycle with overwritten reads of keys that were asked for or found. */
    G2_ITEM("G2-item", Isolation.READ_COMMITTED),
    /** Two scans of a transaction found different keys. */
    PMP("PMP", Isolation.REPEATABLE_READ),
    /** A cycle with one overwritten read, of a key that was missing in a scan. */
    G_SINGLE_OF_RANGES("G-single (ranges)", Isolation.REPEATABLE_READ),
    /** A cycle with overwritten reads. */
    G2("G2", Isolation.REPEATABLE_READ);

    private final String title;
    private final Isolation strongestThatAdmits;

    Finding(String title, Isolation strongestThatAdmits) {
        this.title = title;
        this.strongestThatAdmits = strongestThatAdmits;
    }

    /** What reports call it. */
    public String title() {
        return title;
    }

    /** Whether histories of that level may show it. */
    public boolean isAdmittedBy(Isolation level) {
        return strongestThatAdmits != null && level.compareTo(strongestThatAdmits) <= 0;
    }
}
