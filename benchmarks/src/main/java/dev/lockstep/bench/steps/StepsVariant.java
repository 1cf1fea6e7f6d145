package dev.lockstep.bench.steps;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.lockstep.bench.report.Spelling;
import java.util.List;

/** How work is put together under STEPS' scheduler, each a configuration of {@code ./lockstep tpcc}. */
enum StepsVariant {
    /** The plain call path, which all others are compared with. */
    NEITHER("off", "off"),
    /** Rows that a statement names together go to the engine together. */
    BATCHES("off", "on"),
    /** Teams whose members execute for themselves. */
    TEAMS("on", "off"),
    /** Teams alone whose first member fetches the rows of all and does their changes at least up to the leaf. */
    STAGED_ALONE("on", "off", "--team-execution", "staged"),
    /** Teams alone whose members, continuations, take turns at the switch points inside operations. */
    CONTINUATION_ALONE("on", "off", "--sthreads", "continuation", "--switch-points"),
    /** Teams and batches, which are STEPS. */
    BOTH("on", "on"),
    /** Both, and teams form for those operations alone that were measured to gain by it. */
    GOVERNED("governed", "on"),
    /** Both, and a team's first member fetches the rows of all and does their changes at least up to the leaf. */
    STAGED("on", "on", "--team-execution", "staged"),
    /** Both; transactions of a type begin together, and all members end an operation before the first goes on. */
    WAVES("on", "on", "--sthreads", "continuation", "--team-policy", "waves", "--team-execution", "apart"),
    /** The original of {@link #CONTINUATION}: the same switches, behind each operation. */
    SERIAL("on", "on", "--sthreads", "continuation", "--switch-points", "--team-execution", "serial"),
    /** Both, and the members, continuations, take turns at the switch points inside operations. */
    CONTINUATION("on", "on", "--sthreads", "continuation", "--switch-points");

    /** Separated by spaces. */
    private final String words;

    StepsVariant(String teams, String batches, String... further) {
        words = String.join(" ", "--teams", teams, "--batches", batches, String.join(" ", further))
                .strip();
    }

    /** The options of {@code tpcc} that make it. */
    List<String> words() {
        return List.of(words.split(" ", -1));
    }

    /** What it is compared with beside {@link #NEITHER}, which is that of most. */
    StepsVariant original() {
        return this == CONTINUATION ? SERIAL : NEITHER;
    }

    /** Whether teams form. */
    boolean formsTeams() {
        return this != NEITHER && this != BATCHES;
    }

    /** As on the command line and in results. */
    @JsonValue
    String spelled() {
        return Spelling.of(this);
    }
}
