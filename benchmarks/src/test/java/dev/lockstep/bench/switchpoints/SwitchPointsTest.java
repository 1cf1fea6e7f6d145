package dev.lockstep.bench.switchpoints;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.scheduler.CodeFootprints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of switch points. */
class SwitchPointsTest {
    private static final String CLASS = SwitchPointsTest.class.getName();
    private static final ClassBytes CLASSES = new ClassBytes(SwitchPointsTest.class.getClassLoader());

    @TempDir
    private Path directory;

    private static SwitchPoints points() throws IOException {
        return SwitchPoints.of(
                "32K,8,64",
                CLASSES,
                List.of(
                        new SwitchPoint("fetch order line", CLASS, "points", "()V", 0),
                        new SwitchPoint("commit", CLASS, "<init>", "(IJ)V", 65_534)));
    }

    private Path written() throws IOException {
        Path file = directory.resolve("points.txt");
        points().write(file);
        return file;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        SwitchPoints read = SwitchPoints.read(written());
        assertEquals(points().points(), read.points());
        assertEquals("32K,8,64", read.cache());
        assertEquals(CodeFootprints.thisJvm(), read.origin().jvm());
        assertEquals(List.of(CLASS), read.classNames());
        assertEquals(2, read.ofClass(CLASS).size());
        assertEquals(List.of(), read.ofClass("Other"));
        assertDoesNotThrow(read.origin()::requireThisJvm);
        read.origin().requireUnchanged(CLASS, CLASSES.require(CLASS));
    }

    private SwitchPointException refused(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("points.txt"), text);
        SwitchPointException refused = assertThrows(SwitchPointException.class, () -> SwitchPoints.read(file));
        assertTrue(refused.getMessage().contains("file=" + file), refused.getMessage());
        return refused;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "lockstep-switch-points 2\nend\n",
                "lockstep-switch-points 1\n",
                "lockstep-switch-points 1\nother\nend\n",
                "lockstep-switch-points 1\nclass 00\nend\n",
                "lockstep-switch-points 1\npoint 0 find ()V fetch\nend\n",
                "lockstep-switch-points 1\nclass 00 A\npoint 0 find ()V\nend\n",
                "lockstep-switch-points 1\nclass 00 A\npoint x find ()V fetch\nend\n",
                "lockstep-switch-points 1\nclass 00 A\npoint -1 find ()V fetch\nend\n",
                "lockstep-switch-points 1\nclass 00 A\npoint 65535 find ()V fetch\nend\n",
                "lockstep-switch-points 1\nclass 00 A\npoint 0 find ()V \nend\n"
            })
    void whatIsNoFileOfPointsIsRefused(String text) throws IOException {
        assertEquals(Reason.FORMAT, refused(text).reason());
    }

    @Test
    void noPrefixOfAFileIsTakenForAWholeOne() throws IOException {
        String whole = Files.readString(written());
        for (int length = 0; length < whole.length() - "\n".length(); length++) {
            assertEquals(Reason.FORMAT, refused(whole.substring(0, length)).reason(), "length=" + length);
        }
    }

    @Test
    void anotherJvmIsRefused() throws IOException {
        String whole = Files.readString(written());
        Path file = Files.writeString(
                directory.resolve("other.txt"), whole.replace(CodeFootprints.thisJvm(), "Some VM 24"));
        SwitchPoints other = SwitchPoints.read(file);
        SwitchPointException refused = assertThrows(SwitchPointException.class, other.origin()::requireThisJvm);
        assertEquals(Reason.JVM, refused.reason());
        assertTrue(refused.getMessage().contains("jvm=\"Some VM 24\""), refused.getMessage());
    }

    @Test
    void aChangedClassIsRefused() throws IOException {
        byte[] bytes = CLASSES.require(CLASS);
        bytes[bytes.length - 1] ^= 1;
        SwitchPoints points = points();
        SwitchPointException refused =
                assertThrows(SwitchPointException.class, () -> points.origin().requireUnchanged(CLASS, bytes));
        assertEquals(Reason.CLASS, refused.reason());
        assertTrue(refused.getMessage().contains("class=" + CLASS), refused.getMessage());
    }

    @Test
    void aClassThatIsNotThereIsRefused() {
        SwitchPoint nowhere = new SwitchPoint("fetch", "no.such.Class", "find", "()V", 0);
        SwitchPointException refused =
                assertThrows(SwitchPointException.class, () -> SwitchPoints.of("32K,8,64", CLASSES, List.of(nowhere)));
        assertEquals(Reason.CLASS, refused.reason());
    }
}
