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
    /**
     * Values kept across the nested call by the seldom branch: a frame of 2.6 KB compiled, 6 KB interpreted. Few large
     * frames cost less than many small ones.
     */
    private static final int VALUES = 336;

    /**
     * The seldom branch is taken once in so many turns: it took 60 ns with half as many values, and is next to nothing.
     */
    private static final int TURNS_PER_FILL = 256;

    private static final long[] SOURCE = new long[VALUES];

    private StackReserve() {}

    /**
     * Returns if enough stack is left.
     *
     * @param frames how many frames of 2.6 KB there must be room for, at least 1
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
        long a125 = v[125], a126 = v[126], a127 = v[127], a128 = v[128], a129 = v[129], a130 = v[130], a131 = v[131];
        long a132 = v[132], a133 = v[133], a134 = v[134], a135 = v[135], a136 = v[136], a137 = v[137], a138 = v[138];
        long a139 = v[139], a140 = v[140], a141 = v[141], a142 = v[142], a143 = v[143], a144 = v[144], a145 = v[145];
        long a146 = v[146], a147 = v[147], a148 = v[148], a149 = v[149], a150 = v[150], a151 = v[151], a152 = v[152];
        long a153 = v[153], a154 = v[154], a155 = v[155], a156 = v[156], a157 = v[157], a158 = v[158], a159 = v[159];
        long a160 = v[160], a161 = v[161], a162 = v[162], a163 = v[163], a164 = v[164], a165 = v[165], a166 = v[166];
        long a167 = v[167], a168 = v[168], a169 = v[169], a170 = v[170], a171 = v[171], a172 = v[172], a173 = v[173];
        long a174 = v[174], a175 = v[175], a176 = v[176], a177 = v[177], a178 = v[178], a179 = v[179], a180 = v[180];
        long a181 = v[181], a182 = v[182], a183 = v[183], a184 = v[184], a185 = v[185], a186 = v[186], a187 = v[187];
        long a188 = v[188], a189 = v[189], a190 = v[190], a191 = v[191], a192 = v[192], a193 = v[193], a194 = v[194];
        long a195 = v[195], a196 = v[196], a197 = v[197], a198 = v[198], a199 = v[199], a200 = v[200], a201 = v[201];
        long a202 = v[202], a203 = v[203], a204 = v[204], a205 = v[205], a206 = v[206], a207 = v[207], a208 = v[208];
        long a209 = v[209], a210 = v[210], a211 = v[211], a212 = v[212], a213 = v[213], a214 = v[214], a215 = v[215];
        long a216 = v[216], a217 = v[217], a218 = v[218], a219 = v[219], a220 = v[220], a221 = v[221], a222 = v[222];
        long a223 = v[223], a224 = v[224], a225 = v[225], a226 = v[226], a227 = v[227], a228 = v[228], a229 = v[229];
        long a230 = v[230], a231 = v[231], a232 = v[232], a233 = v[233], a234 = v[234], a235 = v[235], a236 = v[236];
        long a237 = v[237], a238 = v[238], a239 = v[239], a240 = v[240], a241 = v[241], a242 = v[242], a243 = v[243];
        long a244 = v[244], a245 = v[245], a246 = v[246], a247 = v[247], a248 = v[248], a249 = v[249], a250 = v[250];
        long a251 = v[251], a252 = v[252], a253 = v[253], a254 = v[254], a255 = v[255], a256 = v[256], a257 = v[257];
        long a258 = v[258], a259 = v[259], a260 = v[260], a261 = v[261], a262 = v[262], a263 = v[263], a264 = v[264];
        long a265 = v[265], a266 = v[266], a267 = v[267], a268 = v[268], a269 = v[269], a270 = v[270], a271 = v[271];
        long a272 = v[272], a273 = v[273], a274 = v[274], a275 = v[275], a276 = v[276], a277 = v[277], a278 = v[278];
        long a279 = v[279], a280 = v[280], a281 = v[281], a282 = v[282], a283 = v[283], a284 = v[284], a285 = v[285];
        long a286 = v[286], a287 = v[287], a288 = v[288], a289 = v[289], a290 = v[290], a291 = v[291], a292 = v[292];
        long a293 = v[293], a294 = v[294], a295 = v[295], a296 = v[296], a297 = v[297], a298 = v[298], a299 = v[299];
        long a300 = v[300], a301 = v[301], a302 = v[302], a303 = v[303], a304 = v[304], a305 = v[305], a306 = v[306];
        long a307 = v[307], a308 = v[308], a309 = v[309], a310 = v[310], a311 = v[311], a312 = v[312], a313 = v[313];
        long a314 = v[314], a315 = v[315], a316 = v[316], a317 = v[317], a318 = v[318], a319 = v[319], a320 = v[320];
        long a321 = v[321], a322 = v[322], a323 = v[323], a324 = v[324], a325 = v[325], a326 = v[326], a327 = v[327];
        long a328 = v[328], a329 = v[329], a330 = v[330], a331 = v[331], a332 = v[332], a333 = v[333], a334 = v[334];
        long a335 = v[335];
        long below = frames == 0 ? v[turn & TURNS_PER_FILL - 1] : frame(v, frames - 1, turn);
        long s0 = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17;
        long s1 = a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34;
        long s2 = a35 + a36 + a37 + a38 + a39 + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51;
        long s3 = a52 + a53 + a54 + a55 + a56 + a57 + a58 + a59 + a60 + a61 + a62 + a63 + a64 + a65 + a66 + a67 + a68;
        long s4 = a69 + a70 + a71 + a72 + a73 + a74 + a75 + a76 + a77 + a78 + a79 + a80 + a81 + a82 + a83 + a84 + a85;
        long s5 = a86 + a87 + a88 + a89 + a90 + a91 + a92 + a93 + a94 + a95 + a96 + a97 + a98 + a99 + a100 + a101;
        long s6 = a102 + a103 + a104 + a105 + a106 + a107 + a108 + a109 + a110 + a111 + a112 + a113 + a114 + a115;
        long s7 = a116 + a117 + a118 + a119 + a120 + a121 + a122 + a123 + a124 + a125 + a126 + a127 + a128 + a129;
        long s8 = a130 + a131 + a132 + a133 + a134 + a135 + a136 + a137 + a138 + a139 + a140 + a141 + a142 + a143;
        long s9 = a144 + a145 + a146 + a147 + a148 + a149 + a150 + a151 + a152 + a153 + a154 + a155 + a156 + a157;
        long s10 = a158 + a159 + a160 + a161 + a162 + a163 + a164 + a165 + a166 + a167 + a168 + a169 + a170 + a171;
        long s11 = a172 + a173 + a174 + a175 + a176 + a177 + a178 + a179 + a180 + a181 + a182 + a183 + a184 + a185;
        long s12 = a186 + a187 + a188 + a189 + a190 + a191 + a192 + a193 + a194 + a195 + a196 + a197 + a198 + a199;
        long s13 = a200 + a201 + a202 + a203 + a204 + a205 + a206 + a207 + a208 + a209 + a210 + a211 + a212 + a213;
        long s14 = a214 + a215 + a216 + a217 + a218 + a219 + a220 + a221 + a222 + a223 + a224 + a225 + a226 + a227;
        long s15 = a228 + a229 + a230 + a231 + a232 + a233 + a234 + a235 + a236 + a237 + a238 + a239 + a240 + a241;
        long s16 = a242 + a243 + a244 + a245 + a246 + a247 + a248 + a249 + a250 + a251 + a252 + a253 + a254 + a255;
        long s17 = a256 + a257 + a258 + a259 + a260 + a261 + a262 + a263 + a264 + a265 + a266 + a267 + a268 + a269;
        long s18 = a270 + a271 + a272 + a273 + a274 + a275 + a276 + a277 + a278 + a279 + a280 + a281 + a282 + a283;
        long s19 = a284 + a285 + a286 + a287 + a288 + a289 + a290 + a291 + a292 + a293 + a294 + a295 + a296 + a297;
        long s20 = a298 + a299 + a300 + a301 + a302 + a303 + a304 + a305 + a306 + a307 + a308 + a309 + a310 + a311;
        long s21 = a312 + a313 + a314 + a315 + a316 + a317 + a318 + a319 + a320 + a321 + a322 + a323 + a324 + a325;
        long s22 = a326 + a327 + a328 + a329 + a330 + a331 + a332 + a333 + a334 + a335;
        return below + s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11 + s12 + s13 + s14 + s15 + s16 + s17
                + s18 + s19 + s20 + s21 + s22;
    }
}
