package dev.lockstep.bench.report;

import dev.lockstep.tpcc.TpccProgress.Phase;
import java.io.PrintStream;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows how a run gets on: a bar on a terminal, nothing elsewhere. Used by one thread. */
public final class ProgressView implements AutoCloseable {
    private static final int UPDATE_MILLIS = 200;

    private final PrintStream out;
    private final boolean bars;
    private final String title;
    private ProgressBar bar;
    private Phase phase;

    /**
     * Shows one run.
     *
     * @param out standard error, so that standard output holds the result alone
     * @param title names the run
     */
    public ProgressView(PrintStream out, String title) {
        this.out = out;
        this.title = title;
        this.bars = Terminal.isStandardError();
    }

    /** Shows one line of progress. */
    public void show(ProgressLine line) {
        if (line.phase() != phase) {
            phase = line.phase();
            begin();
        }
        if (bar != null && line.total() > 0) {
            bar.maxHint(line.total());
            bar.stepTo(line.done());
            if (line.transactions() > 0) {
                bar.setExtraMessage(String.format(Locale.ROOT, " %,d transactions", line.transactions()));
            }
        }
    }

    private void begin() {
        closeBar();
        if (bars) {
            bar = new ProgressBarBuilder()
                    .setTaskName(title + " " + words(phase))
                    .setInitialMax(-1)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(UPDATE_MILLIS)
                    .setConsumer(new ConsoleProgressBarConsumer(out))
                    .clearDisplayOnFinish()
                    .build();
        }
    }

    private static String words(Phase phase) {
        return switch (phase) {
            case LOAD -> "loads";
            case CHECK_LOADED -> "checks what was loaded";
            case WARM_UP -> "warms up";
            case MEASURE -> "measures";
            case CHECK_RESULT -> "checks the result";
        };
    }

    /** Shows what the child printed for the user. */
    public void message(String line) {
        out.println(line);
    }

    private void closeBar() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    @Override
    public void close() {
        closeBar();
    }
}
