package dev.lockstep.bench.simulate.validation;

/**
 * One figure beside what it ought to be.
 *
 * @param program that ran, with its arguments
 * @param geometry of the caches
 * @param quantity what was counted
 * @param expected what it ought to be
 * @param measured what the simulator says
 * @param bound how far the two may lie apart
 * @param passes whether they do not lie further apart
 */
record Check(
        String program,
        String geometry,
        String quantity,
        double expected,
        double measured,
        Bound bound,
        boolean passes) {

    static Check of(String program, String geometry, String quantity, double expected, double measured, Bound bound) {
        return new Check(program, geometry, quantity, expected, measured, bound, bound.holds(expected, measured));
    }

    /** Of two counts; a double holds all that a run of some hours can count. */
    static Check ofCounts(
            String program, Geometry geometry, Quantity quantity, long expected, long measured, Bound bound) {
        return of(program, geometry.text(), quantity.title(), (double) expected, (double) measured, bound);
    }
}
