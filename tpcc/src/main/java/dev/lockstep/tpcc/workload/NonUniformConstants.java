package dev.lockstep.tpcc.workload;

/**
 * The constants C of NURand (clauses 2.1.6 and 2.1.6.1), chosen once per database and run.
 *
 * @param lastName C for C_LAST, 0 to 255
 * @param customer C for C_ID, 0 to 1,023
 * @param item C for OL_I_ID, 0 to 8,191
 */
public record NonUniformConstants(int lastName, int customer, int item) {
    /** A for C_LAST. */
    public static final int LAST_NAME_A = 255;

    /** A for C_ID. */
    public static final int CUSTOMER_A = 1_023;

    /** A for OL_I_ID. */
    public static final int ITEM_A = 8_191;

    /** The smallest and largest distance between the C for C_LAST of the load and of the run, and two excluded ones. */
    private static final int DELTA_MIN = 65;

    private static final int DELTA_MAX = 119;
    private static final int DELTA_EXCLUDED_1 = 96;
    private static final int DELTA_EXCLUDED_2 = 112;

    /** The constants that the population of a seed uses. */
    public static NonUniformConstants ofLoad(long seed) {
        TpccRandom random = new TpccRandom(TpccRandom.seed(seed, 1));
        return new NonUniformConstants(
                random.between(0, LAST_NAME_A), random.between(0, CUSTOMER_A), random.between(0, ITEM_A));
    }

    /** The constants that a run on the population of a seed uses: clause 2.1.6.1 bounds the distance for C_LAST. */
    public static NonUniformConstants ofRun(long seed) {
        NonUniformConstants load = ofLoad(seed);
        TpccRandom random = new TpccRandom(TpccRandom.seed(seed, 2));
        int delta = DELTA_EXCLUDED_1;
        // Two of 55 values are drawn again, so that this ends at once, and with certainty before long.
        while (delta == DELTA_EXCLUDED_1 || delta == DELTA_EXCLUDED_2) {
            delta = random.between(DELTA_MIN, DELTA_MAX);
        }
        int lastName = load.lastName + delta <= LAST_NAME_A ? load.lastName + delta : load.lastName - delta;
        return new NonUniformConstants(lastName, random.between(0, CUSTOMER_A), random.between(0, ITEM_A));
    }
}
