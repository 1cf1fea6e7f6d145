package dev.lockstep.counters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

/** Has a thread of each kind that a JVM begins for a program's virtual threads and pools, and collects garbage. */
final class ThreadKindsProgram {
    private static final int COLLECTIONS = 20;
    private static final int ACCEPT_MILLIS = 50;

    private ThreadKindsProgram() {}

    public static void main(String[] arguments) throws Exception {
        Thread virtual = Thread.ofVirtual().start(ThreadKindsProgram::acceptNobody);
        CompletableFuture.runAsync(() -> {}, ForkJoinPool.commonPool()).join();
        virtual.join();
        Markers.phaseBegin(Markers.PHASE_MEASURED);
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        Markers.phaseEnd(Markers.PHASE_MEASURED);
    }

    /** Parks at a socket, for which there is a poller. */
    private static void acceptNobody() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket.setSoTimeout(ACCEPT_MILLIS);
            socket.accept().close();
            throw new AssertionError("somebody came");
        } catch (SocketTimeoutException e) {
            // As intended.
        } catch (IOException e) {
            throw new UncheckedIOException("no socket", e);
        }
    }
}
