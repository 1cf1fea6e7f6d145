package dev.lockstep.bench.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.engine.ProgressListener.Stage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLinesTest {
    @Test
    void aLineForEachTenthAndForWhatBegins() {
        StringWriter out = new StringWriter();
        ProgressLines lines = new ProgressLines(new PrintWriter(out));
        lines.progressed(Stage.READ_PAGES, 0, 2_000);
        lines.progressed(Stage.READ_PAGES, 199, 2_000);
        lines.progressed(Stage.READ_PAGES, 1_024, 2_000);
        lines.progressed(Stage.SAVE_ROWS, 0, 0);
        lines.progressed(Stage.SAVE_ROWS, 5, 0);
        assertEquals(
                List.of(
                        "lockstep: 0 of 2,000 pages read",
                        "lockstep: 1,024 of 2,000 pages read",
                        "lockstep: 0 rows saved"),
                out.toString().lines().toList());
    }
}
