package dev.lockstep.system.style;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Whether the table of ARCHITECTURE.md has every field whose order of accesses matters. */
class MemoryOrderingTest {
    private static final List<String> MODULES = List.of("engine", "scheduler");
    private static final String TITLE = "## Memory-ordering table";
    private static final String NEXT_TITLE = "\n## ";
    private static final String ATOMIC = "Ljava/util/concurrent/atomic/Atomic";

    /** A field that is volatile or atomic. */
    private record Ordered(String type, String field) {
        /** Whether the first cell of one of these rows has both names. */
        boolean isIn(List<String> rows) {
            return rows.stream().anyMatch(row -> names(row, type) && names(row, field));
        }

        private static boolean names(String row, String name) {
            return Pattern.compile("(?<!\\w)" + Pattern.quote(name) + "(?!\\w)")
                    .matcher(row)
                    .find();
        }
    }

    private static List<String> rows(String document) {
        int begin = document.indexOf(TITLE);
        int end = document.indexOf(NEXT_TITLE, begin + TITLE.length());
        return document.substring(begin, end < 0 ? document.length() : end)
                .lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.split("\\|", -1)[1])
                .toList();
    }

    private static List<Ordered> fields(byte[] classFile) {
        ClassModel model = ClassFile.of().parse(classFile);
        String name = model.thisClass().asInternalName();
        String simple = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('$')) + 1);
        return model.fields().stream()
                .filter(MemoryOrderingTest::isOrdered)
                .map(field -> new Ordered(simple, field.fieldName().stringValue()))
                .toList();
    }

    private static boolean isOrdered(FieldModel field) {
        return field.flags().has(AccessFlag.VOLATILE)
                || field.fieldType().stringValue().startsWith(ATOMIC);
    }

    @Test
    void theTableHasEveryVolatileAndEveryAtomicField() throws IOException {
        List<String> rows = rows(Files.readString(Project.root().resolve("ARCHITECTURE.md")));
        List<Ordered> missing = new ArrayList<>();
        for (Path file : MODULES.stream()
                .flatMap(module -> Project.classes(module).stream())
                .toList()) {
            fields(Files.readAllBytes(file)).stream()
                    .filter(field -> !field.isIn(rows))
                    .forEach(missing::add);
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void aFieldIsFoundByItsOwnNameAlone() throws IOException {
        byte[] sample;
        try (var stream = MemoryOrderingTest.class.getResourceAsStream("MemoryOrderingTest$Sample.class")) {
            sample = stream.readAllBytes();
        }
        List<Ordered> found = fields(sample);
        assertEquals(List.of(new Ordered("Sample", "state")), found);
        assertTrue(found.getFirst().isIn(table("`Sample.other`, `state`")));
        assertFalse(found.getFirst().isIn(table("`Sample.states`")));
        assertFalse(found.getFirst().isIn(table("`Other.state`")));
    }

    private static List<String> table(String cell) {
        return rows(TITLE + "\n| " + cell + " | volatile | volatile | a reason that names Sample.state |\n");
    }

    @SuppressWarnings("unused") // Its class file is read.
    private static final class Sample {
        private volatile int state;
        private int plain;
    }
}
