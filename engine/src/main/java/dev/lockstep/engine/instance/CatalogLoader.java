package dev.lockstep.engine.instance;

import dev.lockstep.engine.catalog.TableReference;
import dev.lockstep.engine.catalog.TableState;
import dev.lockstep.engine.type.StoredTable;
import java.util.List;

/** Makes the tables of the catalog's tree known at open. */
final class CatalogLoader {
    private CatalogLoader() {}

    static void load(Instance instance) {
        SessionCore session = new SessionCore(instance);
        try {
            for (StoredTable stored : CatalogStore.readRaw(session, instance.catalogTree())) {
                TableState state = instance.schema().running(stored);
                instance.catalog().sawTreeId(stored.treeId());
                stored.indexes().forEach(index -> instance.catalog().sawTreeId(index.treeId()));
                instance.catalog().add(state);
            }
        } finally {
            session.close();
        }
    }

    /** An index whose filling was cut short has no builder any more. */
    static void dropUnfinishedIndexes(Instance instance) {
        for (TableReference table : List.copyOf(instance.catalog().tables())) {
            TableState state = table.state();
            for (int i = 0; i < state.indexes().size(); i++) {
                if (state.indexes().get(i).building()) {
                    instance.schema()
                            .dropIndex(
                                    table.name(),
                                    state.definition().indexes().get(i).name());
                }
            }
        }
    }
}
