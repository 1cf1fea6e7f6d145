package dev.lockstep.engine.instance;

/**
 * Makes a stack overflow happen before an operation rather than in the middle of it.
 *
 * <p>Application code may call the engine with hardly any stack left. Where the stack then overflows while a latch is
 * held or a list is half changed, the database can only be marked failed. The JVM checks for overflow where a method is
 * entered: nested calls that succeed prove that as much stack is left as their frames take. So an operation is preceded
 * by calls with large frames, and what overflows there has begun nothing; the transaction is rolled back like after any
 * other error.
 *
 * <p>A large frame costs no more than a small one as long as nobody writes to it, some 1.2 ns. The compiler makes a
 * frame as large as the branch needs that keeps most values across a call; so there is a branch that keeps {@code
 * VALUES} of them, taken so seldom that its cost does not matter, and often enough that the compiler does not drop it.
 *
 * <p>Thread-safety: stateless.
 */
final class StackReserve {
    /** Values kept across the nested call by the seldom branch: a frame of 1 KB compiled, 3 KB interpreted. */
    private static final int VALUES = 128;

    /** The seldom branch is taken once in so many turns: it takes 60 ns, a quarter of a nanosecond a turn. */
    private static final int TURNS_PER_FILL = 256;

    private static final long[] SOURCE = new long[VALUES];

    private StackReserve() {}

    /**
     * Returns if enough stack is left.
     *
     * @param frames how many frames of 1 KB there must be room for, at least 1
     * @param turn a number that the caller raises by one each time
     * @return a number without meaning, which keeps the compiler from dropping the calls
     * @throws StackOverflowError if not
     */
    static long require(int frames, int turn) {
        return frame(SOURCE, frames - 1, turn);
    }

    private static long frame(long[] v, int frames, int turn) {
        if (turn % TURNS_PER_FILL != 0) {
            return frames == 0 ? turn : frame(v, frames - 1, turn) + 1;
        }
        long a0 = v[0], a1 = v[1], a2 = v[2], a3 = v[3], a4 = v[4], a5 = v[5], a6 = v[6], a7 = v[7], a8 = v[8];
        long a9 = v[9], a10 = v[10], a11 = v[11], a12 = v[12], a13 = v[13], a14 = v[14], a15 = v[15], a16 = v[16];
        long a17 = v[17], a18 = v[18], a19 = v[19], a20 = v[20], a21 = v[21], a22 = v[22], a23 = v[23], a24 = v[24];
        long a25 = v[25], a26 = v[26], a27 = v[27], a28 = v[28], a29 = v[29], a30 = v[30], a31 = v[31], a32 = v[32];
        long a33 = v[33], a34 = v[34], a35 = v[35], a36 = v[36], a37 = v[37], a38 = v[38], a39 = v[39], a40 = v[40];
        long a41 = v[41], a42 = v[42], a43 = v[43], a44 = v[44], a45 = v[45], a46 = v[46], a47 = v[47], a48 = v[48];
        long a49 = v[49], a50 = v[50], a51 = v[51], a52 = v[52], a53 = v[53], a54 = v[54], a55 = v[55], a56 = v[56];
        long a57 = v[57], a58 = v[58], a59 = v[59], a60 = v[60], a61 = v[61], a62 = v[62], a63 = v[63], a64 = v[64];
        long a65 = v[65], a66 = v[66], a67 = v[67], a68 = v[68], a69 = v[69], a70 = v[70], a71 = v[71], a72 = v[72];
        long a73 = v[73], a74 = v[74], a75 = v[75], a76 = v[76], a77 = v[77], a78 = v[78], a79 = v[79], a80 = v[80];
        long a81 = v[81], a82 = v[82], a83 = v[83], a84 = v[84], a85 = v[85], a86 = v[86], a87 = v[87], a88 = v[88];
        long a89 = v[89], a90 = v[90], a91 = v[91], a92 = v[92], a93 = v[93], a94 = v[94], a95 = v[95], a96 = v[96];
        long a97 = v[97], a98 = v[98], a99 = v[99], a100 = v[100], a101 = v[101], a102 = v[102], a103 = v[103];
        long a104 = v[104], a105 = v[105], a106 = v[106], a107 = v[107], a108 = v[108], a109 = v[109], a110 = v[110];
        long a111 = v[111], a112 = v[112], a113 = v[113], a114 = v[114], a115 = v[115], a116 = v[116], a117 = v[117];
        long a118 = v[118], a119 = v[119], a120 = v[120], a121 = v[121], a122 = v[122], a123 = v[123], a124 = v[124];
        long a125 = v[125], a126 = v[126], a127 = v[127];
        long below = frames == 0 ? v[turn & VALUES - 1] : frame(v, frames - 1, turn);
        long s0 = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12;
        long s1 = a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25;
        long s2 = a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 + a38;
        long s3 = a39 + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51;
        long s4 = a52 + a53 + a54 + a55 + a56 + a57 + a58 + a59 + a60 + a61 + a62 + a63 + a64;
        long s5 = a65 + a66 + a67 + a68 + a69 + a70 + a71 + a72 + a73 + a74 + a75 + a76 + a77;
        long s6 = a78 + a79 + a80 + a81 + a82 + a83 + a84 + a85 + a86 + a87 + a88 + a89 + a90;
        long s7 = a91 + a92 + a93 + a94 + a95 + a96 + a97 + a98 + a99 + a100 + a101 + a102 + a103;
        long s8 = a104 + a105 + a106 + a107 + a108 + a109 + a110 + a111 + a112 + a113 + a114 + a115 + a116;
        long s9 = a117 + a118 + a119 + a120 + a121 + a122 + a123 + a124 + a125 + a126 + a127;
        return below + s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9;
    }
}
