package dev.lockstep.engine.recovery;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A checkpoint that was written, in a JFR recording. */
@Name("dev.lockstep.Checkpoint")
@Label("Checkpoint")
@Description("A checkpoint was written; its duration is that of writing pages back and of the checkpoint's file")
@Category("Lockstep")
@StackTrace(false)
final class CheckpointEvent extends Event {
    @Label("Recovery Begins At")
    @Description("The LSN from which a recovery would read the log")
    long redoScanLsn;
}
