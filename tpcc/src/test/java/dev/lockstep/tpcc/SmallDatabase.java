package dev.lockstep.tpcc;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseOptions;
import dev.lockstep.engine.Durability;
import dev.lockstep.tpcc.adapter.DelegatingAdapter;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.lockstep.LockstepAdapter;
import dev.lockstep.tpcc.workload.Population;
import java.time.Duration;

/** A database small enough for many tests: two warehouses, and so few items that orders often name one twice. */
public final class SmallDatabase {
    /** Its size. */
    public static final TpccScale SCALE = new TpccScale(2, 200, 30, 9);

    /** The date that the population carries, in milliseconds since the epoch: a summer's day. */
    public static final long LOAD_MILLIS = 1_750_000_000_123L;

    private SmallDatabase() {}

    /** Lockstep in memory, with what clause 3.4 asks of isolation. It is examined before it is closed. */
    public static TpccAdapter lockstep() {
        return lockstep(true);
    }

    /** The same, with or without batches. */
    public static TpccAdapter lockstep(boolean batches) {
        return new ValidatedAdapter(Database.inMemory(DatabaseOptions.defaults()), batches);
    }

    private static final class ValidatedAdapter extends DelegatingAdapter {
        private final Database database;

        ValidatedAdapter(Database database, boolean batches) {
            super(new LockstepAdapter(database, null, Durability.NONE, Duration.ofSeconds(30), batches));
            this.database = database;
        }

        @Override
        public void close() {
            try {
                database.validate();
            } finally {
                super.close();
            }
        }
    }

    /** Loads the population of a seed. */
    public static void load(TpccAdapter adapter, long seed) {
        try (TpccLoader loader = adapter.openLoader()) {
            new Population(SCALE, seed, LOAD_MILLIS).parts().forEach(part -> part.load(loader, rows -> {}));
        }
        adapter.loaded();
    }
}
