/**
 * The TPC-C workload and its adapters for Lockstep and for other engines. HdrHistogram has no module name of its own,
 * so it stays on the class path; who puts this module on the module path adds {@code --add-reads
 * dev.lockstep.tpcc=ALL-UNNAMED}.
 */
module dev.lockstep.tpcc {
    requires transitive dev.lockstep.engine;
    requires java.sql;
    requires jdk.management;
    requires org.jooq;

    exports dev.lockstep.tpcc;
    exports dev.lockstep.tpcc.adapter;
    exports dev.lockstep.tpcc.check;
    exports dev.lockstep.tpcc.jdbc;
    exports dev.lockstep.tpcc.lockstep;
    exports dev.lockstep.tpcc.ordered;
    exports dev.lockstep.tpcc.plain;
    exports dev.lockstep.tpcc.workload;
}
