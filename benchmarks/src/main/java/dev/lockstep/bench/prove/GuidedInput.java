package dev.lockstep.bench.prove;

import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import dev.lockstep.engine.recovery.CheckpointLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the coverage-guided fuzzer's bytes mean. They damage one place of a file, so that each of them matters: a fuzzer
 * that changes megabytes never meets what counts.
 *
 * <pre>
 *  0        1       2        4
 *  +--------+-------+--------+--------- - - -
 *  | target | what  | place  | contents
 *  |   u8   |  u8   | u16    |
 *  +--------+-------+--------+--------- - - -
 * </pre>
 *
 * <p>The low three bits of {@code what} are flags, the others the number of an {@link Operation}. The contents are laid
 * over the place, or say what else is done there:
 *
 * <pre>
 *  4        6        8        10
 *  +--------+--------+--------+--------- - - -
 *  | offset | other  | length | bits to flip
 *  |  u16   |  u16   |  u16   |
 *  +--------+--------+--------+--------- - - -
 * </pre>
 *
 * <p>The offset is one within the place, and within the other place, which a splice copies from and a swap changes
 * places with; a length of 0 stands for the rest of a place. Numbers are taken modulo how many there are, and what is
 * missing is 0, so that every input means something. Numbers of several bytes are little-endian. Immutable but for the
 * files it was made from, which it does not change.
 */
final class GuidedInput {
    /** What is damaged. */
    enum Target {
        /** The data file; its places are pages. */
        PAGES(3, PageLayout.PAGE_BYTES),
        /** The log; its places are records, or the front of one. */
        LOG(3, 256),
        /** The checkpoint file; its places are sectors. */
        CHECKPOINT(1, SECTOR_BYTES),
        /** The double-write area; its places are its header, its directory, and its pages. */
        DOUBLE_WRITE(1, PageLayout.PAGE_BYTES);

        private final int weight;
        private final int placeBytes;

        Target(int weight, int placeBytes) {
            this.weight = weight;
            this.placeBytes = placeBytes;
        }

        /** How many inputs it gets for each of the lightest: data and log are most of what there is to break. */
        int weight() {
            return weight;
        }

        /** What reports call it. */
        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** What is done to a place. */
    enum Operation {
        /** The contents are laid over it. */
        OVERLAY("overlaid"),
        /** Bits are flipped from the offset on. */
        FLIP("bits flipped"),
        /** The file ends at the offset. */
        TRUNCATE("truncated"),
        /** The bytes of the other place are copied over it. */
        SPLICE("spliced"),
        /** The bytes of the other place change places with it, as far as the two do not overlap. */
        SWAP("swapped");

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        /** What reports call it. */
        String title() {
            return title;
        }
    }

    static final int HEADER_BYTES = 4;

    /** The longest input: a page. */
    static final int BYTES_MAX = HEADER_BYTES + PageLayout.PAGE_BYTES;

    /** Checksums are made right. */
    static final int FORGED = 1;

    /** The database was left as a crash leaves it, not closed. */
    static final int LEFT = 2;

    /** The pages that the double-write area has copies of are torn, so that the copies are used. */
    static final int TORN = 4;

    /** Behind so many bits the flags end, and the number of the operation begins. */
    static final int FLAG_BITS = 3;

    private static final int WHAT_OFFSET = 1;
    private static final int PLACE_OFFSET = 2;
    private static final int OFFSET_OFFSET = 4;
    private static final int OTHER_OFFSET = 6;
    private static final int LENGTH_OFFSET = 8;
    private static final int BITS_OFFSET = 10;
    private static final int SECTOR_BYTES = 512;

    /** Places that seeds are made of, spread over all of a target. */
    private static final int SEEDS_MAX = 48;

    /** One in so many of them offers the other operations too. */
    private static final int SEEDS_PER_OPERATION = 8;

    /** Bytes that a seed of another operation offers to flip. */
    private static final int FLIPPED_SEED_BYTES = 32;

    private final byte[] input;
    private final int end;

    /** @param input of any length */
    GuidedInput(byte[] input) {
        this.input = Arrays.copyOf(input, Math.max(input.length, BITS_OFFSET));
        end = input.length;
    }

