package dev.lockstep.tpcc;

import dev.lockstep.tpcc.adapter.TpccAdapter;
import dev.lockstep.tpcc.adapter.TpccSession;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * An adapter whose sessions tell the name of each method before it runs.
 *
 * @param adapter the one that works
 * @param watcher is told, in the terminal's thread
 */
public record InterceptedAdapter(TpccAdapter adapter, Watcher watcher) {
    /** Who is told. */
    @FunctionalInterface
    public interface Watcher {
        /** A session's method is about to run. */
        void called(String method);
    }

    /** The adapter to run. */
    public TpccAdapter proxy() {
        return proxy(TpccAdapter.class, adapter);
    }

    private <T> T proxy(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, method, a) -> {
            if (type == TpccSession.class) {
                watcher.called(method.getName());
            }
            try {
                Object result = method.invoke(target, a);
                return result instanceof TpccSession session ? proxy(TpccSession.class, session) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
