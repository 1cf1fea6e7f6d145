package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
    private static final List<CompiledMethod> MACHINE = List.of(
            new CompiledMethod("a.A.f(I)V", 4, 600),
            new CompiledMethod("a.A.f(J)V", 4, 400),
            new CompiledMethod("a.A.f(J)V", 3, 9_000),
            new CompiledMethod("a.A.first()V", 4, 100));

    private static SteadyState state(double simulated, double machine) {
        return new SteadyState(simulated, machine, 1_000, 0, List.of());
    }

    @Test
    void aMeasurementCountsInTheNativeSteadyState() {
        assertTrue(state(0.97, 0.99).isSteady());
        assertTrue(state(0.95, 0.95).isSteady());
        assertFalse(state(0.949, 0.95).isSteady());
        assertFalse(state(0.96, 0.995).isSteady(), "too far below");
        assertFalse(state(0.99, 0.95).isSteady(), "too far above");
        assertTrue(state(0.94, 0.97).sentences().getFirst().startsWith("NOT STEADY"));
        assertTrue(state(0.97, 0.97).sentences().getFirst().startsWith("Steady: C2 had compiled 97.0 %"));
    }

    @Test
    void sizesAreThoseOfC2AndOfAllOverloads() {
        List<CompiledMethod> emulated = List.of(new CompiledMethod("a.A.f(I)V", 4, 1_040));
        List<CompiledSize> sizes = CompiledSize.of(List.of("a.A.f", "a.A.first"), MACHINE, emulated);
        assertEquals(List.of(new CompiledSize("a.A.f", 1_000, 1_040), new CompiledSize("a.A.first", 100, 0)), sizes);
        assertTrue(sizes.getFirst().agrees());
        assertFalse(sizes.getLast().agrees());
        SteadyState marked = new SteadyState(0.97, 0.97, 1_000, 0.3, sizes);
        assertTrue(marked.isSteady());
        assertFalse(marked.sizesAgree());
        assertFalse(marked.jvmIsQuiet());
        assertEquals(
                List.of(
                        "MARKED: Collections and compilations in the measured phase: 30.0 % of the workload's"
                                + " instructions (at most 25 %).",
                        "MARKED: The compiled sizes of 1 of the 2 hottest methods agree within 5 %.",
                        "  a.A.first natively 100 bytes, simulated 0"),
                marked.sentences().subList(1, 4));
        assertTrue(new SteadyState(0.97, 0.97, 1_000, 0, sizes.subList(0, 1)).sizesAgree());
    }

    @Test
    void fiveInAHundredIsTheLimit() {
        assertTrue(new CompiledSize("m", 1_000, 1_050).agrees());
        assertTrue(new CompiledSize("m", 1_000, 950).agrees());
        assertFalse(new CompiledSize("m", 1_000, 1_051).agrees());
        assertFalse(new CompiledSize("m", 0, 0).agrees());
    }

    @Test
    void compiledMethodsAreReadAsTheJvmListsThem() {
        List<CompiledMethod> methods = CompiledMethod.parse(Stream.of(
                "3 0 0 jdk.internal.misc.Unsafe.getInt(Ljava/lang/Object;J)I [0x7008, 0x7100 - 0x7560]",
                "16 4 1 java.lang.Object.<init>()V [0x7588, 0x7680 - 0x76f8]",
                "130 4 0 java.lang.String.hashCode()I [0x00007f7537ed0788, 0x00007f7537ed0880 - 0x00007f7537ed09a8]",
                "no line of the list"));
        assertEquals(
                List.of(
                        new CompiledMethod("jdk.internal.misc.Unsafe.getInt(Ljava/lang/Object;J)I", 0, 0x460),
                        new CompiledMethod("java.lang.String.hashCode()I", 4, 0x128)),
                methods);
        assertEquals("java.lang.String.hashCode", methods.getLast().name());
    }

    @Test
    void thisJvmListsItsMethods() {
        assertFalse(CompiledMethod.here().isEmpty());
    }
}
