package dev.lockstep.bench.prove;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class KilledJvmTest {
    /** As in containers, where options come by the environment. */
    @Test
    void theOptionsThatAJvmTellsAreNoComplaint() {
        String told =
                """
                Picked up JAVA_TOOL_OPTIONS: -Dx=1
                NOTE: Picked up JDK_JAVA_OPTIONS: -Dy=2
                OpenJDK 64-Bit Server VM warning: Option UseOld was deprecated in version 25.0
                """;
        assertEquals("", KilledJvm.complaints(told));
        assertEquals("Exception in thread \"main\"", KilledJvm.complaints(told + "Exception in thread \"main\"\n"));
    }
}
