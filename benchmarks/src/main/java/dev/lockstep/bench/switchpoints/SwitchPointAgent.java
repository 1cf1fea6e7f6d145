package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.process.AgentJar;
import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import dev.lockstep.scheduler.PlacedSwitchPoints;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.List;

/**
 * The Java agent that inserts switch points while classes are loaded: {@code -javaagent:JAR=FILE}, where JAR is the jar
 * of this module, or an {@link AgentJar} of this class, and FILE holds {@link SwitchPoints}. It refuses files
 * and points that cannot be used, by ending the JVM before its program begins.
 *
 * <p>With {@code check=REPORT,FILE} it is the checking mode: points do not switch, and where something is held there
 * is written to REPORT when the JVM ends; see {@link CheckReport}.
 */
public final class SwitchPointAgent implements ClassFileTransformer {
    /** Begins the argument of the checking mode. */
    static final String CHECK = "check=";

    private static final String OWN_PACKAGE = "dev/lockstep/bench/switchpoints/";

    private final SwitchPoints points;
    private final boolean checks;
    private final PrintStream err;

    /** Inserts points, or checks of them. */
    SwitchPointAgent(SwitchPoints points, boolean checks, PrintStream err) {
        this.points = points;
        this.checks = checks;
        this.err = err;
    }

    /**
     * Called by the JVM before the main class.
     *
     * @throws SwitchPointException if the points cannot be used here
     */
    public static void premain(String arguments, Instrumentation instrumentation) throws IOException {
        boolean checks = arguments != null && arguments.startsWith(CHECK);
        String file = checks ? arguments.substring(arguments.indexOf(',') + 1) : arguments;
        SwitchPoints points = SwitchPoints.readForThisJvm(Path.of(file == null ? "" : file));
        requireUsable(points, ClassBytes.ofProgram(), checks);
        // Before the program registers its operations, which may be long before the classes with points are loaded.
        points.points().forEach(point -> PlacedSwitchPoints.number(point.operation()));
        if (checks) {
            HeldCounts.reset(points.points().size());
            Path report = Path.of(arguments.substring(CHECK.length(), arguments.indexOf(',')));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> writeReport(report), "check of switch points"));
        }
        instrumentation.addTransformer(new SwitchPointAgent(points, checks, System.err));
    }

    /**
     * Refuses points whose classes have changed or have no such instructions, and, unless the checking mode will tell,
     * those where something may be held.
     */
    static void requireUsable(SwitchPoints points, ClassBytes classes, boolean checks) throws IOException {
        for (String className : points.classNames()) {
            byte[] bytes = classes.require(className);
            points.origin().requireUnchanged(className, bytes);
            for (SwitchPoint point : points.ofClass(className)) {
                if (!checks) {
                    HeldCheck.check(bytes, point);
                }
            }
            requireInsertable(bytes, points.ofClass(className), classes);
        }
    }

    /** Inserts them on trial, since the JVM would run on with the class as it is. */
    private static void requireInsertable(byte[] bytes, List<SwitchPoint> points, ClassBytes classes)
            throws SwitchPointException {
        try {
            SwitchPointInserter.ofSwitches(classes.loader(), operation -> points.size())
                    .insert(bytes, points);
        } catch (IllegalArgumentException e) {
            throw new SwitchPointException(
                    Reason.PLACE,
                    "switch points do not fit into their class: class="
                            + points.getFirst().className() + " why=" + e.getMessage()
                            + "; remedy: leave out those of its longest method");
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String className, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (loader == null || className == null || !isWanted(className)) {
            return null;
        }
        try {
            String name = className.replace('/', '.');
            List<SwitchPoint> ofClass = points.ofClass(name);
            if (!ofClass.isEmpty()) {
                points.origin().requireUnchanged(name, bytes);
            }
            SwitchPointInserter inserter = checks
                    ? SwitchPointInserter.ofChecks(loader, points.points()::indexOf)
                    : SwitchPointInserter.ofSwitches(loader);
            return inserter.insert(bytes, ofClass);
        } catch (SwitchPointException | RuntimeException e) {
            // The JVM drops what a transformer throws.
            err.println("lockstep: no switch points in " + className + ": " + e);
            if (checks) {
                HeldCounts.notCounted(className);
            }
            return null;
        }
    }

    private boolean isWanted(String className) {
        String name = className.replace('/', '.');
        return points.classNames().contains(name)
                || (checks && HeldCheck.mayHavePoints(name) && !className.startsWith(OWN_PACKAGE));
    }

    private static void writeReport(Path report) {
        try {
            HeldCounts.report().write(report);
        } catch (IOException e) {
            System.err.println("lockstep: the check of switch points cannot be written: " + e);
        }
    }
}
