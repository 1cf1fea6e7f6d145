package dev.lockstep.bench.autosteps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Code to place points in, and hand-made traces of it: an instruction each in lines of 16 bytes, one after another. */
final class TracedCode {
    static final String OPERATION = "fetch row";
    static final int OPERATION_NUMBER = 7;

    private static final String RUN = TracedCode.class.getName() + ".run()I@";
    private static final int LINE_BYTES = 16;

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
        List<String> text =
                new ArrayList<>(List.of(TraceFile.HEADER, "operation " + OPERATION_NUMBER + " Payment: " + OPERATION));
        places.forEach((line, place) -> text.add("place " + Integer.toHexString(LINE_BYTES * line) + " " + place));
        text.add("execution " + OPERATION_NUMBER + " " + lines);
        for (int line = 0; line < lines; line++) {
            text.add(Integer.toHexString(LINE_BYTES * line) + " 4");
        }
        return Files.write(file, text);
    }
}
