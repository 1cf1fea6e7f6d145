package dev.lockstep.bench.prove;

import java.util.Locale;

/** What came of opening and reading damaged files. */
enum FuzzOutcome {
    /** A typed error. */
    TYPED_ERROR,
    /** All that was committed was read. */
    CORRECT,
    /** What was committed up to some transaction was read. */
    EARLIER,
    /** Checksums were made right, so that other contents are what the file says; it was read without harm. */
    OTHER_CONTENTS,
    /** It must not be. */
    FAILED;

    /** What reports call it. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
