package dev.lockstep.bench.process;

import java.lang.reflect.Proxy;
import java.util.Optional;

/** A placement on simulated processors where nothing may run: for calls that are refused before. */
public final class StubPlacement implements Placement {
    @Override
    public int processorsMax() {
        return 1;
    }

    @Override
    public Processors choose(int count) {
        throw new AssertionError("nothing is run");
    }

    @Override
    public Optional<Emulation> emulation() {
        return Optional.of((Emulation) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Emulation.class}, (proxy, method, values) -> null));
    }
}
