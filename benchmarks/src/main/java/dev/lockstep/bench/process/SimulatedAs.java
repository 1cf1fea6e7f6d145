package dev.lockstep.bench.process;

/** What {@code ./lockstep simulate} does with a command; one without it is simulated whole, as a program is. */
public enum SimulatedAs {
    /** Its child JVMs run where its {@link Placement} says, while they measure. */
    CHILDREN,

    /**
     * It is simulated whole, but for the child JVMs that it starts, which run on the machine's processor or in
     * simulations of its own.
     */
    ALONE;

    /** A command that says so. */
    public interface Told {
        /** What is done with it. */
        SimulatedAs simulatedAs();
    }
}
