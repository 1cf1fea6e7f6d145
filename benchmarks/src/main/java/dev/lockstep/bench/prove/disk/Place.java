package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.page.PageLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/**
 * Where the bytes of a write lie, or those that it has overwritten in place of its own.
 *
 * @param path the file, by the name that it has when the write is done
 * @param file number of the file itself
 * @param position of the first byte, in bytes
 * @param lengthBytes how many there are, at least 1
 * @param zone what they are; where they are of several pages, of the first one
 */
record Place(Path path, int file, long position, int lengthBytes, Zone zone) {
    /** A wrong address knows nothing of files; but most are wrong by little, and hit the file that was meant. */
    private static final int ONE_IN_OTHER_FILES = 4;

    /** Where a write belongs. */
    static Place of(DiskOperation write) {
        return new Place(write.path(), write.file(), write.position(), write.data().length, Zone.of(write));
    }

    /**
     * Where a wrong address sends a write.
     *
     * @param image what is on the disk before it
     */
    static Place elsewhere(DiskOperation write, DiskImage image, Random random) {
        List<Path> others = image.list(write.path().getParent()).stream()
                .filter(path -> image.file(path) != write.file())
                .filter(path -> image.bytes(image.file(path)).sizeBytes() > 0)
                .toList();
        if (others.isEmpty() || random.nextInt(ONE_IN_OTHER_FILES) != 0) {
            return inSameFile(write, image, random);
        }
        // By kind first, because most files are segments of the log.
        List<String> kinds =
                others.stream().map(DiskOperation::fileKind).distinct().toList();
        String kind = kinds.get(random.nextInt(kinds.size()));
        List<Path> ofKind = others.stream()
                .filter(path -> DiskOperation.fileKind(path).equals(kind))
                .toList();
        return inFile(ofKind.get(random.nextInt(ofKind.size())), write, image, random);
    }

    /** As far away as a wrong bit of an address makes it, in pages or sectors. */
    private static Place inSameFile(DiskOperation write, DiskImage image, Random random) {
        int unit = unitBytes(write);
        long units = Math.max(2, unitCount(image.bytes(write.file()).sizeBytes(), unit));
        long own = write.position() / unit;
        long other = random.nextInt((int) units);
        long position = (other == own ? (own + 1) % units : other) * unit + write.position() % unit;
        return place(write.path(), write.file(), position, write.data().length, image);
    }

    /** At the same position of the other file, if it is so long, or at another; its length stays as it is. */
    private static Place inFile(Path path, DiskOperation write, DiskImage image, Random random) {
        int file = image.file(path);
        long sizeBytes = image.bytes(file).sizeBytes();
        int unit = unitBytes(write);
        long position = write.position();
        if (position >= sizeBytes || random.nextBoolean()) {
            long from = random.nextInt((int) unitCount(sizeBytes, unit)) * (long) unit;
            long within = write.position() % unit;
            position = from + within < sizeBytes ? from + within : from;
        }
        return place(path, file, position, (int) Math.min(write.data().length, sizeBytes - position), image);
    }

    private static Place place(Path path, int file, long position, int lengthBytes, DiskImage image) {
        byte[] page = new byte[PageLayout.PAGE_BYTES];
        image.bytes(file).read(ByteBuffer.wrap(page), position - position % PageLayout.PAGE_BYTES);
        return new Place(path, file, position, lengthBytes, Zone.of(path, position, page));
    }

    private static int unitBytes(DiskOperation write) {
        return write.position() % PageLayout.PAGE_BYTES == 0 ? PageLayout.PAGE_BYTES : DiskImage.SECTOR_BYTES;
    }

    private static long unitCount(long sizeBytes, int unit) {
        return (sizeBytes + unit - 1) / unit;
    }
}
