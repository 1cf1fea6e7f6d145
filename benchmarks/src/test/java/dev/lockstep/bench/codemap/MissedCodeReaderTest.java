package dev.lockstep.bench.codemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.lockstep.bench.simulate.MissedCode;
import dev.lockstep.bench.simulate.MissedCode.Misses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where code missed, from files made by hand: a method with another one inlined into it, compiled twice. */
class MissedCodeReaderTest {
    private static final String EVENTS =
            """
            lockstep-code-events 1
            v 25
            m 1 a/B outer ()V
            m 2 a/B inner (J)J
            m 3 a/C other ()V
            f 1 0 1 4 10
            f 2 1 2 0 20
            f 3 0 2 0 20
            D 1 9000 256 Interpreter
            L 4 1000 64 4 1 1
            p 16 1
            p 32 2
            U 5 1000
            L 6 1000 64 4 2 3
            L 7 2000 64 4 3 2
            p 64 3
            r 20000 30000 /opt/jdk/lib/server/libjvm.so
            end
            """;

    private static final String LINES =
            """
            lockstep-code-lines 5
            b 1008 20 4 4
            b 1020 8 2 6
            b 2000 8 2 7
            b 9010 16 7 0
            b 20010 16 9 0
            b 60000 16 12 0
            c 1 3 carrier
            0 5 5
            m 0 4 1 0 0 0 0
            m 0 10 2 3 1 1 6
            m 1 0 40 0 0 0 0
            m 2 0 100 0 0 0 0
            c 1 0 client
            m 2 7 10 0 0 0 2
            m 3 0 7 0 0 0 0
            m 4 2 0 9 0 0 0
            m 5 0 1 1 0 0 1
            c 0 0 client
            m 2 0 1000 0 0 0 0
            end
            """;

    @TempDir
    Path directory;

    private static Map<String, Misses> byName(List<MissedCode.Place> places) {
        return places.stream().collect(Collectors.toMap(MissedCode.Place::name, MissedCode.Place::misses));
    }

    private MissedCode missed(String lines) throws IOException {
        return new MissedCodeReader()
                .executed(
                        Files.writeString(directory.resolve("lines.txt"), lines),
                        Files.writeString(directory.resolve("events.txt"), EVENTS),
                        1)
                .missed();
    }

    /** Only threads that are simulated have misses at all. */
    @Test
    void whatTheJvmsOwnThreadsMissIsPartOfTheTotals() throws IOException {
        MissedCode code = missed(LINES.replace("c 0 0 client", "c 1 0 collector\nm 2 0 1000 0 0 0 0\nc 0 0 client"));
        assertEquals(new Misses(1161, 13, 1, 1, 9), code.totals());
    }

    @Test
    void findsMethodLineAndChainOfWhatLayThereThen() throws IOException {
        MissedCode code = missed(LINES);
        assertEquals(new Misses(161, 13, 1, 1, 9), code.totals());
        assertEquals(new Misses(1, 1, 0, 0, 1), code.unresolved());
        assertEquals(2.0 / 174, code.unresolvedShare());
        assertEquals(
                Map.of(
                        "a.B.outer", new Misses(1, 0, 0, 0, 0),
                        "a.B.inner", new Misses(112, 3, 1, 1, 8),
                        // Of epoch 6 the address holds the method that was compiled there then.
                        "a.C.other", new Misses(40, 0, 0, 0, 0),
                        "Interpreter (Java, interpreted)", new Misses(7, 0, 0, 0, 0),
                        "libjvm.so (JVM, C++)", new Misses(0, 9, 0, 0, 0),
                        "unresolved", new Misses(1, 1, 0, 0, 1)),
                byName(code.methods()));
        assertEquals(new Misses(112, 3, 1, 1, 8), byName(code.lines()).get("a.B.inner:20"));
        assertEquals(new Misses(2, 3, 1, 1, 6), byName(code.chains()).get("a.B.outer:10 > a.B.inner:20"));
        assertEquals(new Misses(110, 0, 0, 0, 2), byName(code.chains()).get("a.B.inner:20"));
    }

    @Test
    void ranksByTheLevelThatIsAskedFor() throws IOException {
        List<MissedCode.Place> methods = missed(LINES).methods();
        assertEquals(
                "a.B.inner", MissedCode.most(methods, Misses::l1i, 1).getFirst().name());
        assertEquals(
                "libjvm.so (JVM, C++)",
                MissedCode.most(methods, Misses::l1d, 1).getFirst().name());
        assertEquals(1, MissedCode.most(methods, Misses::l2, 9).size(), "without those that missed nothing");
    }

    @Test
    void refusesMissesOfNoBlock() {
        for (String damaged : new String[] {
            LINES.replace("m 5 0", "m 9 0"),
            LINES.replace("m 5 0 1 1 0 0", "m 5 0 1 1"),
            LINES.replace("c 1 3 carrier\n", "")
        }) {
            assertThrows(CodeFormatException.class, () -> missed(damaged), damaged);
        }
    }
}
