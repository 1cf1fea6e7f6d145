package dev.lockstep.bench.codemap;

import dev.lockstep.bench.codemap.CodeMap.MethodCode;
import dev.lockstep.bench.codemap.CodeMap.OperationCode;
import dev.lockstep.bench.codemap.CodeMap.PartCode;
import dev.lockstep.bench.codemap.CodeMap.UnitCode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The code of one operation, gathered block by block, and how much data it touches. Used by one thread. */
final class OperationFootprint {
    private final CodeLines lines;
    private final CodeEvents events;
    private final CodeResolver.Found[] found;

    /** By block, in how many executions of the operation it was begun. */
    private final Map<Integer, Long> stays = new HashMap<>();

    private final Map<CodePart, Long> instructions = new EnumMap<>(CodePart.class);

    /** By number of lines of data, the executions that touched so many. */
    private final NavigableMap<Long, Long> dataStays = new TreeMap<>();

    /** By compiled method, each equal to itself alone, the offsets of bytes that were executed. */
    private final Map<CompiledCode, BitSet> units = new HashMap<>();

    OperationFootprint(CodeLines lines, CodeEvents events, CodeResolver.Found[] found) {
        this.lines = lines;
        this.events = events;
        this.found = found;
    }

    void add(int block, long count, long stayCount) {
        CodeResolver.Found where = found[block];
        stays.merge(block, stayCount, Long::sum);
        instructions.merge(where.part(), count * lines.instructions(block), Long::sum);
        if (where.compiled() != null) {
            int offset = (int) (lines.address(block) - where.compiled().address());
            units.computeIfAbsent(where.compiled(), each -> new BitSet()).set(offset, offset + lines.bytes(block));
        }
    }

    void addDataStays(Map<Long, Long> staysByLines) {
        staysByLines.forEach((dataLines, count) -> dataStays.merge(dataLines, count, Long::sum));
    }

    /** Lines of data that all but the largest of the executions do not exceed; 0 if nobody counted them. */
    private long regularDataLines() {
        long all = stayCount();
        long within = 0;
        for (Map.Entry<Long, Long> each : dataStays.entrySet()) {
            within += each.getValue();
            if (within >= all * CodeMap.REGULAR_DATA_PART) {
                return each.getKey();
            }
        }
        return 0;
    }

    /** By part, by line: in how many executions that block of the line was begun which was begun in most. */
    private Map<CodePart, Map<Long, Long>> staysByLine() {
        Map<CodePart, Map<Long, Long>> byPart = new EnumMap<>(CodePart.class);
        stays.forEach((block, count) -> {
            Map<Long, Long> ofPart = byPart.computeIfAbsent(found[block].part(), part -> new HashMap<>());
            long last = (lines.address(block) + lines.bytes(block) - 1) >> LineSet.LINE_BYTES_LOG2;
            for (long line = lines.address(block) >> LineSet.LINE_BYTES_LOG2; line <= last; line++) {
                ofPart.merge(line, count, Math::max);
            }
        });
        return byPart;
    }

    /** In how many stays the operation was executed, a suspended execution in several; 0 if nobody counted data. */
    private long stayCount() {
        return dataStays.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The code of what was executed so often; where that is not known, of so many transactions, or of its stays. */
    OperationCode code(String context, String operation, long executions, long transactions) {
        long often = executions != 0 ? executions : transactions != 0 ? transactions : stayCount();
        long regular = CodeMap.regularExecutions(often);
        List<Long> all = new ArrayList<>();
        List<Long> regulars = new ArrayList<>();
        Map<CodePart, PartCode> parts = new EnumMap<>(CodePart.class);
        staysByLine().forEach((part, ofPart) -> {
            long before = regulars.size();
            ofPart.forEach((line, count) -> {
                all.add(line);
                if (count >= regular) {
                    regulars.add(line);
                }
            });
            parts.put(
                    part,
                    new PartCode(
                            (long) ofPart.size() * LineSet.LINE_BYTES,
                            (regulars.size() - before) * LineSet.LINE_BYTES,
                            instructions.get(part)));
        });
        return new OperationCode(
                context,
                operation,
                executions,
                instructions.values().stream().mapToLong(Long::longValue).sum(),
                LineSet.of(all),
                LineSet.of(regulars),
                units.keySet().stream().mapToLong(CompiledCode::bytes).sum(),
                regularDataLines() * CodeLines.DATA_LINE_BYTES,
                parts,
                unitCodes(),
                methodCodes());
    }

    private List<UnitCode> unitCodes() {
        List<UnitCode> codes = new ArrayList<>();
        units.forEach((unit, executed) -> codes.add(new UnitCode(
                unit.method(), unit.level(), unit.bytes(), executed.cardinality(), lineBytes(unit, executed))));
        codes.sort(Comparator.comparingLong(UnitCode::lineBytes)
                .reversed()
                .thenComparing(UnitCode::method)
                .thenComparingInt(UnitCode::level));
        return codes;
    }

    private static long lineBytes(CompiledCode unit, BitSet executed) {
        long count = 0;
        long before = -1;
        for (int at = executed.nextSetBit(0); at >= 0; at = executed.nextSetBit(at + 1)) {
            long line = (unit.address() + at) >> LineSet.LINE_BYTES_LOG2;
            if (line != before) {
                count++;
                before = line;
            }
        }
        return count * LineSet.LINE_BYTES;
    }

    private List<MethodCode> methodCodes() {
        Map<String, Long> bytes = new HashMap<>();
        Map<String, Integer> places = new HashMap<>();
        units.forEach((unit, executed) -> {
            Map<String, Long> inUnit = new HashMap<>();
            int at = executed.nextSetBit(0);
            while (at >= 0) {
                long end = Math.min(executed.nextClearBit(at), Math.max(at + 1L, unit.endOfFrame(at)));
                int frame = unit.frameAt(at);
                String method = frame == 0 ? unit.method() : events.frame(frame).method();
                inUnit.merge(method, end - at, Long::sum);
                at = executed.nextSetBit((int) end);
            }
            inUnit.forEach((method, count) -> {
                bytes.merge(method, count, Long::sum);
                places.merge(method, 1, Integer::sum);
            });
        });
        return bytes.entrySet().stream()
                .map(entry -> new MethodCode(entry.getKey(), entry.getValue(), places.get(entry.getKey())))
                .sorted(Comparator.comparingLong(MethodCode::executedBytes)
                        .reversed()
                        .thenComparing(MethodCode::method))
                .toList();
    }
}
