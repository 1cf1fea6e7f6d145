package dev.lockstep.engine.salvage;

import dev.lockstep.engine.IndexDefinition;
import dev.lockstep.engine.Inspection.CatalogEntry;
import dev.lockstep.engine.TableDefinition;
import dev.lockstep.engine.instance.FixedPlaces;
import dev.lockstep.engine.type.KeyColumn;
import dev.lockstep.engine.type.KeyFormat;
import dev.lockstep.engine.type.StoredTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The trees that a catalog names, and how their keys read. Not thread-safe. */
final class KnownTrees {
    /** What the catalog's own tree is called, where no table is. */
    static final String CATALOG = "catalog";

    /** Keys in hexadecimal are cut here: nobody reads on, and the longest takes twenty lines. */
    private static final int HEX_BYTES_MAX = 48;

    /**
     * A tree.
     *
     * @param formatOrNull how its keys read; null for the catalog, whose keys are names
     */
    record KnownTree(String name, int treeId, int rootPageId, KeyFormat formatOrNull) {}

    private final Map<Integer, KnownTree> trees = new LinkedHashMap<>();
    private final Map<String, KnownTree> tables = new HashMap<>();
    private final List<CatalogEntry> entries = new ArrayList<>();

    KnownTrees(List<StoredTable> tables) {
        int catalogTreeId = FixedPlaces.CATALOG_TREE_ID;
        trees.put(catalogTreeId, new KnownTree(CATALOG, catalogTreeId, FixedPlaces.CATALOG_ROOT_PAGE_ID, null));
        for (StoredTable table : tables) {
            add(table);
        }
    }

    private void add(StoredTable table) {
        TableDefinition definition = table.definition();
        KnownTree known = new KnownTree(definition.name(), table.treeId(), table.rootPageId(), definition.keyFormat());
        trees.put(table.treeId(), known);
        tables.put(definition.name(), known);
        List<String> columns = definition.columns().stream()
                .map(column -> column.name() + " " + column.type() + (column.nullable() ? "" : " NOT NULL"))
                .toList();
        entries.add(new CatalogEntry(
                definition.name(), table.treeId(), table.rootPageId(), columns, names(definition.primaryKey()), ""));
        for (int i = 0; i < definition.indexes().size(); i++) {
            IndexDefinition index = definition.indexes().get(i);
            StoredTable.StoredIndex stored = table.indexes().get(i);
            String name = definition.name() + "." + index.name();
            trees.put(
                    stored.treeId(),
                    new KnownTree(name, stored.treeId(), stored.rootPageId(), definition.indexFormat(i)));
            List<String> key = names(index.columns());
            entries.add(new CatalogEntry(
                    name,
                    stored.treeId(),
                    stored.rootPageId(),
                    key,
                    key,
                    stored.state().name()));
        }
    }

    private static List<String> names(List<KeyColumn> columns) {
        return columns.stream()
                .map(column -> column.descending() ? column.name() + " DESC" : column.name())
                .toList();
    }

    /** Tables and their indexes. */
    List<CatalogEntry> entries() {
        return entries;
    }

    /** A tree, or null if it is not known. */
    KnownTree byId(int treeId) {
        return trees.get(treeId);
    }

    /**
     * A tree by its name or by its number, or null if it is not known. Names of tables may be anything: where one is
     * the name of an index too, or the number of a tree, or that of the catalog, the table is meant.
     */
    KnownTree find(String nameOrId) {
        KnownTree found = tables.get(nameOrId);
        for (KnownTree tree : trees.values()) {
            if (found == null && tree.formatOrNull() != null && tree.name().equals(nameOrId)) {
                found = tree;
            }
        }
        for (KnownTree tree : trees.values()) {
            if (found == null && Integer.toString(tree.treeId()).equals(nameOrId)) {
                found = tree;
            }
        }
        return found == null && CATALOG.equals(nameOrId) ? trees.get(FixedPlaces.CATALOG_TREE_ID) : found;
    }

    /** The name of a tree, the empty string if it is not known. */
    String name(int treeId) {
        KnownTree tree = trees.get(treeId);
        return tree == null ? "" : tree.name();
    }

    /** The name of a tree, or {@code tree 7}. */
    String describe(int treeId) {
        KnownTree tree = trees.get(treeId);
        return tree == null ? "tree " + treeId : tree.name();
    }

    /** A key as a person reads it. */
    String key(int treeId, byte[] key) {
        KnownTree tree = trees.get(treeId);
        if (tree == null) {
            return hex(key);
        }
        if (tree.formatOrNull() == null) {
            return new String(key, StandardCharsets.UTF_8);
        }
        String described = tree.formatOrNull().describe(key, key.length);
        return described.startsWith("(") ? described : hex(key);
    }

    private static String hex(byte[] key) {
        String digits = HexFormat.of().formatHex(key, 0, Math.min(key.length, HEX_BYTES_MAX));
        return "0x" + digits + (key.length > HEX_BYTES_MAX ? "..." : "");
    }
}
