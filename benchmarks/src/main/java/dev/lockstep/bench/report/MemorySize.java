package dev.lockstep.bench.report;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes as a user writes it: {@code 64m}, {@code 2g}.
 *
 * @param bytes more than 0
 */
public record MemorySize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})([kmgt]?)(i?b)?");
    private static final String UNITS = " kmgt";
    private static final int BITS_PER_UNIT = 10;

    /**
     * Reads what a user writes.
     *
     * @throws IllegalArgumentException if it is no size, with a sentence for the user
     */
    public static MemorySize parse(String text) {
        Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no size: write a number and k, m, g or t, like 512m");
        }
        int shift = matcher.group(2).isEmpty() ? 0 : BITS_PER_UNIT * UNITS.indexOf(matcher.group(2));
        long number = Long.parseLong(matcher.group(1));
        if (number == 0 || number > Long.MAX_VALUE >> shift) {
            throw new IllegalArgumentException(
                    "'" + text + "' is out of range: a size is 1 to " + Long.MAX_VALUE + " bytes");
        }
        return new MemorySize(number << shift);
    }

    /** For picocli. */
    public static final class Converter implements ITypeConverter<MemorySize> {
        /** For picocli. */
        public Converter() {}

        @Override
        public MemorySize convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
