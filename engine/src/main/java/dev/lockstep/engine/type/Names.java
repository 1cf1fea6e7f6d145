package dev.lockstep.engine.type;

import dev.lockstep.engine.Message;
import dev.lockstep.engine.SchemaException;

/**
 * The rule for names of tables, indexes and columns: 1 to {@link #NAME_CHARACTERS_MAX} characters, well-formed, without
 * control characters. Names are case-sensitive.
 */
public final class Names {
    /**
     * Longest name. SQL engines allow 63 to 128; at three bytes a character a name stays below 400 bytes, so that the
     * catalog's entry for a usual table fits into one page.
     */
    public static final int NAME_CHARACTERS_MAX = 128;

    private Names() {}

    /**
     * Checks a name.
     *
     * @param what what is named, for the message
     * @param name the name
     * @return the name
     * @throws SchemaException if it breaks the rule
     */
    public static String require(String what, String name) {
        boolean valid = name != null && !name.isEmpty() && name.length() <= NAME_CHARACTERS_MAX;
        for (int i = 0; valid && i < name.length(); i++) {
            valid = !Character.isISOControl(name.charAt(i));
        }
        if (!valid || Utf8.lengthBytes(name) == Utf8.MALFORMED) {
            throw new SchemaException(Message.of("A name is not valid")
                    .with(what, name)
                    .with("charactersMax", NAME_CHARACTERS_MAX)
                    .remedy("Use a name of 1 to 128 characters without control characters."));
        }
        return name;
    }
}
