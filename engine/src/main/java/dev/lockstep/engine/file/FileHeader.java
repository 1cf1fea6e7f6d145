package dev.lockstep.engine.file;

import dev.lockstep.engine.CorruptionException;
import dev.lockstep.engine.Message;
import dev.lockstep.engine.NewerFormatException;
import dev.lockstep.engine.OlderFormatException;
import dev.lockstep.engine.TruncatedFileException;
import dev.lockstep.engine.UnknownFormatException;
import dev.lockstep.engine.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * What a file says about itself: which program, which kind, which version, which database. Every file of the engine
 * begins with one ({@link FileHeaderLayout}); a file that does not belong where it lies is told by the type of the
 * exception.
 *
 * <p>Thread-safety: immutable.
 *
 * @param format kind of the file
 * @param version version of the kind, from {@link FileFormat#versionMin()} to {@link FileFormat#version()}
 * @param databaseId the database that the file belongs to
 * @param parameter a number whose meaning the kind of file knows, 0 if unused
 */
public record FileHeader(FileFormat format, int version, DatabaseId databaseId, long parameter) {
    /** Makes the header of a new file of the current version. */
    public static FileHeader of(FileFormat format, DatabaseId databaseId, long parameter) {
        return new FileHeader(format, format.version(), databaseId, parameter);
    }

    /**
     * Returns the header as it lies in the file.
     *
     * @param lengthBytes bytes of the buffer returned, at least {@link FileHeaderLayout#HEADER_BYTES}; the rest is zero
     * @return a direct buffer, positioned at 0
     */
    public ByteBuffer encode(int lengthBytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(FileHeaderLayout.MAGIC_OFFSET, FileHeaderLayout.MAGIC);
        buffer.put(FileHeaderLayout.NAME_OFFSET, nameBytes(format));
        buffer.putInt(FileHeaderLayout.VERSION_OFFSET, version);
        buffer.putInt(FileHeaderLayout.PAGE_BYTES_OFFSET, PageLayout.PAGE_BYTES);
        buffer.putLong(FileHeaderLayout.DATABASE_ID_HIGH_OFFSET, databaseId.high());
        buffer.putLong(FileHeaderLayout.DATABASE_ID_LOW_OFFSET, databaseId.low());
        buffer.putLong(FileHeaderLayout.PARAMETER_OFFSET, parameter);
        buffer.putInt(FileHeaderLayout.CHECKSUM_OFFSET, checksum(buffer));
        return buffer;
    }

    /** Writes the header at the beginning of a file, without forcing it. */
    public void write(BlockFile file) {
        file.write(encode(FileHeaderLayout.HEADER_BYTES), 0);
    }

    /**
     * Reads and checks the header of a file.
     *
     * @param file the file
     * @param format the kind that it must be
     * @param databaseIdOrNull the database that it must belong to, or null if any will do
     * @return the header
     * @throws TruncatedFileException if the file is shorter than its header
     * @throws UnknownFormatException if the file was not written by Lockstep, is of another kind, or of another
     *     database
     * @throws CorruptionException if the checksum is wrong, or a file of this version has an impossible value
     * @throws NewerFormatException if the version is newer than this program
     * @throws OlderFormatException if the version is no longer read
     */
    public static FileHeader read(BlockFile file, FileFormat format, DatabaseId databaseIdOrNull) {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(FileHeaderLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int count = file.read(buffer, 0);
        if (count < FileHeaderLayout.HEADER_BYTES && isMagicPossible(buffer, count)) {
            throw new TruncatedFileException(Message.of("The file is shorter than its header")
                    .with("file", file.path())
                    .with("sizeBytes", count)
                    .with("headerBytes", FileHeaderLayout.HEADER_BYTES)
                    .remedy("Restore the file from a backup."));
        }
        return decode(buffer, file.path(), format, databaseIdOrNull);
    }

    private static FileHeader decode(ByteBuffer buffer, Path path, FileFormat format, DatabaseId databaseIdOrNull) {
        if (buffer.getLong(FileHeaderLayout.MAGIC_OFFSET) != FileHeaderLayout.MAGIC) {
            throw new UnknownFormatException(Message.of("The file was not written by Lockstep")
                    .with("file", path)
                    .with("magic", Long.toHexString(buffer.getLong(FileHeaderLayout.MAGIC_OFFSET)))
                    .with("expectedMagic", Long.toHexString(FileHeaderLayout.MAGIC))
                    .remedy("Check the directory; the file is left as it is."));
        }
        int checksum = checksum(buffer);
        if (buffer.getInt(FileHeaderLayout.CHECKSUM_OFFSET) != checksum) {
            throw corrupt(path, "checksum", buffer.getInt(FileHeaderLayout.CHECKSUM_OFFSET), checksum);
        }
        String name = name(buffer);
        if (!name.equals(format.formatName())) {
            throw new UnknownFormatException(Message.of("The file is of another kind than its name says")
                    .with("file", path)
                    .with("format", name)
                    .with("expectedFormat", format.formatName())
                    .remedy("Put back the file that belongs there."));
        }
        int version = buffer.getInt(FileHeaderLayout.VERSION_OFFSET);
        checkVersion(path, format, version);
        int pageBytes = buffer.getInt(FileHeaderLayout.PAGE_BYTES_OFFSET);
        if (pageBytes != PageLayout.PAGE_BYTES) {
            throw corrupt(path, "pageBytes", pageBytes, PageLayout.PAGE_BYTES);
        }
        DatabaseId databaseId = new DatabaseId(
                buffer.getLong(FileHeaderLayout.DATABASE_ID_HIGH_OFFSET),
                buffer.getLong(FileHeaderLayout.DATABASE_ID_LOW_OFFSET));
        if (databaseIdOrNull != null && !databaseId.equals(databaseIdOrNull)) {
            throw new UnknownFormatException(Message.of("The file belongs to another database")
                    .with("file", path)
                    .with("databaseId", databaseId)
                    .with("expectedDatabaseId", databaseIdOrNull)
                    .remedy("Put back the file that belongs there."));
        }
        return new FileHeader(format, version, databaseId, buffer.getLong(FileHeaderLayout.PARAMETER_OFFSET));
    }

    private static void checkVersion(Path path, FileFormat format, int version) {
        if (version > format.version()) {
            throw new NewerFormatException(Message.of("The file was written by a newer version of Lockstep")
                    .with("file", path)
                    .with("version", version)
                    .with("versionMax", format.version())
                    .remedy("Open it with that version or a newer one."));
        }
        if (version < format.versionMin()) {
            throw new OlderFormatException(
                    Message.of("The file was written by a version of Lockstep that is no longer read")
                            .with("file", path)
                            .with("version", version)
                            .with("versionMin", format.versionMin())
                            .remedy("Open it with an older version and copy the data."));
        }
    }

    private static CorruptionException corrupt(Path path, String field, int actual, int expected) {
        return new CorruptionException(Message.of("The header of the file is damaged")
                .with("file", path)
                .with(field, Integer.toHexString(actual))
                .with("expected", Integer.toHexString(expected))
                .remedy("Restore the file from a backup."));
    }

    /** Whether what there is of a file shorter than its header could be the beginning of one of ours. */
    private static boolean isMagicPossible(ByteBuffer buffer, int count) {
        for (int i = 0; i < Math.min(count, Long.BYTES); i++) {
            if (buffer.get(i) != (byte) (FileHeaderLayout.MAGIC >>> (i * Byte.SIZE))) {
                return false;
            }
        }
        return true;
    }

    private static byte[] nameBytes(FileFormat format) {
        byte[] bytes = new byte[FileHeaderLayout.NAME_BYTES];
        byte[] ascii = format.formatName().getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(ascii, 0, bytes, 0, ascii.length);
        return bytes;
    }

    private static String name(ByteBuffer buffer) {
        byte[] bytes = new byte[FileHeaderLayout.NAME_BYTES];
        buffer.get(FileHeaderLayout.NAME_OFFSET, bytes);
        return new String(bytes, StandardCharsets.US_ASCII).replace("\0", "");
    }

    private static int checksum(ByteBuffer buffer) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(0, FileHeaderLayout.CHECKSUM_OFFSET));
        return (int) crc.getValue();
    }
}
