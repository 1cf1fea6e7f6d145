package dev.lockstep.bench.switchpoints;

import java.util.Objects;

/**
 * A place in the bytecode where the members of a team take turns.
 *
 * @param operation that it belongs to, by the name under which the scheduler knows it; in others it does nothing
 * @param className with dots, and {@code $} before a member class
 * @param method its name
 * @param descriptor of the method, such as {@code (J)I}
 * @param bytecodeIndex of the instruction before which the switch goes, from 0
 */
public record SwitchPoint(String operation, String className, String method, String descriptor, int bytecodeIndex) {
    /** Code longer than this no method has. */
    private static final int BYTECODE_INDEX_MAX = 65_534;

    /** Checks that the point can be written on one line. */
    public SwitchPoint {
        requireWord("className", className);
        requireWord("method", method);
        requireWord("descriptor", descriptor);
        Objects.requireNonNull(operation, "operation");
        if (operation.isBlank() || operation.lines().count() != 1) {
            throw new IllegalArgumentException("no name of an operation: operation=\"" + operation
                    + "\"; remedy: name an operation that is registered with the scheduler");
        }
        if (bytecodeIndex < 0 || bytecodeIndex > BYTECODE_INDEX_MAX) {
            throw new IllegalArgumentException("no code is so long: bytecodeIndex=" + bytecodeIndex
                    + " bytecodeIndexMax=" + BYTECODE_INDEX_MAX + "; remedy: search for the point again");
        }
    }

    private static void requireWord(String name, String word) {
        if (word.isEmpty() || word.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException(
                    "no name of Java: " + name + "=\"" + word + "\"; remedy: name a method of a class file");
        }
    }

    @Override
    public String toString() {
        return className + "." + method + descriptor + "@" + bytecodeIndex + " of " + operation;
    }
}
