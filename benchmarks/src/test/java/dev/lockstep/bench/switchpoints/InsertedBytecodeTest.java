package dev.lockstep.bench.switchpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** From changed bytecode to that of the class file. */
class InsertedBytecodeTest {
    private static final String HERE = InsertedBytecodeTest.class.getName();
    private static final ClassBytes CLASSES = new ClassBytes(InsertedBytecodeTest.class.getClassLoader());

    /** Its instructions begin at 0, 1, 2, 5, 6 and 7. */
    static int run(int n) {
        int larger = Math.addExact(n, n);
        return larger;
    }

    private static SwitchPoint point(String operation, int bytecodeIndex) {
        return new SwitchPoint(operation, HERE, "run", "(I)I", bytecodeIndex);
    }

    private static List<Integer> originals(InsertedBytecode inserted, int... indexes) {
        return IntStream.of(indexes)
                .map(index -> inserted.original(HERE, "run", "(I)I", index))
                .boxed()
                .toList();
    }

    private static InsertedBytecode inserted(SwitchPoint... points) throws IOException {
        return InsertedBytecode.of(SwitchPoints.of("32K,8,64", CLASSES, List.of(points)), CLASSES);
    }

    /** {@code iload_0, iload_0, invokestatic, istore_1}, before which the call goes, {@code iload_1, ireturn}. */
    @Test
    void whatFollowsACallHasMoved() throws IOException {
        InsertedBytecode inserted = inserted(point("fetch", 5));
        assertEquals(List.of(0, 1, 2, 5, 5, 5, 6, 7), originals(inserted, 0, 1, 2, 5, 6, 9, 10, 11));
        assertEquals(11, inserted.original(HERE, "other", "(I)I", 11));
        assertEquals(11, InsertedBytecode.NONE.original(HERE, "run", "(I)I", 11));
    }

    @Test
    void oneInstructionMayHaveSeveralCalls() throws IOException {
        InsertedBytecode inserted = inserted(point("fetch", 0), point("update", 0));
        assertEquals(List.of(0, 0, 0, 0, 0, 1, 2), originals(inserted, 0, 1, 4, 5, 8, 9, 10));
    }

    @Test
    void aPlaceThatIsNoneIsRefused() throws IOException {
        SwitchPoints points = SwitchPoints.of("32K,8,64", CLASSES, List.of(point("fetch", 3)));
        assertThrows(SwitchPointException.class, () -> InsertedBytecode.of(points, CLASSES));
    }
}
