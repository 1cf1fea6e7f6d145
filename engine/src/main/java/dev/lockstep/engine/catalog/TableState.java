package dev.lockstep.engine.catalog;

import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.btree.BTree;
import java.util.List;

/**
 * A table as the running database knows it: its definition and its trees. Immutable; creating or dropping an index
 * makes a new one.
 *
 * @param indexes one for each of {@code definition.indexes()}, in that order
 */
public record TableState(TableDefinition definition, BTree tree, TreeOperations operations, List<IndexState> indexes) {
    public TableState {
        indexes = List.copyOf(indexes);
    }

    /**
     * The tree of a secondary index.
     *
     * @param building whether it is being filled, so that entries of older rows may still be missing
     */
    public record IndexState(BTree tree, TreeOperations operations, boolean building) {
        /** Whether its creation has failed, so that nobody needs its entries: it waits to be dropped. */
        public boolean abandoned() {
            return building && tree.isAbandoned();
        }
    }

    /** The definition with those indexes only that can be read. */
    public TableDefinition readableDefinition() {
        TableDefinition readable = definition;
        for (int i = 0; i < indexes.size(); i++) {
            if (indexes.get(i).building()) {
                readable = readable.withoutIndex(definition.indexes().get(i).name());
            }
        }
        return readable;
    }
}
