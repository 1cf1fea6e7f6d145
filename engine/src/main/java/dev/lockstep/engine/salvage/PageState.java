package dev.lockstep.engine.salvage;

/** What a page in a file is worth. */
enum PageState {
    /** It is what was last written as this page, as far as anybody can tell. */
    SOUND("sound"),
    /** It is zero throughout. */
    NEVER_WRITTEN("it was never written"),
    /** It is whole, but older than it was written: the medium has lost a write. */
    OUTDATED("it is older than it was written"),
    /** Its checksum is wrong. */
    CHECKSUM("its checksum is wrong"),
    /** It is whole, and another page. */
    IDENTITY("another page lies in its place"),
    /** The system refuses to read it. */
    IO("the system refuses to read it"),
    /** The file ends before it. */
    MISSING("the file ends before it");

    private final String words;

    PageState(String words) {
        this.words = words;
    }

    /** In words, for messages. */
    String words() {
        return words;
    }

    /** Whether the bytes are those of the page, of now or of an earlier time. */
    boolean isWhole() {
        return this == SOUND || this == OUTDATED;
    }
}
