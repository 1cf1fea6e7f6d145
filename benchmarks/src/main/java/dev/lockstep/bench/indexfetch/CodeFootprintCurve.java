package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.report.Figures;
import dev.lockstep.bench.report.Section;
import java.util.List;

/**
 * What teams gain by the code that an operation executes.
 *
 * @param ownBytes of the operation's own usual code, by the code map of a simulated run; null where none was made
 * @param paddings in ascending order, code beside the operation's own
 */
record CodeFootprintCurve(Long ownBytes, List<PaddedTimes> paddings) {
    CodeFootprintCurve {
        paddings = List.copyOf(paddings);
    }

    /** What was measured of the operation as it is, or null. */
    FetchTimesReport plainTimesOrNull() {
        return paddings.getFirst().paddingBytes() == 0 ? paddings.getFirst().times() : null;
    }

    /** The table and the plots. */
    Section section() {
        return new GainSection(
                        "code-footprint",
                        List.of("further code, bytes", "compiled, bytes", "pieces"),
                        "bytes of code beside the operation's own",
                        paddings.stream()
                                .map(each -> new GainSection.Point(
                                        List.of(
                                                Figures.plain(each.paddingBytes()),
                                                Figures.plain((double) each.compiledBytes()),
                                                Figures.plain(each.pieces())),
                                        each.times()))
                                .toList())
                .section(
                        "Gain against code footprint",
                        "Each operation executes so much straight code before its own, in pieces of about "
                                + Figures.plain(PaddingCode.PIECE_BYTES) + " bytes; compiled: what C2 made of it."
                                + " Members of a team switch behind each piece, of a staged team each piece is a"
                                + " stage, serial has as many switches behind the operation, original and inserted"
                                + " have none for it. "
                                + (ownBytes == null
                                        ? "The operation's own code is counted with --measure all."
                                        : "The operation's own usual code has " + Figures.plain((double) ownBytes)
                                                + " bytes, by the code map of the simulated run."));
    }
}
