package dev.lockstep.bench.report;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts a word of the command line to the constant that {@link Spelling} spells so; a word that is none is a wrong
 * call, answered with those there are. Picocli makes converters by their class, so each type has a subclass. Immutable.
 *
 * @param <E> the type of the constant
 */
public abstract class SpelledConstant<E extends Enum<E>> implements ITypeConverter<E> {
    private final Class<E> type;

    /** For one type. */
    protected SpelledConstant(Class<E> type) {
        this.type = type;
    }

    @Override
    public final E convert(String text) {
        try {
            return Spelling.parse(type, text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
