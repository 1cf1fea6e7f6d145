package dev.lockstep.scheduler;

/**
 * Whether this JVM can run a kind of S-threads.
 *
 * @param kind the kind asked for
 * @param available whether it can be used
 * @param remedy what to add to the JVM's command line, or another sentence that says what is missing; empty when
 *     available
 */
public record Support(SThreadKind kind, boolean available, String remedy) {
    private static final Module JAVA_BASE = Object.class.getModule();

    static Support probe(SThreadKind kind) {
        String remedy =
                switch (kind) {
                    case PLAIN -> "";
                    case CONTINUATION -> continuationRemedy();
                    case VIRTUAL -> virtualRemedy();
                };
        return new Support(kind, remedy.isEmpty(), remedy);
    }

    static boolean javaLangIsOpen() {
        return JAVA_BASE.isOpen("java.lang", Support.class.getModule());
    }

    private static String continuationRemedy() {
        if (JAVA_BASE.isExported("jdk.internal.vm", Support.class.getModule())) {
            return "";
        }
        return "add --add-exports java.base/jdk.internal.vm=" + moduleName();
    }

    private static String virtualRemedy() {
        if (!javaLangIsOpen()) {
            return "add --add-opens java.base/java.lang=" + moduleName();
        }
        if (!VirtualSThread.isConstructible()) {
            return "use JDK 25: this one has no ThreadBuilders.VirtualThreadBuilder(Executor), java.version="
                    + Runtime.version();
        }
        return CurrentCarrier.isAvailable()
                ? ""
                : "use JDK 25: this one has no Thread.currentCarrierThread(), java.version=" + Runtime.version();
    }

    private static String moduleName() {
        Module module = Support.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }
}
