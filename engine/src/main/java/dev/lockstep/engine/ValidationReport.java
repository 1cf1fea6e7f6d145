package dev.lockstep.engine;

/**
 * What {@link Database#validate()} has found in order.
 *
 * @param trees trees: one for each table and index, and the catalog
 * @param nodes pages that are tree nodes
 * @param records records of all trees
 * @param ghosts deleted records that wait for their removal
 * @param pages pages in use
 */
public record ValidationReport(int trees, long nodes, long records, long ghosts, int pages) {}
