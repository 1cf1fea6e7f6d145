/** The command line, experiments and benchmarks. */
module dev.lockstep.bench {
    requires ascii.table;
    requires async.profiler;
    requires com.fasterxml.jackson.databind;
    requires dev.lockstep.counters;
    requires dev.lockstep.engine;
    requires dev.lockstep.scheduler;
    requires dev.lockstep.tpcc;
    requires info.picocli;
    requires java.desktop;
    requires java.instrument;
    requires java.management;
    requires jdk.jfr;
    requires jdk.management;
    requires jmh.core;
    requires me.tongfei.progressbar;
    requires org.knowm.xchart;
    requires VectorGraphics2D;

    // picocli sets the fields of commands, Jackson reads the results of JMH.
    opens dev.lockstep.bench to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.files to
            info.picocli;
    opens dev.lockstep.bench.disk to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.indexfetch to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.steps to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.autosteps to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.restart to
            com.fasterxml.jackson.databind,
            info.picocli;
    // Jackson reads and makes the records of specifications and results.
    opens dev.lockstep.bench.codemap to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.tpcc to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.report to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.prove to
            com.fasterxml.jackson.databind,
            info.picocli;
    // picocli sets the fields of the command, Jackson reads the records of its report.
    opens dev.lockstep.bench.simulate.validation to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.jmh to
            com.fasterxml.jackson.databind;
    opens dev.lockstep.bench.flame to
            com.fasterxml.jackson.databind;
    opens dev.lockstep.bench.process to
            com.fasterxml.jackson.databind;
    opens dev.lockstep.bench.simulate to
            com.fasterxml.jackson.databind,
            info.picocli;
    opens dev.lockstep.bench.simulate.jvm to
            com.fasterxml.jackson.databind;

    provides dev.lockstep.scheduler.MachineBinding with
            dev.lockstep.bench.simulate.jvm.BoundMachine;
    provides dev.lockstep.scheduler.OperationProbe with
            dev.lockstep.bench.codemap.OperationMarkers,
            dev.lockstep.bench.flame.FlameProbe,
            dev.lockstep.bench.indexfetch.OperationPadding,
            dev.lockstep.bench.indexfetch.SwitchPadding;
    provides dev.lockstep.scheduler.TimeSource with
            dev.lockstep.bench.simulate.jvm.SimulatedTime;
}
