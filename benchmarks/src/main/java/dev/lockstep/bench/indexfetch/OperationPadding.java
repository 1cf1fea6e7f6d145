package dev.lockstep.bench.indexfetch;

import dev.lockstep.scheduler.InstalledProbe;
import dev.lockstep.scheduler.OperationProbe;
import dev.lockstep.scheduler.SThread;
import java.util.List;

/**
 * Makes the code of an operation larger: where an S-thread begins it, in its team if it has one, it first executes so
 * many bytes of straight code, with a switch point behind each piece. Members of a team share the code. Other threads
 * than S-threads execute nothing here.
 *
 * <p>Unlike other probes it gives up the carrier: inside the operation and on the S-thread's own stack, as the
 * operation's own switch points do, and behind {@link SThread#beginOperation}, which may have done so just before.
 */
public final class OperationPadding implements OperationProbe {
    private static final String BYTES = "dev.lockstep.bench.indexfetch.operationPadding";
    private static final String OPERATION = "dev.lockstep.bench.indexfetch.paddedOperation";

    private static final int PADDED = 1;
    private static final int NOT_PADDED = 2;

    private final PaddingCode code;
    private final String padded;

    /** For the service loader. */
    public OperationPadding() {
        this(new PaddingCode(Integer.getInteger(BYTES)), System.getProperty(OPERATION));
    }

    OperationPadding(PaddingCode code, String padded) {
        this.code = code;
        this.padded = padded;
    }

    /**
     * By which a JVM has so many bytes in each operation of its S-threads.
     *
     * @param name under which the scheduler knows the operation; without blanks and commas at its ends
     */
    static List<String> options(int bytes, String name) {
        return List.of(
                "-D" + InstalledProbe.PROPERTY + "=" + OperationPadding.class.getName(),
                "-D" + BYTES + "=" + bytes,
                "-D" + OPERATION + "=" + name);
    }

    @Override
    public int number(String name) {
        return name.equals(padded) ? PADDED : NOT_PADDED;
    }

    @Override
    public void begin(SThread sThread, int number) {
        if (sThread == null || number != PADDED) {
            return;
        }
        for (int piece = 0; piece < code.pieces(); piece++) {
            code.run(piece);
            sThread.switchPoint();
        }
    }

    @Override
    public void end(SThread sThread) {
        // The operation has begun with its padding.
    }

    @Override
    public void left(SThread sThread) {
        // Nothing of the padding.
    }

    @Override
    public void resumed(SThread sThread) {
        // Nothing of the padding.
    }
}
