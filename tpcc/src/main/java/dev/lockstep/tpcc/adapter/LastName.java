package dev.lockstep.tpcc.adapter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.Map;

/** One of the thousand last names of clause 4.3.2.3: three syllables chosen by the digits of a number. */
public final class LastName {
    private static final String[] SYLLABLES = {
        "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
    };

    private static final LastName[] ALL = new LastName[TpccScale.LAST_NAMES];

    private static final Map<String, LastName> BY_STRING = new HashMap<>();

    static {
        for (int number = 0; number < ALL.length; number++) {
            ALL[number] = new LastName(number);
            BY_STRING.put(ALL[number].string, ALL[number]);
        }
    }

    private final int number;
    private final String string;
    private final byte[] bytes;

    private LastName(int number) {
        this.number = number;
        this.string = SYLLABLES[number / 100] + SYLLABLES[number / 10 % 10] + SYLLABLES[number % 10];
        this.bytes = string.getBytes(ISO_8859_1);
    }

    /** The name of a number from 0 to 999. */
    public static LastName of(int number) {
        return ALL[number];
    }

    /**
     * The number of a name.
     *
     * @throws IllegalArgumentException if it is none of the thousand
     */
    public static int numberOf(String name) {
        LastName found = BY_STRING.get(name);
        if (found == null) {
            throw new IllegalArgumentException("not made of three syllables of clause 4.3.2.3 lastName=" + name);
        }
        return found.number;
    }

    /** The number it is made of, from 0 to 999. */
    public int number() {
        return number;
    }

    /** The name; the same object each time. */
    public String string() {
        return string;
    }

    /** Makes a text show the name, without copying. */
    public void to(Text text) {
        text.wrap(bytes, 0, bytes.length);
    }

    @Override
    public String toString() {
        return string;
    }
}
