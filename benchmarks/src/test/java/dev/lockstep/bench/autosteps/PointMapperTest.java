package dev.lockstep.bench.autosteps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.InsertedBytecode;
import dev.lockstep.bench.switchpoints.SwitchPoint;
import dev.lockstep.bench.switchpoints.SwitchPoints;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From addresses to bytecode, on a trace of ten instructions of four bytes. */
class PointMapperTest {
    private static final String HERE = PointMapperTest.class.getName() + ".run()I@";
    private static final String INSTRUMENT = "dev.lockstep.bench.codemap.OperationMarkers.begin()V@1";

    /** What lies at addresses 0, 10, 20 and so on, in hexadecimal. */
    private static final List<String> PLACES = List.of(
            INSTRUMENT,
            HERE + "0:30",
            "java.lang.Math.abs(I)I@2:9 < " + HERE + "4:31",
            "libjvm.so (JVM, C++)",
            "unresolved",
            HERE + "0:32",
            INSTRUMENT,
            PointMapperTest.class.getName() + ".held()I@0:40",
            PointMapperTest.class.getName() + ".run()I@77:41",
            "dev.lockstep.bench.autosteps.NoSuchClass.run()V@0 < " + PointMapperTest.class.getName()
                    + "$$Lambda.0x01.run()V@0");

    @TempDir
    private Path directory;

    private List<String> origin;
    private TraceFile traces;
    private InstructionTrace trace;
    private PointMapper mapper;

    private static int twice(int n) {
        return 2 * n;
    }

    /** The value is computed from bytecode 0 on, and kept from 4 on. */
    static int run() {
        int four = twice(2);
        return twice(four);
    }

    synchronized int held() {
        return twice(3);
    }

    int holding() {
        synchronized (this) {
            return twice(5);
        }
    }

    @BeforeEach
    void readTrace() throws IOException, TraceFormatException {
        origin = TracedCode.origin(PointMapperTest.class);
        readTrace(PLACES);
    }

    private void readTrace(List<String> places) throws IOException, TraceFormatException {
        List<String> lines = new ArrayList<>(List.of(TraceFile.HEADER, "operation 3 Payment: fetch customer"));
        lines.addAll(origin);
        for (int i = 0; i < places.size(); i++) {
            lines.add("place " + i + "0 " + places.get(i));
        }
        lines.add("execution 3 " + places.size());
        for (int i = 0; i < places.size(); i++) {
            lines.add(i + "0 4");
        }
        traces = TraceFile.read(TracedCode.end(directory.resolve("trace.txt"), lines));
        trace = traces.typical(3);
        mapper = new PointMapper(
                traces,
                new ClassBytes(PointMapperTest.class.getClassLoader()),
                InsertedBytecode.NONE,
                List.of("dev.lockstep.bench.codemap."));
    }

    private PointMapper.Mapped map(int index) throws IOException {
        return mapper.map(traces.registeredName(3), trace, index);
    }

    private static SwitchPoint point(int bytecodeIndex) {
        return new SwitchPoint("fetch customer", PointMapperTest.class.getName(), "run", "()I", bytecodeIndex);
    }

    @Test
    void anAddressIsItsInnermostMethodThatCanCallUs() throws IOException {
        assertEquals(new PointMapper.Mapped(point(0), "", 0), map(1));
        assertEquals(point(0), map(5).point());
    }

    @Test
    void whatTheJdkExecutesBelongsToItsCaller() throws IOException {
        assertEquals(new PointMapper.Mapped(point(4), "", 0), map(2));
    }

    /** The inner method is passed twice, by each of its callers once. */
    @Test
    void ofInlinedMethodsTheOnePassedLeastIsTaken() throws IOException, TraceFormatException {
        String inner = HERE + "0 < " + PointMapperTest.class.getName();
        readTrace(List.of(inner + ".first()V@0", "libc.so.6 (C library)", inner + ".run()I@5"));
        assertEquals(List.of(2), mapper.passes(trace, List.of(point(0))), "the first instruction begins a turn anyway");
        assertEquals(point(0), map(2).point(), "of equals the innermost");
        readTrace(List.of("unresolved", inner + ".first()V@0", "unresolved", inner + ".run()I@5"));
        assertEquals(List.of(1, 3), mapper.passes(trace, List.of(point(0))));
        assertEquals(point(5), map(3).point());
    }

