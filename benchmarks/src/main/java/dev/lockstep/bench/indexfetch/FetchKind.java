package dev.lockstep.bench.indexfetch;

import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.TeamExecution;

/** How the members of a team execute their operations. */
enum FetchKind {
    /** One after the other, by one thread that has a transaction for each, without a switch. */
    ORIGINAL("one after the other, no switches"),
    /** Stage by stage in one loop, by one thread that has a transaction for each. */
    STAGED("stage by stage in one loop"),
    /**
     * An S-thread (continuation) for each, in teams whose leader runs the stages of all: each is suspended once per
     * operation. What a stage cannot do, because it would have to wait, is its S-thread's own.
     */
    LED("S-threads, one of which runs the stages of all"),
    /** An S-thread (continuation) for each, in teams, which take turns after every stage. */
    CONTINUATION("S-threads, a switch after every stage"),
    /** The same with an S-thread that is a virtual thread for each. */
    VIRTUAL("S-threads that are virtual threads, a switch after every stage"),
    /**
     * The original of {@link #CONTINUATION}: the same S-threads one after the other, with the switches behind each
     * operation that the other has inside.
     */
    SERIAL("S-threads, one after the other, as many switches"),
    /** An S-thread for each, in teams, which take turns at the points that an agent has inserted, and nowhere else. */
    INSERTED("S-threads, a switch at inserted points"),
    /** S-threads on the two hardware threads of a simulated core, as they come. */
    PARALLEL("S-threads on two hardware threads"),
    /** The same, two of which meet after every stage: a barrier in place of a switch (STEPS, section 6). */
    BARRIER("S-threads on two hardware threads, a barrier after every stage");

    private final String explanation;

    FetchKind(String explanation) {
        this.explanation = explanation;
    }

    /** What it is, in a few words. */
    String explanation() {
        return explanation;
    }

    /** Whether each member is an S-thread of its own. */
    boolean usesSThreads() {
        return this != ORIGINAL && this != STAGED;
    }

    /** How its teams of S-threads execute their operations, if it has any. */
    TeamExecution teamExecution() {
        return switch (this) {
            case LED -> TeamExecution.STAGED;
            case SERIAL -> TeamExecution.SERIAL;
            default -> TeamExecution.SWITCHING;
        };
    }

    /** What its S-threads are made of, if it has any. */
    SThreadKind sThreadKind() {
        return this == VIRTUAL ? SThreadKind.VIRTUAL : SThreadKind.CONTINUATION;
    }

    /** Threads that execute operations. */
    int carriers() {
        return this == PARALLEL || this == BARRIER ? 2 : 1;
    }

    /** What it is compared with. */
    FetchKind original() {
        return this == CONTINUATION || this == SERIAL ? SERIAL : ORIGINAL;
    }
}
