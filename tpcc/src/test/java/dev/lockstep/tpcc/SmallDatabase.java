package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.workload.Population;

/** A database small enough for many tests: two warehouses, and so few items that orders often name one twice. */
public final class SmallDatabase {
    /** Its size. */
    public static final TpccScale SCALE = new TpccScale(2, 200, 30, 9);

    /** The date that the population carries, in milliseconds since the epoch: a summer's day. */
    public static final long LOAD_MILLIS = 1_750_000_000_123L;

    private SmallDatabase() {}

    /** Loads the population of a seed. */
    public static void load(TpccAdapter adapter, long seed) {
        try (TpccLoader loader = adapter.openLoader()) {
            new Population(SCALE, seed, LOAD_MILLIS).parts().forEach(part -> part.load(loader, rows -> {}));
        }
        adapter.loaded();
    }
}