    /** A monitor is entered before bytecode 6, where the inlined method is called. */
    @Test
    void whereACallerHoldsSomethingAPointIsRefused() throws IOException, TraceFormatException {
        String caller = PointMapperTest.class.getName() + ".holding()I@";
        readTrace(List.of("unresolved", PointMapperTest.class.getName() + ".twice(I)I@0 < " + caller + "0"));
        assertEquals("twice", map(1).point().method(), "nothing is held yet");
        readTrace(List.of("unresolved", PointMapperTest.class.getName() + ".twice(I)I@0 < " + caller + "5"));
        assertTrue(map(1).refused().contains("why=between taking and giving back"), map(1)::refused);
        assertTrue(map(1).refused().contains("holding()I@5"), map(1)::refused);
    }

    /** Its bytecode indexes say nothing of this one. */
    @Test
    void whatAnotherClassFileOrJvmExecutedGetsNoPoint() throws IOException, TraceFormatException {
        List<String> here = origin;
        origin = List.of(here.getFirst(), here.getLast().replaceFirst("class .{8}", "class 00000000"));
        readTrace(PLACES);
        assertTrue(map(1).refused().contains("a class has changed since"), map(1)::refused);
        origin = List.of("jvm another", here.getLast());
        readTrace(PLACES);
        assertTrue(map(1).refused().contains("jvm=\"another\""), map(1)::refused);
        origin = List.of();
        readTrace(PLACES);
        assertTrue(map(1).refused().contains("jvm=\"\""), map(1)::refused);
    }

    @Test
    void whatTheJvmExecutesBelongsToTheNearestCall() throws IOException {
        assertEquals(new PointMapper.Mapped(point(4), "", 2), map(4));
        assertEquals(new PointMapper.Mapped(point(0), "", 1), map(6));
    }

    @Test
    void whatCannotTakeACallIsRefusedWithTheReason() throws IOException {
        assertEquals("no code before it can take a call", map(0).refused());
        assertTrue(map(7).refused().contains("why=synchronized method"), () -> PLACES.get(7));
        assertTrue(map(8).refused().contains("there is no instruction"), () -> PLACES.get(8));
        assertEquals(map(8).refused(), map(9).refused());
    }

    @Test
    void aPointIsPassedWhereverItsBytecodeBegins() throws IOException {
        assertEquals(List.of(1, 5), mapper.passes(trace, List.of(point(0))));
        assertEquals(List.of(2), mapper.passes(trace, List.of(point(4))));
        assertEquals(List.of(1, 2, 5), mapper.passes(trace, List.of(point(0), point(4))));
        assertEquals(List.of(), mapper.passes(trace, List.of(point(1))));
    }

    /**
     * The call of the inserted point is at bytecode 1 of the changed class; the scheduler's methods are not inlined.
     */
    @Test
    void aPointAtWhichTheSchedulerSkipsTheSwitchIsNotPassed() throws IOException, TraceFormatException {
        ClassBytes classes = new ClassBytes(PointMapperTest.class.getClassLoader());
        InsertedBytecode inserted =
                InsertedBytecode.of(SwitchPoints.of("32K,8,64", classes, List.of(point(0))), classes);
        String pass = "dev.lockstep.scheduler.PlacedSwitchPoints.pass(I)V@28 < " + HERE + "1";
        String carrier = "dev.lockstep.scheduler.CarrierThread.switchPoint(LX;)V@5 < " + pass;
        String turns = "dev.lockstep.scheduler.MemberTurns.switchPoint(LX;)V@9";
        readTrace(List.of("unresolved", carrier, turns, carrier, pass, HERE + "8"));
        assertEquals(List.of(1), PointMapper.of(traces, classes, inserted).passes(trace, List.of(point(0))));
        String skip = "dev.lockstep.scheduler.CarrierTeams.countSkipped(LX;)V@1";
        readTrace(List.of("unresolved", carrier, turns, skip, turns, carrier, pass, HERE + "8"));
        assertEquals(List.of(), PointMapper.of(traces, classes, inserted).passes(trace, List.of(point(0))));
    }
}
