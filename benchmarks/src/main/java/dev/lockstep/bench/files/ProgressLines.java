package dev.lockstep.bench.files;

import dev.lockstep.engine.ProgressListener;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * Says how a long call gets on: a line when something else begins to be done, and one for each tenth of it where it is
 * known how much there is. Used by one thread.
 */
final class ProgressLines implements ProgressListener {
    private static final int PARTS = 10;

    private final PrintWriter out;
    private Stage stage;
    private long part;

    /**
     * @param out standard error, so that standard output holds the result alone
     */
    ProgressLines(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void progressed(Stage now, long done, long total) {
        long partNow = total > 0 ? done * PARTS / total : 0;
        if (now == stage && partNow == part) {
            return;
        }
        stage = now;
        part = partNow;
        out.println(String.format(
                Locale.ROOT,
                "lockstep: %,d%s %s",
                done,
                total > 0 ? String.format(Locale.ROOT, " of %,d", total) : "",
                now.words()));
        out.flush();
    }
}
