package dev.lockstep.bench.codemap;

import java.util.Arrays;

/**
 * One method as it was compiled to one place, with what was inlined into it. Immutable.
 *
 * <p>Positions say which source the instructions come from: those that begin before {@code offsets[i]}, and not before
 * {@code offsets[i - 1]}, come from {@code frames[i]}.
 */
public final class CompiledCode {
    /** The level of a wrapper around a native method. */
    static final int LEVEL_NATIVE = 0;

    private static final int LEVEL_C2 = 4;
    private static final int LEVEL_UNKNOWN = -1;

    private final long epoch;
    private final long address;
    private final int bytes;
    private final int level;
    private final int compilation;
    private final String method;
    private final int[] offsets;
    private final int[] frames;
    private long removedEpoch = Long.MAX_VALUE;

    CompiledCode(
            long epoch,
            long address,
            int bytes,
            int level,
            int compilation,
            String method,
            int[] offsets,
            int[] frames) {
        this.epoch = epoch;
        this.address = address;
        this.bytes = bytes;
        this.level = level;
        this.compilation = compilation;
        this.method = method;
        this.offsets = offsets;
        this.frames = frames;
    }

    /** While the log is read: the code was gone in that epoch. */
    void removedIn(long removed) {
        removedEpoch = removed;
    }

    /** When it was reported. */
    public long epoch() {
        return epoch;
    }

    /** When its end was reported, {@link Long#MAX_VALUE} if it was not. */
    public long removedEpoch() {
        return removedEpoch;
    }

    /** Where it begins. */
    public long address() {
        return address;
    }

    /** Its length: the instructions, and the stubs of the method behind them. */
    public int bytes() {
        return bytes;
    }

    /** Level of compilation: 0 a wrapper of a native method, 1 to 3 C1, 4 C2, -1 unknown. */
    public int level() {
        return level;
    }

    /** The JVM's number of the compilation, 0 if unknown. */
    public int compilation() {
        return compilation;
    }

    /** The method: class, name and signature. */
    public String method() {
        return method;
    }

    /** What it is part of. */
    public CodePart part() {
        return switch (level) {
            case LEVEL_C2 -> CodePart.C2;
            case LEVEL_NATIVE -> CodePart.STUB;
            case LEVEL_UNKNOWN -> CodePart.COMPILED;
            default -> CodePart.C1;
        };
    }

    boolean contains(long at) {
        return at >= address && at < address + bytes;
    }

    /** The innermost frame of the instruction that begins at an offset; 0 where no source is known. */
    public int frameAt(long offset) {
        int position = positionAt(offset);
        return position < frames.length ? frames[position] : 0;
    }

    /** Where the source of the instructions at an offset ends; the length of the code behind the last position. */
    long endOfFrame(long offset) {
        int position = positionAt(offset);
        return position < offsets.length ? offsets[position] : bytes;
    }

    private int positionAt(long offset) {
        int found = Arrays.binarySearch(offsets, (int) offset);
        return found >= 0 ? found + 1 : -found - 1;
    }

    @Override
    public String toString() {
        return method + " level=" + level + " bytes=" + bytes;
    }
}
