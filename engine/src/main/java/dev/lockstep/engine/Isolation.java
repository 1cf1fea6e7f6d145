package dev.lockstep.engine;

/**
 * What a transaction may see of transactions that run at the same time: the four levels of the SQL standard, made with
 * locks. At every level a transaction's own changes are locked until it ends, so none of them allows a lost or dirty
 * write.
 *
 * <p>Each level allows what the ones below it do not: the phenomena are those of ANSI SQL-92, as Berenson et al., "A
 * Critique of ANSI SQL Isolation Levels" (1995), define them for locking.
 */
public enum Isolation {
    /** Reads take no locks: changes are seen that are not committed yet and may be undone. */
    READ_UNCOMMITTED,
    /** Reads lock a row while they read it: only committed rows are seen, but a second read may find another value. */
    READ_COMMITTED,
    /**
     * Rows read stay locked until the end: a second read finds them unchanged, but a scan may find new rows between
     * them.
     */
    REPEATABLE_READ,
    /** Rows read and the gaps between them stay locked until the end: the outcome is that of some serial order. */
    SERIALIZABLE
}
