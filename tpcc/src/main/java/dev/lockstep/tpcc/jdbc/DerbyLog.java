package dev.lockstep.tpcc.jdbc;

import java.io.OutputStream;

/** Where Derby writes its log: nowhere, in place of a file in the working directory. Derby calls it by its name. */
public final class DerbyLog {
    /** The value of Derby's property that names the method. */
    static final String METHOD = "dev.lockstep.tpcc.jdbc.DerbyLog.discarded";

    private DerbyLog() {}

    /** A stream that forgets; what went wrong is in the exceptions. */
    public static OutputStream discarded() {
        return OutputStream.nullOutputStream();
    }
}
