package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.ProgressView;
import java.io.PrintStream;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how a proof gets on: a bar on a terminal, else a line for each tenth. Used by one thread. */
final class ProgressBarView implements ProofProgress, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;
    private static final int PARTS = 10;

    private final PrintStream out;
    private final String title;
    private final ProgressBar bar;
    private long part = -1;

    /**
     * Shows one proof.
     *
     * @param out standard error, so that standard output holds the result alone
     * @param title names the proof
     */
    ProgressBarView(PrintStream out, String title) {
        this.out = out;
        this.title = title;
        this.bar = ProgressView.onTerminal()
                ? new ProgressBarBuilder()
                        .setTaskName(title)
                        .setInitialMax(-1)
                        .setStyle(ProgressBarStyle.ASCII)
                        .setUpdateIntervalMillis(UPDATE_MILLIS)
                        .setConsumer(new ConsoleProgressBarConsumer(out))
                        .clearDisplayOnFinish()
                        .build()
                : null;
    }

    @Override
    public void step(long done, long total, String activity) {
        if (bar != null) {
            bar.maxHint(total > 0 ? total : -1);
            bar.stepTo(done);
            bar.setExtraMessage(activity.isEmpty() ? "" : " " + activity);
            return;
        }
        long now = total > 0 ? done * PARTS / total : 0;
        if (now != part) {
            part = now;
            out.println(String.format(
                    Locale.ROOT,
                    "lockstep: %s: %,d%s%s",
                    title,
                    done,
                    total > 0 ? String.format(Locale.ROOT, " of %,d", total) : "",
                    activity.isEmpty() ? "" : ", " + activity));
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