    /**
     * An input that damages what it is told to.
     *
     * @param input of any length; is not changed
     */
    static byte[] withTarget(byte[] input, Target target) {
        byte[] changed = Arrays.copyOf(input, Math.max(input.length, HEADER_BYTES));
        changed[0] = (byte) target.ordinal();
        return changed;
    }

    Target target() {
        return Target.values()[Byte.toUnsignedInt(input[0]) % Target.values().length];
    }

    Operation operation() {
        return Operation.values()[(Byte.toUnsignedInt(input[WHAT_OFFSET]) >>> FLAG_BITS) % Operation.values().length];
    }

    boolean forged() {
        return has(FORGED);
    }

    private boolean has(int flag) {
        return (input[WHAT_OFFSET] & flag) != 0;
    }

    private int number(int offset) {
        return Short.toUnsignedInt(
                ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).getShort(offset));
    }

    /**
     * The files of the database with the damage.
     *
     * @param closed those of a database that was closed in order
     * @param left those of one that was not
     */
    SortedMap<String, byte[]> files(SortedMap<String, byte[]> closed, SortedMap<String, byte[]> left) {
        boolean isLeft = has(LEFT) || target() == Target.LOG || target() == Target.DOUBLE_WRITE;
        SortedMap<String, byte[]> files = new TreeMap<>(isLeft ? left : closed);
        String name = file(target(), files);
        byte[] before = files.get(name);
        if (target() == Target.DOUBLE_WRITE && has(TORN)) {
            tear(files, before);
        }
        byte[] damaged = damaged(before.clone(), places(target(), before));
        files.put(name, forged() ? FuzzSeals.seal(name, damaged, before) : damaged);
        return files;
    }

    /** Zeroes a sector of each page that the area has a copy of. */
    private static void tear(SortedMap<String, byte[]> files, byte[] area) {
        byte[] pages = files.get(PageFile.PAGES_FILE).clone();
        ByteBuffer directory = ByteBuffer.wrap(area).order(ByteOrder.LITTLE_ENDIAN);
        int count = directory.getInt(DoubleWriteLayout.DIRECTORY_POSITION + DoubleWriteLayout.PAGE_COUNT_OFFSET);
        for (int i = 0; i < count; i++) {
            int pageId = directory.getInt(DoubleWriteLayout.DIRECTORY_POSITION
                    + DoubleWriteLayout.entryOffset(i)
                    + DoubleWriteLayout.ENTRY_PAGE_ID_OFFSET);
            int at = pageId * PageLayout.PAGE_BYTES + SECTOR_BYTES;
            Arrays.fill(pages, at, at + SECTOR_BYTES, (byte) 0);
        }
        files.put(PageFile.PAGES_FILE, pages);
    }

    /** Returns {@code bytes}, changed, or what is left of them. */
    private byte[] damaged(byte[] bytes, List<Integer> places) {
        int place = places.get(number(PLACE_OFFSET) % places.size());
        if (operation() == Operation.OVERLAY) {
            int contents = Math.min(Math.max(end - HEADER_BYTES, 0), PageLayout.PAGE_BYTES);
            System.arraycopy(input, HEADER_BYTES, bytes, place, Math.min(contents, bytes.length - place));
            return bytes;
        }
        int placeBytes = target().placeBytes;
        int within = number(OFFSET_OFFSET) % placeBytes;
        int at = Math.min(place + within, bytes.length);
        int other = Math.min(places.get(number(OTHER_OFFSET) % places.size()) + within, bytes.length);
        int wanted = number(LENGTH_OFFSET) == 0 ? placeBytes - within : number(LENGTH_OFFSET);
        int length = Math.min(wanted, bytes.length - Math.max(at, other));
        return switch (operation()) {
            case TRUNCATE -> Arrays.copyOf(bytes, at);
            case SPLICE -> {
                System.arraycopy(bytes, other, bytes, at, length);
                yield bytes;
            }
            case SWAP -> swapped(bytes, at, other, Math.min(length, Math.abs(at - other)));
            default -> flipped(bytes, at);
        };
    }

