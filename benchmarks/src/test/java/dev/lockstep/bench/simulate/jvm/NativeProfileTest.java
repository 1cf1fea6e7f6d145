package dev.lockstep.bench.simulate.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NativeProfileTest {
    /** A sample belongs to the method that was compiled with its innermost frame, whatever called that. */
    @Test
    void samplesBelongToWhatWasCompiled() {
        NativeProfile profile = NativeProfile.parse(Stream.of(
                "a/A.run_[0];a/A.f_[j];a/B.g_[i];a/B.h_[i] 50",
                "a/A.run_[0];a/A.f_[j] 20",
                "a/A.run_[0];a/B.g_[j];a/B.h_[i] 25",
                "a/A.run_[j];a/C.c_[1];a/B.h_[i] 3",
                "a/A.run_[j];a/C.slow_[0] 2",
                // Copies, the kernel and the compiler are no Java.
                "a/A.run_[j];a/A.f_[j];jbyte_disjoint_arraycopy 40",
                "a/A.run_[j];__libc_pwrite;do_syscall_64_[k] 7",
                "start_thread;C2Compiler::compile_method 1000"));
        assertEquals(95, profile.c2Samples());
        assertEquals(5, profile.otherSamples());
        assertEquals(0.95, profile.c2Share(), 1e-9);
        assertEquals(Map.of("a.A.f", 70L, "a.B.g", 25L), profile.samplesByMethod());
        assertEquals(List.of("a.A.f", "a.B.g"), profile.hottest(10));
        assertEquals(List.of("a.A.f"), profile.hottest(1));
    }

    /** Overloads are other code. */
    @Test
    void signaturesAreSpelledAsTheJvmDoes() {
        NativeProfile profile = NativeProfile.parse(Stream.of(
                "a/A.run()V_[0];a/A.f(Ljava/lang/String|J[B)Lb/B|_[j];b/B.g(I)I_[i] 3",
                "a/A.run()V_[0];a/A.f(I)V_[j] 4",
                "a/A.run()V_[0];a/V.slow()I_[1] 1"));
        assertEquals(Map.of("a.A.f(Ljava/lang/String;J[B)Lb/B;", 3L, "a.A.f(I)V", 4L), profile.samplesByMethod());
    }

    @Test
    void nothingIsNoShare() {
        assertEquals(0, NativeProfile.parse(Stream.of()).c2Share());
    }
}
