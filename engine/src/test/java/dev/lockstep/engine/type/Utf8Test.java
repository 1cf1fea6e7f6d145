package dev.lockstep.engine.type;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** UTF-8 against the JDK's encoder and decoder. */
class Utf8Test {
    private static final int RANDOM_TEXTS = 200_000;

    @Test
    void everyCodePointAsTheJdkEncodesIt() {
        byte[] target = new byte[6];
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                String text = Character.toString(point);
                byte[] expected = text.getBytes(StandardCharsets.UTF_8);
                assertEquals(expected.length, Utf8.lengthBytes(text));
                int end = Utf8.encode(text, target, 1);
                assertArrayEquals(expected, Arrays.copyOfRange(target, 1, end), text);
                assertEquals(1, Utf8.codePoints(target, 1, expected.length), text);
            }
        }
    }

    @Test
    void unpairedSurrogatesAreMalformed() {
        for (String text : new String[] {"\ud800", "a\udfff", "\ud800a", "\udc00\ud800", "\ud83d\ud83d\ude00"}) {
            assertEquals(Utf8.MALFORMED, Utf8.lengthBytes(text));
        }
    }

    @Test
    void bytesAreJudgedAsTheJdkJudgesThem() {
        RandomSchema schema = new RandomSchema(20_000);
        int[] interesting = {
            0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
            0xF1, 0xF4, 0xF5, 0xFF
        };
        int wellFormed = 0;
        for (int i = 0; i < RANDOM_TEXTS; i++) {
            byte[] bytes = new byte[schema.random.nextInt(20)];
            int asciiBytes = schema.random.nextInt(bytes.length + 1);
            for (int b = 0; b < bytes.length; b++) {
                bytes[b] = (byte) (b < asciiBytes ? 'a' : interesting[schema.random.nextInt(interesting.length)]);
            }
            int expected = jdkCodePoints(bytes);
            assertEquals(expected, Utf8.codePoints(bytes, 0, bytes.length), Arrays.toString(bytes) + schema.replay(i));
            wellFormed += expected > asciiBytes ? 1 : 0;
        }
        assertTrue(wellFormed > RANDOM_TEXTS / 100, "too few well-formed texts: " + wellFormed);
    }

    private static int jdkCodePoints(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.codePointCount(0, text.length());
        } catch (CharacterCodingException malformed) {
            return Utf8.MALFORMED;
        }
    }
}
