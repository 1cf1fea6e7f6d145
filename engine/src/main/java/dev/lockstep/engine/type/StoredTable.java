package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;
import dev.lockstep.engine.TableDefinition;
import java.util.List;

/**
 * What the catalog keeps about a table: its definition and where its trees are. Immutable and thread-safe.
 *
 * @param definition the table
 * @param treeId the number of the clustered tree
 * @param rootPageId the page of its root
 * @param indexes the trees of the secondary indexes, in the order of {@link TableDefinition#indexes()}
 */
public record StoredTable(TableDefinition definition, int treeId, int rootPageId, List<StoredIndex> indexes) {
    /**
     * Checks that each index has a tree.
     *
     * @throws SchemaException if there are more or fewer
     */
    public StoredTable {
        indexes = List.copyOf(indexes);
        if (indexes.size() != definition.indexes().size()) {
            throw new SchemaException(Message.of("A table needs one tree for each of its indexes")
                    .with("table", definition.name())
                    .with("expected", definition.indexes().size())
                    .with("actual", indexes.size())
                    .remedy("Add or remove index and tree together."));
        }
    }

    /**
     * The tree of a secondary index.
     *
     * @param treeId the number of the tree
     * @param rootPageId the page of its root
     * @param state how far it is
     */
    public record StoredIndex(int treeId, int rootPageId, IndexState state) {}

    /** How far an index is. */
    public enum IndexState {
        /** It has an entry for each row and may be read. */
        READY,
        /** Changes of rows keep it up, but rows that are older than the index may be missing: it must not be read. */
        BUILDING
    }
}
