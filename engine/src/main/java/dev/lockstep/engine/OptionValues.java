package dev.lockstep.engine;

import java.time.Duration;

/** Checks values of options one by one. */
final class OptionValues {
    private OptionValues() {}

    /**
     * @throws InvalidOptionException if the value is null
     */
    static <T> T requireSet(String name, T value) {
        if (value == null) {
            throw new InvalidOptionException(Message.of("The option is null")
                    .with(name, null)
                    .remedy("Give it a value, or leave it out to get the default."));
        }
        return value;
    }

    /**
     * @throws InvalidOptionException if the value is not from min to max
     */
    static long requireRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw outOfRange(name, value, min, max);
        }
        return value;
    }

    /**
     * @throws InvalidOptionException if the value is null, or not from min to max
     */
    static Duration requireRange(String name, Duration value, Duration min, Duration max) {
        requireSet(name, value);
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw outOfRange(name, value, min, max);
        }
        return value;
    }

    static InvalidOptionException outOfRange(String name, Object value, Object min, Object max) {
        return new InvalidOptionException(Message.of("The option is out of its range")
                .with(name, value)
                .with("min", min)
                .with("max", max)
                .remedy("Give a value within the range."));
    }
}
