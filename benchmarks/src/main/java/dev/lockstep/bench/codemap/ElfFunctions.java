package dev.lockstep.bench.codemap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the symbol table of a library: ELF of 64 bits, little-endian. Local functions are in it too, unlike in the
 * table that the dynamic linker uses. Used by one thread.
 */
final class ElfFunctions {
    /** The bytes 7f 'E' 'L' 'F', then 2 for 64 bits and 1 for little-endian. */
    private static final long MAGIC = 0x0102_464C_457FL;

    private static final long MAGIC_MASK = 0xFFFF_FFFF_FFFFL;
    private static final int SHORT_MASK = 0xFFFF;
    private static final int HEADER_BYTES = 64;
    private static final int SEGMENT_BYTES = 56;
    private static final int SECTION_BYTES = 64;
    private static final int SYMBOL_BYTES = 24;
    private static final int SEGMENT_LOADED = 1;
    private static final int SECTION_OF_SYMBOLS = 2;
    private static final int TYPE_MASK = 0xF;
    private static final int TYPE_FUNCTION = 2;
    private static final String REMEDY = "name a library for x86-64 Linux";

    private final Path file;
    private final FileChannel channel;

    /**
     * A function that the library defines.
     *
     * @param name as the linker knows it, mangled
     * @param offset of its first byte, in bytes from where the library's memory begins
     */
    record Function(String name, long offset) {}

    private ElfFunctions(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Reads the functions of a library; none where its symbol table was stripped.
     *
     * @throws CodeFormatException if it is no such file, or damaged
     * @throws IOException if it cannot be read
     */
    static List<Function> read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new ElfFunctions(file, channel).read();
        }
    }

    private List<Function> read() throws IOException {
        ByteBuffer header = bytes(0, HEADER_BYTES);
        if ((header.getLong(0) & MAGIC_MASK) != MAGIC) {
            throw damaged("no library of 64 bits");
        }
        ByteBuffer sections = bytes(header.getLong(40), SECTION_BYTES * (long) (header.getShort(60) & SHORT_MASK));
        for (int at = 0; at < sections.capacity(); at += SECTION_BYTES) {
            if (sections.getInt(at + 4) == SECTION_OF_SYMBOLS) {
                long namesAt = SECTION_BYTES * (long) sections.getInt(at + 40);
                if (namesAt < 0 || namesAt > sections.capacity() - SECTION_BYTES) {
                    throw damaged("its symbols have no names");
                }
                return functions(section(sections, at), section(sections, (int) namesAt), memoryBegin(header));
            }
        }
        return List.of();
    }

    /** The address, as the library has it, of the first byte that is loaded. */
    private long memoryBegin(ByteBuffer header) throws IOException {
        ByteBuffer segments = bytes(header.getLong(32), SEGMENT_BYTES * (long) (header.getShort(56) & SHORT_MASK));
        long begin = Long.MAX_VALUE;
        for (int at = 0; at < segments.capacity(); at += SEGMENT_BYTES) {
            if (segments.getInt(at) == SEGMENT_LOADED) {
                long alignment = Math.max(1, segments.getLong(at + 48));
                begin = Math.min(begin, segments.getLong(at + 16) / alignment * alignment);
            }
        }
        if (begin == Long.MAX_VALUE) {
            throw damaged("nothing of it is loaded");
        }
        return begin;
    }

    private ByteBuffer section(ByteBuffer sections, int at) throws IOException {
        return bytes(sections.getLong(at + 24), sections.getLong(at + 32));
    }

    private List<Function> functions(ByteBuffer symbols, ByteBuffer names, long memoryBegin) throws IOException {
        List<Function> functions = new ArrayList<>();
        for (int at = 0; at <= symbols.capacity() - SYMBOL_BYTES; at += SYMBOL_BYTES) {
            long address = symbols.getLong(at + 8);
            if ((symbols.get(at + 4) & TYPE_MASK) == TYPE_FUNCTION && address != 0) {
                functions.add(new Function(name(names, symbols.getInt(at)), address - memoryBegin));
            }
        }
        return functions;
    }

    private String name(ByteBuffer names, int begin) throws IOException {
        int end = begin;
        while (end >= 0 && end < names.capacity() && names.get(end) != 0) {
            end++;
        }
        if (end < 0 || end >= names.capacity()) {
            throw damaged("a name does not end");
        }
        byte[] name = new byte[end - begin];
        names.get(begin, name);
        return new String(name, StandardCharsets.UTF_8);
    }

    private ByteBuffer bytes(long position, long count) throws IOException {
        if (position < 0 || count < 0 || count > Integer.MAX_VALUE || position > channel.size() - count) {
            throw damaged("it is cut short");
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) count).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw damaged("it is cut short");
            }
        }
        return buffer;
    }

    private CodeFormatException damaged(String what) {
        return new CodeFormatException("the symbols of a library cannot be read, " + what, file, REMEDY);
    }
}
