package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Terminal;
import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how a proof gets on: a bar on a terminal, nothing elsewhere. Used by one thread. */
final class ProgressBarView implements ProofProgress, AutoCloseable {
    private static final int UPDATE_MILLIS = 200;

    private final ProgressBar bar;

    /**
     * Shows one proof.
     *
     * @param out standard error, so that standard output holds the result alone
     * @param title names the proof
     */
    ProgressBarView(PrintStream out, String title) {
        this.bar = Terminal.isStandardError()
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
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
