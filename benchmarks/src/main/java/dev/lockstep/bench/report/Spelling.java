package dev.lockstep.bench.report;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How constants are spelled on the command line and in results: {@code READ_COMMITTED} as {@code read-committed}. */
public final class Spelling {
    private Spelling() {}

    /** The spelling of a constant. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A map with its constants spelled, in the order of the spellings. */
    public static <V> Map<String, V> keys(Map<? extends Enum<?>, ? extends V> byConstant) {
        Map<String, V> spelled = new TreeMap<>();
        byConstant.forEach((constant, value) -> spelled.put(of(constant), value));
        return spelled;
    }

    /** All constants of a type, separated by commas. */
    public static String all(Class<? extends Enum<?>> type) {
        return Stream.of(type.getEnumConstants()).map(Spelling::of).collect(Collectors.joining(", "));
    }

    /**
     * Finds a constant by its spelling, in any case.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static <E extends Enum<E>> E parse(Class<E> type, String text) {
        for (E constant : type.getEnumConstants()) {
            if (of(constant).equalsIgnoreCase(text) || constant.name().equalsIgnoreCase(text)) {
                return constant;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is none of: " + all(type));
    }
}
