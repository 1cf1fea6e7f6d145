package dev.lockstep.bench.jmh;

import dev.lockstep.engine.Key;
import dev.lockstep.engine.type.Column;
import dev.lockstep.engine.type.ColumnType;
import dev.lockstep.engine.type.KeyFormat;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Encoding of keys like those of TPC-C. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeyBenchmark {
    private static final int STRING_CHARACTERS = 16;

    private final Key integers = new Key(format(ColumnType.int32(), ColumnType.int32(), ColumnType.int32()));
    private final Key name = new Key(format(ColumnType.int32(), ColumnType.string(STRING_CHARACTERS)));
    private int number;

    /** For JMH. */
    public KeyBenchmark() {}

    private static KeyFormat format(ColumnType... types) {
        Column[] columns = new Column[types.length];
        int[] ordinals = new int[types.length];
        for (int i = 0; i < types.length; i++) {
            columns[i] = new Column("column" + i, types[i], false);
            ordinals[i] = i;
        }
        return new KeyFormat("key", columns, ordinals, new boolean[types.length]);
    }

    /** Three integers. */
    @Benchmark
    public int encodeIntegers() {
        number++;
        integers.reset().add(number).add(7).add(-number);
        return integers.bytes()[integers.length() - 1];
    }

    /** An integer and a string. */
    @Benchmark
    public int encodeIntegerAndString() {
        number++;
        name.reset().add(number).add("BARBARBAR");
        return name.bytes()[name.length() - 1];
    }
}
