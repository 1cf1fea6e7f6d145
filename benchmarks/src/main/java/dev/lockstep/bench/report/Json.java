package dev.lockstep.bench.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Results and specifications as JSON. Thread-safe. */
public final class Json {
    private static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Of results: what is no number, such as a part of nothing, is null and not a text. */
    private static final ObjectMapper RESULT_MAPPER = MAPPER.copy()
            .registerModule(new SimpleModule()
                    .addSerializer(double.class, new FiniteSerializer())
                    .addSerializer(Double.class, new FiniteSerializer()));

    private static final class FiniteSerializer extends StdScalarSerializer<Double> {
        private static final long serialVersionUID = 1;

        private FiniteSerializer() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                generator.writeNumber(value);
            } else {
                generator.writeNull();
            }
        }
    }

    /** Twelve hex digits: two of a million different configurations collide once in 500 such sets. */
    private static final int HASH_BYTES = 6;

    private Json() {}

    /**
     * Writes a file whole at once, so that a failure leaves no half of a result behind.
     *
     * @throws IOException if the file cannot be written
     */
    public static void write(Path file, Object value) throws IOException {
        WholeFile.write(file, MAPPER.writeValueAsString(value) + "\n");
    }

    /**
     * Writes a result for its user, as {@link #write(Path, Object)} but with null for numbers that are not finite. A
     * program of ours that reads them back would take these for 0.
     *
     * @throws IOException if the file cannot be written
     */
    public static void writeResult(Path file, Object value) throws IOException {
        WholeFile.write(file, RESULT_MAPPER.writeValueAsString(value) + "\n");
    }

    /**
     * Writes figures, as {@link #writeResult(Path, Object)} does, with where they come from, as {@code origin} before
     * all else.
     *
     * @param figures that are an object in JSON, without an {@code origin} of its own
     * @throws IOException if the file cannot be written
     */
    public static void writeResult(Path file, Origin origin, Object figures) throws IOException {
        ObjectNode all = RESULT_MAPPER.createObjectNode();
        all.set("origin", RESULT_MAPPER.valueToTree(origin));
        all.setAll(RESULT_MAPPER.<ObjectNode>valueToTree(figures));
        writeResult(file, all);
    }

    /**
     * Reads what {@link #write(Path, Object)} wrote.
     *
     * @throws IOException if the file cannot be read, or is no JSON of this type
     */
    public static <T> T read(Path file, Class<T> type) throws IOException {
        return MAPPER.readValue(file.toFile(), type);
    }

    /** A short hash of a value's JSON. */
    public static String hash(Object value) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(MAPPER.writeValueAsString(value).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException | JsonProcessingException e) {
            throw new IllegalStateException(
                    "cannot hash type=" + value.getClass().getName(), e);
        }
    }
}
