package dev.lockstep.bench.simulate.validation;

import dev.lockstep.bench.report.Spelling;
import java.util.Arrays;
import java.util.Iterator;

/** The parts as a user writes them. */
final class PartNames implements Iterable<String> {
    /** For picocli. */
    PartNames() {}

    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Part.values()).map(Spelling::of).iterator();
    }
}
