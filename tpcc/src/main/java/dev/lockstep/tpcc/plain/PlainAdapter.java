package dev.lockstep.tpcc.plain;

import dev.lockstep.tpcc.adapter.LastName;
import dev.lockstep.tpcc.adapter.Text;
import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccLoader;
import dev.lockstep.tpcc.adapter.TpccScale;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.TpccSession;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.util.Arrays;
import java.util.Comparator;

/** The engine {@code plain}. For one thread. */
public final class PlainAdapter implements TpccAdapter {
    /** The engine's name on the command line. */
    public static final String NAME = "plain";

    private final PlainDatabase db;

    /** Allocates an empty database. */
    public PlainAdapter(TpccScale scale) {
        db = new PlainDatabase(scale);
    }

    /**
     * How many warehouses an index of type {@code int} reaches.
     *
     * @param shrink what the cardinalities of each are divided by
     */
    public static int warehousesMax(int shrink) {
        return PlainDatabase.warehousesMax(TpccScale.shrunk(1, shrink).items());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int sessionsMax() {
        return 1;
    }

    @Override
    public String isolation(TransactionType type) {
        return "none";
    }

    @Override
    public TpccSession openSession() {
        return new PlainSession(db);
    }

    @Override
    public TpccLoader openLoader() {
        return new PlainLoader(db);
    }

    /** Finds the customer in the middle of each last name of each district. */
    @Override
    public void loaded() {
        int perDistrict = db.scale.customersPerDistrict();
        Integer[] order = new Integer[perDistrict];
        for (int district = 0; district < db.scale.districts(); district++) {
            int first = district * perDistrict;
            Arrays.setAll(order, i -> first + i);
            Arrays.sort(order, byLastAndFirst());
            int from = 0;
            while (from < perDistrict) {
                int to = from + 1;
                while (to < perDistrict && lastName(order[to]).equals(lastName(order[from]))) {
                    to++;
                }
                // Position n/2 rounded up, counted from 1 (clause 2.5.2.2).
                int middle = order[from + (to - from + 1) / 2 - 1];
                int number = LastName.numberOf(lastName(order[from]));
                db.middleCustomer[district * TpccScale.LAST_NAMES + number] = middle - first + 1;
                from = to;
            }
        }
    }

    private Comparator<Integer> byLastAndFirst() {
        return Comparator.comparing(this::lastName)
                .thenComparing(this::firstName)
                .thenComparing(i -> i);
    }

    private String lastName(Integer customer) {
        return text(customer, PlainDatabase.C_LAST);
    }

    private String firstName(Integer customer) {
        return text(customer, PlainDatabase.C_FIRST);
    }

    private String text(int customer, int field) {
        Text text = new Text(0);
        db.customerTexts.get(customer, field, text);
        return text.toString();
    }

    @Override
    public TpccScanner openScanner() {
        return new PlainScanner(db);
    }

    @Override
    public void close() {
        // The arrays go with this object.
    }
}
