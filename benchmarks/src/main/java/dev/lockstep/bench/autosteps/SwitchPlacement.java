package dev.lockstep.bench.autosteps;

import java.util.List;

/**
 * Where the members of a team should take turns, and what that is expected to do.
 *
 * @param addresses of the instructions before which a switch is to go, in the order in which they were found
 * @param found for each address the index of that execution of it at which the search wants the switch: others may run
 *     the same code for other callers
 * @param switches indexes of the trace's instructions before which a member gives up its turn, ascending: every
 *     execution of one of the addresses but that of the first instruction
 * @param originalMisses indexes of the instructions that miss when the operation runs alone, in a cache warmed by
 *     itself, ascending; one for each line that misses
 * @param stepsMisses likewise of those that evict what the other members would still need: what each further member
 *     of a team misses
 */
record SwitchPlacement(
        List<Long> addresses,
        List<Integer> found,
        List<Integer> switches,
        List<Integer> originalMisses,
        List<Integer> stepsMisses) {
    SwitchPlacement {
        addresses = List.copyOf(addresses);
        found = List.copyOf(found);
        switches = List.copyOf(switches);
        originalMisses = List.copyOf(originalMisses);
        stepsMisses = List.copyOf(stepsMisses);
    }
}
