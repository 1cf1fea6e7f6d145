package dev.lockstep.bench.prove;

import dev.lockstep.bench.prove.disk.CrashProof;
import dev.lockstep.bench.prove.isolation.IsolationProof;
import dev.lockstep.bench.prove.soak.SoakProof;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** All proofs, in the order of the help. */
final class Proofs {
    /** Add a proof here, and it has its command. */
    static final List<Proof> ALL = List.of(
            new CrashProof(),
            new KillProof(),
            new IsolationProof(),
            new FuzzProof(),
            new OverloadProof(),
            new SoakProof());

    /** The names of all, for the help. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ALL.stream().map(Proof::name).iterator();
        }
    }

    private Proofs() {}

    /** The proof of a name. */
    static Optional<Proof> named(String name) {
        return ALL.stream().filter(proof -> proof.name().equals(name)).findFirst();
    }
}
