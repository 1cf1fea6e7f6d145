package dev.lockstep.bench.autosteps;

import dev.lockstep.bench.simulate.CacheShape;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The instructions of one execution of an operation, in the order in which they were executed: address and length of
 * each. An instruction is named by its index, from 0. Immutable.
 */
final class InstructionTrace {
    private final long[] addresses;
    private final byte[] lengths;

    private InstructionTrace(long[] addresses, byte[] lengths) {
        this.addresses = addresses;
        this.lengths = lengths;
    }

    int count() {
        return addresses.length;
    }

    long address(int index) {
        return addresses[index];
    }

    /** Address of the last byte. */
    long lastByte(int index) {
        return addresses[index] + lengths[index] - 1;
    }

    /** How many distinct lines of a cache the instructions lie in. */
    long lineCount(CacheShape shape) {
        int shift = Integer.numberOfTrailingZeros(shape.lineBytes());
        Set<Long> lines = new HashSet<>();
        for (int i = 0; i < count(); i++) {
            lines.add(address(i) >>> shift);
            lines.add(lastByte(i) >>> shift);
        }
        return lines.size();
    }

    /** Takes instructions one by one. Not thread-safe. */
    static final class Builder {
        /** The longest instruction of x86-64. */
        static final int LENGTH_BYTES_MAX = 15;

        private long[] addresses = new long[1024];
        private byte[] lengths = new byte[1024];
        private int count;

        /**
         * Appends an instruction.
         *
         * @param lengthBytes 1 to {@link #LENGTH_BYTES_MAX}
         */
        Builder add(long address, int lengthBytes) {
            if (lengthBytes < 1 || lengthBytes > LENGTH_BYTES_MAX) {
                throw new IllegalArgumentException("no instruction is so long: lengthBytes=" + lengthBytes
                        + " lengthBytesMax=" + LENGTH_BYTES_MAX + "; remedy: record the trace again");
            }
            if (count == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * count);
                lengths = Arrays.copyOf(lengths, 2 * count);
            }
            addresses[count] = address;
            lengths[count] = (byte) lengthBytes;
            count++;
            return this;
        }

        InstructionTrace build() {
            return new InstructionTrace(Arrays.copyOf(addresses, count), Arrays.copyOf(lengths, count));
        }
    }
}
