package dev.lockstep.engine.operation;

import dev.lockstep.engine.instance.SessionCore;

/** An update that finds the stack full when the leader of its team prepares it. */
public final class OverflowingUpdate extends InPlaceUpdateOperation {
    public OverflowingUpdate(SessionCore session) {
        super(session.instance().locks(), session.instance().transactions(), session.context());
    }

    @Override
    void prepareInTeam() {
        throw new StackOverflowError("by hand");
    }
}
