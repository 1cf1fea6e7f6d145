package dev.lockstep.engine;

/**
 * What a transaction may see of transactions that run at the same time: the four levels of the SQL standard, made with
 * locks. At every level a transaction's own changes are locked until it ends, and undone changes are seen by nobody who
 * asks for more than {@link #READ_UNCOMMITTED}. The level is that of the transaction itself: it holds whatever the
 * level of those beside it.
 *
 * <table>
 * <caption>Which anomalies each level admits (yes) and forbids (no)</caption>
 * <tr><th>anomaly</th><th>READ UNCOMMITTED</th><th>READ COMMITTED</th><th>REPEATABLE READ</th><th>SERIALIZABLE</th>
 * <tr><td>G0 dirty write</td><td>no</td><td>no</td><td>no</td><td>no</td>
 * <tr><td>G1a aborted read</td><td>yes</td><td>no</td><td>no</td><td>no</td>
 * <tr><td>G1b intermediate read</td><td>yes</td><td>no</td><td>no</td><td>no</td>
 * <tr><td>G1c circular information flow</td><td>yes</td><td>no</td><td>no</td><td>no</td>
 * <tr><td>OTV observed transaction vanishes</td><td>yes</td><td>no</td><td>no</td><td>no</td>
 * <tr><td>P4 lost update</td><td>yes</td><td>yes</td><td>no</td><td>no</td>
 * <tr><td>G-single read skew, of rows</td><td>yes</td><td>yes</td><td>no</td><td>no</td>
 * <tr><td>G2-item write skew, of rows</td><td>yes</td><td>yes</td><td>no</td><td>no</td>
 * <tr><td>PMP predicate-many-preceders (phantoms)</td><td>yes</td><td>yes</td><td>yes</td><td>no</td>
 * <tr><td>G-single read skew, of ranges</td><td>yes</td><td>yes</td><td>yes</td><td>no</td>
 * <tr><td>G2 write skew, of ranges</td><td>yes</td><td>yes</td><td>yes</td><td>no</td>
 * </table>
 *
 * <p>What is admitted does happen. Names that begin with G are those of Adya, "Weak Consistency" (1999), whose levels
 * PL-1, PL-2, PL-2.99 and PL-3 these are; P4 is from Berenson et al., "A Critique of ANSI SQL Isolation Levels" (1995);
 * OTV and PMP from Bailis et al., "Highly Available Transactions" (2013).
 */
public enum Isolation {
    /** Reads take no locks: changes are seen that are not committed yet and may be undone. Forbids G0 alone. */
    READ_UNCOMMITTED,
    /**
     * Reads see committed rows only, but a second read may find another value, and what is written on the strength of a
     * plain read may overwrite a change made in between; {@link Transaction#fetchForUpdate} prevents that. Each row of
     * a scan or a batch is the committed one of the moment when it is read. Forbids G0, G1 and OTV.
     */
    READ_COMMITTED,
    /**
     * Rows read stay locked until the end, as do keys that were asked for and not found: a second read finds the same,
     * but a scan may find new rows between them. Forbids also P4, G-single and G2-item, of rows.
     */
    REPEATABLE_READ,
    /**
     * Rows read and the gaps between them stay locked until the end: the outcome is that of the transactions one after
     * the other, in the order of their commits. Forbids all.
     */
    SERIALIZABLE
}
