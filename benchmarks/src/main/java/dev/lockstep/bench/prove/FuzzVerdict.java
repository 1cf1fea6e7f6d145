package dev.lockstep.bench.prove;

/**
 * What a child says of one input. Immutable.
 *
 * @param outcome what came of it
 * @param nativeBytes the most memory outside of the heap that it took; {@link ProcessMemory#UNKNOWN} where the system
 *     does not say
 * @param words why it failed; the empty string if it did not
 */
record FuzzVerdict(FuzzOutcome outcome, long nativeBytes, String words) {
    /** The verdict on an input that came to its end: one that took more than it may has failed all the same. */
    static FuzzVerdict of(FuzzOutcome outcome, long nativeBytes, String words) {
        if (nativeBytes <= FuzzProof.NATIVE_BYTES_MAX) {
            return new FuzzVerdict(outcome, nativeBytes, words);
        }
        String beyond = "an allocation beyond the limit: nativeBytes=" + nativeBytes + " nativeBytesMax="
                + FuzzProof.NATIVE_BYTES_MAX + " outcome=" + outcome.title() + " " + words;
        return new FuzzVerdict(FuzzOutcome.FAILED, nativeBytes, beyond.strip());
    }
}
