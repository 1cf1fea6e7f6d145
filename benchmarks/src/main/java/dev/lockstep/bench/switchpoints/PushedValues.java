package dev.lockstep.bench.switchpoints;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Names the receiver and the arguments of a call by the instructions before it, as far as these are constants, fields,
 * and variables that have one value throughout the method. Of one method; not thread-safe.
 */
final class PushedValues {
    private final List<Instruction> instructions;

    /** How often each variable gets a value. */
    private final Map<Integer, Integer> stores = new HashMap<>();

    private int at;

    PushedValues(BytecodeMethod method) {
        instructions = method.instructions();
        int slot = method.method().flags().has(AccessFlag.STATIC) ? 0 : 1;
        for (int i = 0; i < method.method().methodTypeSymbol().parameterCount(); i++) {
            stores.put(slot, 1);
            slot += slotsOf(method.method().methodTypeSymbol().parameterType(i).descriptorString());
        }
        for (Instruction instruction : instructions) {
            switch (instruction) {
                case StoreInstruction store -> stores.merge(store.slot(), 1, Integer::sum);
                case IncrementInstruction increment -> stores.merge(increment.slot(), 1, Integer::sum);
                default -> {
                    // Changes no variable.
                }
            }
        }
    }

    private static int slotsOf(String descriptor) {
        return descriptor.equals("J") || descriptor.equals("D") ? 2 : 1;
    }

    /** The receiver, if there is one, and the arguments of a call; none where not all can be named. */
    List<String> ofCall(int number) {
        InvokeInstruction call = (InvokeInstruction) instructions.get(number);
        int values = call.typeSymbol().parameterCount() + (call.opcode() == Opcode.INVOKESTATIC ? 0 : 1);
        List<String> names = new ArrayList<>();
        at = number;
        for (int i = 0; i < values; i++) {
            String name = before();
            if (name == null) {
                return List.of();
            }
            names.add(name);
        }
        return names.reversed();
    }

    /** The value that the instructions before the current place push; null where it has no name. */
    private String before() {
        at--;
        return at < 0
                ? null
                : switch (instructions.get(at)) {
                    case ConstantInstruction constant -> String.valueOf(constant.constantValue());
                    case LoadInstruction load when stores.getOrDefault(load.slot(), 1) == 1 -> "local" + load.slot();
                    case FieldInstruction field when field.opcode() == Opcode.GETSTATIC -> name(field);
                    case FieldInstruction field
                    when field.opcode() == Opcode.GETFIELD -> {
                        String object = before();
                        yield object == null ? null : object + "." + name(field);
                    }
                    default -> null;
                };
    }

    private static String name(FieldInstruction field) {
        return field.owner().asInternalName() + "." + field.name().stringValue();
    }
}
