/** The embeddable transactional storage engine. An application needs this module and dev.lockstep.scheduler alone. */
@SuppressWarnings("module") // The module of the benchmarks is built after this one.
module dev.lockstep.engine {
    requires java.management;
    requires jdk.jfr;
    requires transitive dev.lockstep.scheduler;

    exports dev.lockstep.engine;
    exports dev.lockstep.engine.management;
    exports dev.lockstep.engine.type;

    // For benchmarks of single parts; no application can name these.
    exports dev.lockstep.engine.file to
            dev.lockstep.bench;
    exports dev.lockstep.engine.lock to
            dev.lockstep.bench;
    exports dev.lockstep.engine.log to
            dev.lockstep.bench;
    exports dev.lockstep.engine.memory to
            dev.lockstep.bench;
    exports dev.lockstep.engine.page to
            dev.lockstep.bench;
    exports dev.lockstep.engine.proof to
            dev.lockstep.bench;
    exports dev.lockstep.engine.recovery to
            dev.lockstep.bench;
}
