/** The TPC-C workload and its adapters for Lockstep and for other engines. */
module dev.lockstep.tpcc {
    requires transitive dev.lockstep.engine;
    requires java.sql;
    requires org.jooq;
}
