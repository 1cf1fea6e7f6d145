package dev.lockstep.bench.simulate;

import dev.lockstep.bench.process.Verdict;
import java.nio.file.Path;
import java.util.List;

/**
 * A simulated JVM that noted what it executed. Immutable.
 *
 * @param name what it ran
 * @param verdict how far to believe it, or null if nobody judged it
 * @param lines file of the plugin
 * @param events file of the agent
 * @param phase that a report is about
 * @param operations what its marks stand for; empty where none were made
 * @param flags command line of the JVM, empty where it is not known
 */
public record CodeRun(
        String name,
        Verdict verdict,
        Path lines,
        Path events,
        int phase,
        List<MarkedOperation> operations,
        List<String> flags) {
    /** Takes own copies. */
    public CodeRun {
        operations = List.copyOf(operations);
        flags = List.copyOf(flags);
    }

    /** The same, judged, under the name of the verdict. */
    CodeRun judged(Verdict how) {
        return new CodeRun(how.run(), how, lines, events, phase, operations, flags);
    }
}
