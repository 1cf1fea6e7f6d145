package dev.lockstep.engine.lock;

/**
 * A stripe that takes weaker locks than it is asked for.
 *
 * <p>Invariant: what it holds and what its owners hold agree, as in any stripe; only what the owners believe does not.
 */
final class FaultyLockStripe extends LockStripe {
    private final LockFault fault;

    FaultyLockStripe(LockManager manager, LockFault fault) {
        super(manager);
        this.fault = fault;
    }

    @Override
    boolean acquire(LockOwner owner, long name, int mode, int slot) {
        int weaker = fault.weaken(name, mode);
        return weaker == LockMode.NONE || super.acquire(owner, name, weaker, slot);
    }

    @Override
    boolean convert(LockOwner owner, int position, int target) {
        int weaker = fault.weaken(owner.name(position), target);
        return weaker == owner.mode(position) || super.convert(owner, position, weaker);
    }

    @Override
    boolean isFree(LockOwner owner, long name, int mode, int position) {
        int weaker = fault.weaken(name, mode);
        return weaker == LockMode.NONE || super.isFree(owner, name, weaker, position);
    }

    @Override
    void enqueue(LockOwner owner, long name, int target, int position, boolean instant) {
        super.enqueue(owner, name, fault.weaken(name, target), position, instant);
    }
}
