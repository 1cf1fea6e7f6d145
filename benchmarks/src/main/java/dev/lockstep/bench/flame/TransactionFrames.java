package dev.lockstep.bench.flame;

import dev.lockstep.tpcc.adapter.TransactionType;
import dev.lockstep.tpcc.workload.TpccTransactions;
import java.util.Map;

/** Methods of the driver that run one type of transaction each, as a flame graph's stacks hold them. */
public final class TransactionFrames {
    /** The type's name by {@code package/Class.method}. */
    public static final Map<String, String> BY_METHOD = Map.of(
            method("newOrder"), TransactionType.NEW_ORDER.title(),
            method("payment"), TransactionType.PAYMENT.title(),
            method("orderStatus"), TransactionType.ORDER_STATUS.title(),
            method("delivery"), TransactionType.DELIVERY.title(),
            method("stockLevel"), TransactionType.STOCK_LEVEL.title());

    private TransactionFrames() {}

    private static String method(String name) {
        return TpccTransactions.class.getName().replace('.', '/') + "." + name;
    }
}
