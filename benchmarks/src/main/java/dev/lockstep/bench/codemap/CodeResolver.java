package dev.lockstep.bench.codemap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells what lay at an address in an epoch. Immutable.
 *
 * <p>A compiled method is reported a moment after it was put in place, and its removal before its place is used again.
 * So code that was translated in epoch t belongs to the method that was reported at its address last up to t; if that
 * was removed by then, or there was none, to the one reported there next. Between the two it belongs to the stub that
 * was reported there behind the removal, if there was one.
 */
public final class CodeResolver {
    /** Regions are found by the pages they touch. */
    private static final int PAGE_BYTES_LOG2 = 12;

    private static final String LIBC_OLD = "/libc-";

    private final Map<Long, List<CompiledCode>> compiled = new HashMap<>();
    private final Map<Long, List<CodeEvents.Generated>> generated = new HashMap<>();
    private final List<CodeEvents.Mapped> mapped;

    /**
     * What lay at an address.
     *
     * @param part of the JVM
     * @param compiled the method, or null where it was none
     * @param name of the method, the stub or the library
     */
    public record Found(CodePart part, CompiledCode compiled, String name) {}

    /** For the log of one process. */
    public CodeResolver(CodeEvents events) {
        for (CompiledCode code : events.compiled()) {
            file(compiled, code, code.address(), code.bytes());
        }
        compiled.values().forEach(list -> list.sort(Comparator.comparingLong(CompiledCode::epoch)));
        for (CodeEvents.Generated code : events.generated()) {
            file(generated, code, code.address(), code.bytes());
        }
        mapped = events.mapped();
    }

    private static <T> void file(Map<Long, List<T>> pages, T region, long address, long bytes) {
        for (long page = address >> PAGE_BYTES_LOG2; page <= (address + bytes - 1) >> PAGE_BYTES_LOG2; page++) {
            pages.computeIfAbsent(page, each -> new ArrayList<>()).add(region);
        }
    }

    /** Finds what lay at an address when it was translated in an epoch. */
    public Found find(long address, long epoch) {
        CompiledCode last = null;
        CompiledCode next = null;
        for (CompiledCode code : compiled.getOrDefault(address >> PAGE_BYTES_LOG2, List.of())) {
            if (code.contains(address)) {
                if (code.epoch() > epoch) {
                    next = code;
                    break;
                }
                last = code;
            }
        }
        if (last != null && last.removedEpoch() > epoch) {
            return found(last);
        }
        if (last == null && next != null) {
            return found(next);
        }
        long begin = last == null ? 0 : last.removedEpoch();
        long end = next == null ? Long.MAX_VALUE : next.epoch();
        CodeEvents.Generated stub = generatedAt(address, begin, end);
        if (stub != null) {
            CodePart part = stub.name().equals("Interpreter") ? CodePart.INTERPRETER : CodePart.STUB;
            return new Found(part, null, stub.name());
        }
        return last == null ? mappedAt(address) : found(next == null ? last : next);
    }

    private static Found found(CompiledCode method) {
        return new Found(method.part(), method, method.method());
    }

    /** Of those reported between two epochs the smallest, because pieces are reported beside their whole. */
    private CodeEvents.Generated generatedAt(long address, long begin, long end) {
        return generated.getOrDefault(address >> PAGE_BYTES_LOG2, List.of()).stream()
                .filter(code -> code.contains(address) && code.epoch() >= begin && code.epoch() < end)
                .min(Comparator.comparingLong(CodeEvents.Generated::bytes))
                .orElse(null);
    }

    private Found mappedAt(long address) {
        for (CodeEvents.Mapped region : mapped) {
            if (address >= region.start() && address < region.end()) {
                String path = region.path();
                String name = path.substring(path.lastIndexOf('/') + 1);
                return new Found(partOf(path), null, name);
            }
        }
        return new Found(CodePart.UNKNOWN, null, "");
    }

    static CodePart partOf(String path) {
        if (path.endsWith("/libjvm.so")) {
            return CodePart.JVM;
        }
        return path.contains("/libc.so") || path.contains(LIBC_OLD) ? CodePart.LIBC : CodePart.LIBRARY;
    }
}
