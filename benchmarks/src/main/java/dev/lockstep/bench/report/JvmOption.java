package dev.lockstep.bench.report;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts an option of child JVMs: a word that is none would pass for the name of their main class. */
public final class JvmOption implements ITypeConverter<String> {
    /** For picocli. */
    public JvmOption() {}

    @Override
    public String convert(String text) {
        if (!text.startsWith("-")) {
            throw new TypeConversionException("'" + text + "' is no option of a JVM: these begin with -, like -Xint");
        }
        return text;
    }
}
