package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeLayoutTest {
    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("nodes.txt"), text);
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        NodeLayout layout = NodeLayout.read(file("lockstep-nodes 1\n\n# two\nnode 0: 0-2,8\n  node 1: 3 , 4\n"));
        assertEquals(List.of(0, 1, 2, 8), layout.nodes().get(0).processors());
        assertEquals(List.of(3, 4), layout.nodes().get(1).processors());
        assertEquals(List.of("lockstep-nodes 1", "node 0: 0,1,2,8", "node 1: 3,4"), layout.lines());
        assertEquals(layout, NodeLayout.read(Files.write(directory.resolve("again.txt"), layout.lines())));
    }

    @Test
    void carriersAreSpreadOverNodesAndTakeTurnsOnTheirProcessors() throws IOException {
        NodeLayout layout = NodeLayout.read(file("lockstep-nodes 1\nnode 0: 0-2\nnode 1: 8\n"));
        assertEquals(
                List.of(0, 8, 1, 8, 2, 8, 0),
                IntStream.range(0, 7).map(layout::processorOfCarrier).boxed().toList());
        assertEquals(-1, NodeLayout.NONE.processorOfCarrier(3));
    }

    /** Lines are separated by a slash. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                        | firstLine=\"\"",
                "lockstep-nodes 2/node 0: 0                | firstLine=\"lockstep-nodes 2\"; remedy: begin with",
                "lockstep-nodes 1                          | no node is named",
                "lockstep-nodes 1/node 0                   | line=2 text=\"node 0\"",
                "lockstep-nodes 1/node zero: 0             | line=2",
                "lockstep-nodes 1/node 0:                  | line=2",
                "lockstep-nodes 1/node 0: 0,               | line=2",
                "lockstep-nodes 1/node 0: 3-1              | line=2",
                "lockstep-nodes 1/node 0: +1               | line=2",
                "lockstep-nodes 1/node 0: -1               | line=2",
                "lockstep-nodes 1/node 0: 65536            | line=2",
                "lockstep-nodes 1/node 0: 0/knot 1: 1      | line=3",
                "lockstep-nodes 1/node 1: 0                | node=1 nodeExpected=0",
                "lockstep-nodes 1/node 0: 0/node 1: 0      | node=1 processor=0",
            })
    void whatIsNoLayoutIsRefusedWithItsPlace(String text, String part) throws IOException {
        Path file = file(text.replace('/', '\n'));
        String message = assertThrows(NodeLayoutException.class, () -> NodeLayout.read(file))
                .getMessage();
        assertTrue(message.contains(part) && message.contains("file=" + file), message);
    }

    @Test
    void whatCannotBeReadIsRefused() throws IOException {
        Path missing = directory.resolve("missing");
        assertTrue(assertThrows(NodeLayoutException.class, () -> NodeLayout.read(missing))
                .getMessage()
                .contains("file=" + missing));
        Path bytes = Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertTrue(assertThrows(NodeLayoutException.class, () -> NodeLayout.read(bytes))
                .getMessage()
                .contains("UTF-8"));
        Path large = Files.write(directory.resolve("large"), new byte[(1 << 20) + 1]);
        assertTrue(assertThrows(NodeLayoutException.class, () -> NodeLayout.read(large))
                .getMessage()
                .contains("bytesMax=1048576"));
    }
}
