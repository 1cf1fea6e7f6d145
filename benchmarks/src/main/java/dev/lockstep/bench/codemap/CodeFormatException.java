package dev.lockstep.bench.codemap;

import java.io.IOException;
import java.nio.file.Path;

/** A file that is not what it should be: of another kind or version, damaged, or cut short. */
public final class CodeFormatException extends IOException {
    private static final long serialVersionUID = 1;

    /**
     * With what is wrong.
     *
     * @param remedy what to do about it
     */
    public CodeFormatException(String what, Path file, String remedy) {
        super(what + ": file=" + file + "; " + remedy);
    }

    static CodeFormatException atLine(Path file, long line, String text, String remedy) {
        return new CodeFormatException("a line cannot be read: line=" + line + " text=\"" + text + "\"", file, remedy);
    }
}
