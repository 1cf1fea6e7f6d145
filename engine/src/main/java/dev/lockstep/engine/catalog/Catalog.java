package dev.lockstep.engine.catalog;

import dev.lockstep.engine.btree.BTree;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The tables of an open database, by name. Thread-safe.
 *
 * <p>Invariant: a table is in here exactly while its creation has been committed and its removal has not; both change
 * the map while the catalog is locked exclusively.
 */
public final class Catalog {
    private final ConcurrentMap<String, TableReference> tables = new ConcurrentHashMap<>();
    private final AtomicInteger nextNumber = new AtomicInteger();
    private final AtomicInteger nextTreeId;

    /**
     * @param firstTreeId no tree has this id or a higher one
     */
    public Catalog(int firstTreeId) {
        nextTreeId = new AtomicInteger(firstTreeId);
    }

    /** The table of a name, or null. */
    public TableReference find(String name) {
        return tables.get(name);
    }

    /** The names of all tables, sorted. */
    public List<String> names() {
        return tables.keySet().stream().sorted().toList();
    }

    public Collection<TableReference> tables() {
        return tables.values();
    }

    /** Makes a table known. */
    public TableReference add(TableState state) {
        String name = state.definition().name();
        TableReference reference = new TableReference(name, nextNumber.getAndIncrement(), state);
        tables.put(name, reference);
        return reference;
    }

    /** Makes a table unknown. */
    public void remove(TableReference reference) {
        reference.publish(null);
        tables.remove(reference.name());
    }

    /** What a message calls a table or a tree: {@code account}, or {@code account.by_name} for an index. */
    public String describe(Object place) {
        if (place instanceof TableReference table) {
            return table.name();
        }
        return place instanceof BTree tree ? describe(tree) : String.valueOf(place);
    }

    private String describe(BTree tree) {
        for (TableReference table : tables.values()) {
            TableState state = table.stateOrNull();
            if (state == null || state.tree().treeId() != tree.lockTreeId()) {
                continue;
            }
            for (int i = 0; i < state.indexes().size(); i++) {
                if (state.indexes().get(i).tree().treeId() == tree.treeId()) {
                    return table.name() + "."
                            + state.definition().indexes().get(i).name();
                }
            }
            return table.name();
        }
        return "tree " + tree.treeId();
    }

    public int takeTreeId() {
        return nextTreeId.getAndIncrement();
    }

    /** The id that the next tree will get. */
    public int nextTreeId() {
        return nextTreeId.get();
    }

    /** No id up to this one is given out again. */
    public void sawTreeId(int treeId) {
        nextTreeId.accumulateAndGet(treeId + 1, Math::max);
    }
}
