package dev.lockstep.bench.prove;

import dev.lockstep.bench.report.Paragraph;
import dev.lockstep.bench.report.Section;

/** The most memory outside of the heap that any input has taken, of all children together. Used by one thread. */
final class FuzzPeak {
    private static final long MEGABYTE = 1 << 20;

    private long bytes;
    private boolean seen;
    private boolean unseen;

    /** An input took so much; {@link ProcessMemory#UNKNOWN} if its child could not say. */
    void saw(long nativeBytes) {
        if (nativeBytes == ProcessMemory.UNKNOWN) {
            unseen = true;
        } else {
            seen = true;
            bytes = Math.max(bytes, nativeBytes);
        }
    }

    /** Puts it into a report, in megabytes that are rounded up, or says that nobody could look. */
    void tell(ProofReport.Builder report) {
        if (seen) {
            report.count(FuzzProof.NATIVE_MEGABYTES, (bytes + MEGABYTE - 1) / MEGABYTE);
        }
        if (unseen) {
            report.section(Section.of(
                    "Not seen",
                    new Paragraph("Native memory was not looked at: this system does not say what a process holds.")));
        }
    }
}