    private static byte[] swapped(byte[] bytes, int at, int other, int length) {
        byte[] kept = Arrays.copyOfRange(bytes, at, at + length);
        System.arraycopy(bytes, other, bytes, at, length);
        System.arraycopy(kept, 0, bytes, other, length);
        return bytes;
    }

    private byte[] flipped(byte[] bytes, int at) {
        int length = Math.min(end - BITS_OFFSET, bytes.length - at);
        for (int i = 0; i < length; i++) {
            bytes[at + i] ^= input[BITS_OFFSET + i];
        }
        return bytes;
    }

    /** Where the places of a file begin; at least one. */
    private static List<Integer> places(Target target, byte[] bytes) {
        List<Integer> places = new ArrayList<>();
        if (target == Target.LOG) {
            places.addAll(FuzzSeals.records(bytes));
        } else {
            for (int at = 0; at < bytes.length; at += target.placeBytes) {
                places.add(at);
            }
        }
        if (places.isEmpty()) {
            places.add(0);
        }
        return places;
    }

    private static String file(Target target, SortedMap<String, byte[]> files) {
        return switch (target) {
            case PAGES -> PageFile.PAGES_FILE;
            // The last is the one that the end of the log is in.
            case LOG ->
                files.keySet().stream()
                        .filter(FuzzSeals::isLog)
                        .reduce((one, next) -> next)
                        .orElseThrow();
            case CHECKPOINT -> CheckpointLayout.FILE_NAME;
            case DOUBLE_WRITE -> PageFile.DOUBLE_WRITE_FILE;
        };
    }

    /**
     * Inputs to begin with: each place with the bytes that it has, which damages nothing, and at some places the other
     * operations.
     */
    static List<byte[]> seeds(Target target, SortedMap<String, byte[]> closed, SortedMap<String, byte[]> left) {
        List<byte[]> seeds = new ArrayList<>();
        switch (target) {
            case PAGES -> addSeeds(seeds, target, FORGED, closed);
            case LOG -> addSeeds(seeds, target, FORGED, left);
            case CHECKPOINT -> {
                addSeeds(seeds, target, FORGED, closed);
                addSeeds(seeds, target, FORGED | LEFT, left);
            }
            case DOUBLE_WRITE -> addSeeds(seeds, target, FORGED | TORN, left);
        }
        return seeds;
    }

    private static void addSeeds(List<byte[]> seeds, Target target, int flags, SortedMap<String, byte[]> files) {
        byte[] bytes = files.get(file(target, files));
        List<Integer> places = places(target, bytes);
        int step = step(target, places.size());
        int count = Math.min((places.size() + step - 1) / step, SEEDS_MAX);
        for (int i = 0; i < count; i++) {
            int place = i * step;
            int at = places.get(place);
            int length = Math.min(target.placeBytes, bytes.length - at);
            seeds.add(seed(target, Operation.OVERLAY, flags, place, length)
                    .put(HEADER_BYTES, bytes, at, length)
                    .array());
            if (i % SEEDS_PER_OPERATION == 0) {
                for (Operation operation : Operation.values()) {
                    if (operation != Operation.OVERLAY) {
                        seeds.add(seed(target, operation, flags, place, BITS_OFFSET - HEADER_BYTES + FLIPPED_SEED_BYTES)
                                .putShort(OTHER_OFFSET, (short) (place + step))
                                .array());
                    }
                }
            }
        }
    }

    private static int step(Target target, int places) {
        return switch (target) {
            // The middle of the file is the bitmap, most of it zeros.
            case CHECKPOINT -> Math.max(places - 1, 1);
            // Behind the directory and the pages that it names there is nothing.
            case DOUBLE_WRITE -> 1;
            default -> 1 + places / SEEDS_MAX;
        };
    }

    private static ByteBuffer seed(Target target, Operation operation, int flags, int place, int contentBytes) {
        return ByteBuffer.allocate(HEADER_BYTES + contentBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(0, (byte) target.ordinal())
                .put(WHAT_OFFSET, (byte) ((operation.ordinal() << FLAG_BITS) | flags))
                .putShort(PLACE_OFFSET, (short) place);
    }
}
