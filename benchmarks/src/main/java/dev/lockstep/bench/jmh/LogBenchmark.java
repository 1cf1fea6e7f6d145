package dev.lockstep.bench.jmh;

import dev.lockstep.bench.process.ScratchDirectory;
import dev.lockstep.engine.file.DatabaseId;
import dev.lockstep.engine.file.DiskStorage;
import dev.lockstep.engine.file.FailureListener;
import dev.lockstep.engine.log.Log;
import dev.lockstep.engine.log.LogOptions;
import dev.lockstep.engine.log.LogRecordBuffer;
import dev.lockstep.engine.log.LogRecordLayout;
import dev.lockstep.engine.log.LogRecordType;
import dev.lockstep.scheduler.Waiter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Records into the log, while its writer drains it to disk. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LogBenchmark {
    /** An update of a few columns, and an inserted row. */
    @Param({"64", "400"})
    public int payloadBytes;

    private final Waiter waiter = new Waiter();
    private final LogRecordBuffer record = new LogRecordBuffer();
    private ScratchDirectory directory;
    private Log log;
    private byte[] payload;

    /** For JMH. */
    public LogBenchmark() {}

    /** Opens a log. */
    @Setup
    public void open() throws IOException {
        directory = ScratchDirectory.make("jmh");
        payload = new byte[payloadBytes];
        log = Log.open(
                DiskStorage.INSTANCE,
                directory.path(),
                DatabaseId.random(),
                LogOptions.async(),
                LogRecordLayout.LSN_FIRST,
                FailureListener.IGNORE);
    }

    /** Gives the disk back what was written. */
    @TearDown(Level.Iteration)
    public void trim() {
        log.deleteBefore(log.durableLsn());
    }

    /** Closes the log. */
    @TearDown
    public void close() throws IOException {
        log.close();
        directory.close();
    }

    /** Builds a record and appends it, waiting where the writer is too far behind. */
    @Benchmark
    public long append() {
        log.throttle(waiter);
        record.begin(LogRecordType.UPDATE, 0, 1, 0).putBytes(payload, 0, payload.length);
        return log.append(record);
    }

    /** A commit that waits for the disk alone. */
    @Benchmark
    public long appendAndForce() {
        record.begin(LogRecordType.COMMIT, 0, 1, 0).putBytes(payload, 0, payload.length);
        long lsn = log.append(record);
        log.awaitDurable(lsn, waiter);
        return lsn;
    }
}
