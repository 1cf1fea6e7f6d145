package dev.lockstep.bench.switchpoints;

import dev.lockstep.bench.switchpoints.SwitchPointException.Reason;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Leads from the bytecode of classes that {@link SwitchPointAgent} has changed back to that of their class files: code
 * compiled with points in it names the changed one. Immutable.
 */
public final class InsertedBytecode {
    /** Where nothing was inserted. */
    public static final InsertedBytecode NONE = new InsertedBytecode(Set.of(), Map.of());

    /** The number that a call passes on, and the call. */
    private static final int INSTRUCTIONS_OF_POINT = 2;

    private final Set<SwitchPoint> points;
    private final Map<Method, Map<Integer, Integer>> originals;

    private record Method(String className, String name, String descriptor) {}

    private InsertedBytecode(Set<SwitchPoint> points, Map<Method, Map<Integer, Integer>> originals) {
        this.points = Set.copyOf(points);
        this.originals = Map.copyOf(originals);
    }

    /**
     * For a JVM that the agent was started in with these points, and with nothing else that changes their classes.
     *
     * @throws SwitchPointException if a class is not to be found, has changed, or has no such instruction
     */
    public static InsertedBytecode of(SwitchPoints points, ClassBytes classes) throws IOException {
        Map<Method, Map<Integer, Integer>> originals = new HashMap<>();
        List<String> operations =
                points.points().stream().map(SwitchPoint::operation).distinct().toList();
        // As the agent numbers them, since a larger number may make a longer instruction.
        SwitchPointInserter inserter =
                SwitchPointInserter.ofSwitches(classes.loader(), name -> operations.indexOf(name) + 1);
        for (String className : points.classNames()) {
            byte[] bytes = classes.require(className);
            points.origin().requireUnchanged(className, bytes);
            List<SwitchPoint> ofClass = points.ofClass(className);
            ClassModel before = ClassFile.of().parse(bytes);
            ClassModel after = ClassFile.of().parse(inserter.insert(bytes, ofClass));
            for (SwitchPoint point : ofClass) {
                Method method = new Method(className, point.method(), point.descriptor());
                if (!originals.containsKey(method)) {
                    originals.put(method, originals(before, after, point, ofClass));
                }
            }
        }
        return new InsertedBytecode(new HashSet<>(points.points()), originals);
    }

    private static Map<Integer, Integer> originals(
            ClassModel before, ClassModel after, SwitchPoint of, List<SwitchPoint> ofClass) throws IOException {
        List<SwitchPoint> ofMethod = ofClass.stream()
                .filter(point ->
                        point.method().equals(of.method()) && point.descriptor().equals(of.descriptor()))
                .toList();
        // An index of the class file for each instruction of the changed one.
        List<Integer> indexes = new ArrayList<>();
        int index = 0;
        for (Instruction instruction : BytecodeMethod.of(before, of).instructions()) {
            int at = index;
            long points = ofMethod.stream()
                    .filter(point -> point.bytecodeIndex() == at)
                    .count();
            for (long i = 0; i <= INSTRUCTIONS_OF_POINT * points; i++) {
                indexes.add(at);
            }
            index += instruction.sizeInBytes();
        }
        List<Instruction> changed = BytecodeMethod.of(after, of).instructions();
        if (changed.size() != indexes.size()) {
            throw new SwitchPointException(
                    Reason.PLACE,
                    "a method with switch points cannot be followed, because its jumps have become too long: point="
                            + of + "; remedy: leave the point out");
        }
        Map<Integer, Integer> originals = new HashMap<>();
        int changedIndex = 0;
        for (int i = 0; i < changed.size(); i++) {
            originals.put(changedIndex, indexes.get(i));
            changedIndex += changed.get(i).sizeInBytes();
        }
        return originals;
    }

    /** Whether a point was inserted. */
    public boolean contains(SwitchPoint point) {
        return points.contains(point);
    }

    /**
     * The index in the class file of an instruction of the changed class; of the call of a point, that of the
     * instruction before which it stands.
     */
    public int original(String className, String method, String descriptor, int bytecodeIndex) {
        return originals
                .getOrDefault(new Method(className, method, descriptor), Map.of())
                .getOrDefault(bytecodeIndex, bytecodeIndex);
    }
}
