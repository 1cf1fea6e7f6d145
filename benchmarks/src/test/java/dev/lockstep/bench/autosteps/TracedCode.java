package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.switchpoints.ClassBytes;
import dev.lockstep.bench.switchpoints.CodeOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Code to place points in, and hand-made traces of it: an instruction each in lines of 16 bytes, one after another. */
final class TracedCode {
    static final String OPERATION = "fetch row";
    static final int OPERATION_NUMBER = 7;

    private static final String RUN = TracedCode.class.getName() + ".run()I@";
    private static final int LINE_BYTES = 16;

    static final ClassBytes CLASSES = new ClassBytes(TracedCode.class.getClassLoader());

    private TracedCode() {}

    private static int twice(int n) {
        return 2 * n;
    }

    /** Its instructions begin at bytecode 0, 1, 4, 5, 6 and 9. */
    static int run() {
        int four = twice(2);
        return twice(four);
    }

    synchronized int held() {
        return twice(3);
    }

    /** What lies at an address of {@link #run}. */
    static String run(int bytecodeIndex) {
        return RUN + bytecodeIndex;
    }

    /** The same where the call of a point lies at the address, and the scheduler switches. */
    static String switching(int bytecodeIndex) {
        return "dev.lockstep.scheduler.Team.size()I@1 < dev.lockstep.scheduler.CarrierThread.switchPoint(LX;)V@19 < "
                + "dev.lockstep.scheduler.PlacedSwitchPoints.pass(I)V@28 < " + run(bytecodeIndex);
    }

    /** A file with one execution of so many lines, some of which are known by their number. */
    static Path trace(Path file, int lines, Map<Integer, String> places) throws IOException {
        List<String> text = begin(places, TracedCode.class);
        addExecution(
                text,
                "Payment",
                OPERATION_NUMBER,
                IntStream.range(0, lines).boxed().toList());
        return end(file, text);
    }

    /** The first lines of a file. */
    static List<String> begin(Map<Integer, String> places, Class<?>... classes) throws IOException {
        List<String> text = new ArrayList<>(List.of(TraceFile.HEADER));
        text.addAll(origin(classes));
        places.forEach((line, place) -> text.add("place " + Integer.toHexString(LINE_BYTES * line) + " " + place));
        return text;
    }

    /** Where the code of classes of this test comes from. */
    static List<String> origin(Class<?>... classes) throws IOException {
        return CodeOrigin.here(
                        CLASSES, Arrays.stream(classes).map(Class::getName).toList())
                .lines();
    }

    /** An execution of {@link #OPERATION} in some transaction that executes an instruction of each of these lines. */
    static void addExecution(List<String> text, String transaction, int number, List<Integer> lines) {
        text.add("operation " + number + " " + transaction + ": " + OPERATION);
        text.add("execution " + number + " " + lines.size());
        lines.forEach(line -> text.add(Integer.toHexString(LINE_BYTES * line) + " 4"));
    }

    /** Writes a file to its end. */
    static Path end(Path file, List<String> text) throws IOException {
        List<String> all = new ArrayList<>(text);
        all.add(TraceFile.END);
        return Files.write(file, all);
    }
}
