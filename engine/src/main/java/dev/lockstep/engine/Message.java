package dev.lockstep.engine;

import java.util.HexFormat;

/**
 * Builds the message of an exception: a sentence, {@code name=value} pairs, and the remedy.
 *
 * <pre>{@code
 * throw new DuplicateKeyException(Message.of("The primary key exists already")
 *         .with("table", name)
 *         .with("keyBytes", length)
 *         .remedy("Choose another key or update the row."));
 * // The primary key exists already: table=ITEM, keyBytes=4. Remedy: Choose another key or update the row.
 * }</pre>
 *
 * <p>Values are shown so that a message stays one readable line: text with blanks, commas or control characters is
 * quoted and escaped, byte arrays are hexadecimal, and both are cut at {@link #VALUE_CHARACTERS_MAX} characters. Not
 * thread-safe; made only on the way to an exception, so it may allocate.
 */
public final class Message {
    /**
     * Longest value shown. Long enough for a path or a name, short enough that a 16 MB string stays out of a log line.
     */
    public static final int VALUE_CHARACTERS_MAX = 200;

    private static final String CUT = "...";

    private final StringBuilder text;
    private boolean hasPairs;

    private Message(String sentence) {
        text = new StringBuilder(sentence);
    }

    /**
     * Begins a message.
     *
     * @param sentence what happened, without a full stop at the end
     * @return the message so far
     */
    public static Message of(String sentence) {
        return new Message(sentence);
    }

    /**
     * Adds a pair.
     *
     * @param name what the value is, in lower camel case with its unit last
     * @param value the value; arrays of bytes are shown in hexadecimal, null as {@code null}
     * @return this message
     */
    public Message with(String name, Object value) {
        text.append(hasPairs ? ", " : ": ").append(name).append('=');
        hasPairs = true;
        if (value instanceof byte[] bytes) {
            appendHexadecimal(bytes);
        } else if (value instanceof Throwable failure) {
            appendText(failure.toString());
        } else {
            appendText(String.valueOf(value));
        }
        return this;
    }

    /**
     * Adds a pair.
     *
     * @param name what the value is, in lower camel case with its unit last
     * @param value the value
     * @return this message
     */
    public Message with(String name, long value) {
        text.append(hasPairs ? ", " : ": ").append(name).append('=').append(value);
        hasPairs = true;
        return this;
    }

    /**
     * Ends the message with what the reader can do.
     *
     * @param remedy one or more sentences
     * @return the whole message
     */
    public String remedy(String remedy) {
        return text + ". Remedy: " + remedy;
    }

    /**
     * The message without a remedy, for failures that have none.
     *
     * @return the sentence and its pairs
     */
    @Override
    public String toString() {
        return text.toString();
    }

    private void appendHexadecimal(byte[] bytes) {
        int shownBytes = Math.min(bytes.length, VALUE_CHARACTERS_MAX / 2);
        text.append("0x").append(HexFormat.of().formatHex(bytes, 0, shownBytes));
        if (shownBytes < bytes.length) {
            text.append(CUT);
        }
    }

    private void appendText(String value) {
        int shown = Math.min(value.length(), VALUE_CHARACTERS_MAX);
        boolean quoted = value.isEmpty();
        for (int i = 0; i < shown && !quoted; i++) {
            char c = value.charAt(i);
            quoted = c <= ' ' || c == ',' || c == '"' || c == 0x7f;
        }
        if (!quoted) {
            text.append(value, 0, shown);
        } else {
            text.append('"');
            for (int i = 0; i < shown; i++) {
                appendEscaped(value.charAt(i));
            }
            text.append('"');
        }
        if (shown < value.length()) {
            text.append(CUT);
        }
    }

    private void appendEscaped(char c) {
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> {
                if (c < ' ' || c == 0x7f) {
                    text.append("\\u").append(HexFormat.of().toHexDigits(c));
                } else {
                    text.append(c);
                }
            }
        }
    }
}
