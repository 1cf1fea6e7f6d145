package dev.lockstep.bench.indexfetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.simulate.jvm.CompiledMethod;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.Scheduler;
import dev.lockstep.scheduler.SchedulerOptions;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class OperationPaddingTest {
    @Test
    void codeIsInPiecesOfEqualSize() {
        assertEquals(0, PaddingCode.pieces(0));
        assertEquals(0, PaddingCode.methods(0));
        assertEquals(1, PaddingCode.pieces(128));
        assertEquals(1, PaddingCode.pieces(16 << 10));
        assertEquals(2, PaddingCode.pieces(24 << 10));
        assertEquals(64, PaddingCode.pieces(1 << 20));
        assertEquals(1024, PaddingCode.methods(1 << 20));
        PaddingCode atOnce = new PaddingCode(48 << 10);
        PaddingCode byPieces = new PaddingCode(48 << 10);
        atOnce.runAll();
        assertEquals(3, byPieces.pieces());
        int last = 0;
        for (int piece = 0; piece < byPieces.pieces(); piece++) {
            byPieces.run(piece);
            assertNotEquals(last, byPieces.last());
            last = byPieces.last();
        }
        assertEquals(atOnce.last(), last);
    }

    /** An update begins with a fetch, which is padded, and goes on with an operation of its own, which is not. */
    @Test
    void anSThreadExecutesItWhereTheOperationBegins() throws InterruptedException {
        assertEquals("fetch ints", RowOperation.UPDATE.firstName());
        assertEquals("insert ints", RowOperation.INSERT8.firstName());
        PaddingCode code = new PaddingCode(256);
        OperationPadding padding = new OperationPadding(code, "fetch ints");
        SThread sThread;
        try (Scheduler scheduler = new Scheduler(SchedulerOptions.defaults())) {
            sThread = scheduler.start("member", 0, () -> {});
            sThread.join();
        }
        int fetch = padding.number("fetch ints");
        padding.begin(null, fetch);
        padding.begin(sThread, padding.number("update ints"));
        padding.end(sThread);
        padding.left(sThread);
        padding.resumed(sThread);
        assertEquals(0, code.last());
        padding.begin(sThread, fetch);
        assertNotEquals(0, code.last());
        assertTrue(ServiceLoader.load(OperationProbe.class).stream()
                .anyMatch(offered -> offered.type() == OperationPadding.class));
    }

    @Test
    void onlyWhatC2HasCompiledCounts() {
        String step = "dev.lockstep.bench.simulate.jvm.GeneratedSteps.wide0(I)I";
        CompiledMethod byC2 = new CompiledMethod(step, 4, 1_000, false);
        List<CompiledMethod> all = List.of(
                byC2,
                new CompiledMethod(step, 3, 5_000, false),
                new CompiledMethod("dev.lockstep.bench.simulate.jvm.GeneratedSteps.applyAsInt(I)I", 4, 300, false),
                new CompiledMethod("dev.lockstep.bench.simulate.jvm.GeneratedSteps.step0(I)I", 4, 300, false),
                new CompiledMethod("dev.lockstep.engine.Table.step(I)I", 4, 300, false));
        CompiledPadding compiled = CompiledPadding.of(all);
        assertEquals(new CompiledPadding(1, 1_000), compiled);
        assertTrue(compiled.isAllOf(1024));
        assertFalse(compiled.isAllOf(2048));
        assertTrue(CompiledPadding.of(Collections.nCopies(2, byC2)).isAllOf(2048));
    }
}
