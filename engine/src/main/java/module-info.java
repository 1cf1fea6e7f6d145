/** The embeddable transactional storage engine. An application needs this module and nothing else. */
module dev.lockstep.engine {
    requires jdk.jfr;
    requires transitive dev.lockstep.scheduler;

    exports dev.lockstep.engine;
    exports dev.lockstep.engine.type;
}
