package dev.lockstep.tpcc.workload;

import dev.lockstep.scheduler.InstalledTime;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.WaitReason;
import dev.lockstep.scheduler.Waiter;
import dev.lockstep.tpcc.adapter.TpccScale;
import java.util.List;
import java.util.Locale;

/**
 * Terminals on the S-threads of a scheduler. Those of one warehouse share a carrier, so that its rows stay in the
 * caches of one processor, and wait for each other's locks within one schedule (STEPS, section 6); they have their
 * turns one after the other. Where there are more carriers than warehouses, terminals are dealt to all of them.
 */
public final class SThreadTerminals implements TerminalThreads {
    private final Scheduler scheduler;
    private final int warehouses;
    private final String name;

    /**
     * Uses a scheduler, which the caller closes.
     *
     * @param scheduler runs the terminals
     * @param warehouses over which consecutive terminals are dealt in turn
     */
    public SThreadTerminals(Scheduler scheduler, int warehouses) {
        this.scheduler = scheduler;
        this.warehouses = warehouses;
        name = "S-threads, " + scheduler.options().kind().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void start(List<? extends TerminalBody> bodies) {
        for (int i = 0; i < bodies.size(); i++) {
            int carrier = carrier(i, warehouses, scheduler.carrierCount());
            int part = part(i, warehouses, scheduler.carrierCount());
            scheduler.startRounds("terminal-" + i, carrier, part, bodies.get(i)::turn);
        }
    }

    /** The carrier of a terminal, 0 where there are none. */
    static int carrier(int terminal, int warehouses, int carriers) {
        int dealt = carriers > warehouses ? terminal : terminal % warehouses;
        return carriers == 0 ? 0 : dealt % carriers;
    }

    /** The part of the data of a terminal: its warehouse, those of one carrier numbered without gaps. */
    static int part(int terminal, int warehouses, int carriers) {
        int warehouse = terminal % warehouses;
        return carriers == 0 || carriers > warehouses ? warehouse : warehouse / carriers;
    }

    @Override
    public void aboutToBegin(TransactionInput input) {
        SThread.current().conflictsOn(conflictPart(input));
    }

    /**
     * Of what others of its kind are kept from by a transaction: a New-Order changes its district alone, a Payment and
     * a Delivery change what there is once in a warehouse, or visit all of its districts, and the others change
     * nothing.
     */
    static int conflictPart(TransactionInput input) {
        return switch (input.type) {
            case NEW_ORDER -> (input.warehouseId - 1) * TpccScale.DISTRICTS + input.districtId - 1;
            case PAYMENT, DELIVERY -> input.warehouseId - 1;
            case ORDER_STATUS, STOCK_LEVEL -> Scheduler.NO_PART;
        };
    }

    @Override
    public boolean endTurnsThemselves() {
        return true;
    }

    @Override
    public void giveWay() {
        SThread.current().transactionBoundary();
    }

    @Override
    public void pause(long nanos) {
        Waiter waiter = new Waiter();
        waiter.prepare();
        waiter.await(InstalledTime.nanoTime() + nanos, WaitReason.OTHER);
    }
}
