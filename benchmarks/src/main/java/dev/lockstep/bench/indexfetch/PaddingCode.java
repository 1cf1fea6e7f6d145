package dev.lockstep.bench.indexfetch;

import dev.lockstep.bench.simulate.jvm.StraightCode;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Straight code of known size in pieces of equal size, which operations execute besides their own. Not thread-safe. */
final class PaddingCode {
    /**
     * Long paths that wait for their code gain where members take turns every 30 KB of it. Half of that leaves room
     * beside a piece for the scheduler's code and the operation's own in a first-level cache of 32 KB.
     */
    static final int PIECE_BYTES = 16 << 10;

    private final IntUnaryOperator[] pieces;

    /** Written so that no compiler leaves the code out. */
    private int last;

    /** Generates it; 0 bytes are no pieces. */
    PaddingCode(int bytes) {
        int count = pieces(bytes);
        pieces = IntStream.range(0, count)
                .mapToObj(_ -> StraightCode.wideOfBytes(bytes / count))
                .toArray(IntUnaryOperator[]::new);
    }

    /** Pieces of so many bytes. */
    static int pieces(int bytes) {
        return bytes == 0 ? 0 : Math.max(1, Math.round((float) bytes / PIECE_BYTES));
    }

    /** Generated methods of so many bytes. */
    static int methods(int bytes) {
        int count = pieces(bytes);
        return count == 0 ? 0 : count * StraightCode.methods(bytes / count);
    }

    int pieces() {
        return pieces.length;
    }

    /**
     * Executes one piece.
     *
     * @param piece from 0 to one less than {@link #pieces()}
     */
    void run(int piece) {
        last = pieces[piece].applyAsInt(last);
    }

    /** Executes all pieces, one after the other. */
    void runAll() {
        for (int piece = 0; piece < pieces.length; piece++) {
            run(piece);
        }
    }

    int last() {
        return last;
    }
}
