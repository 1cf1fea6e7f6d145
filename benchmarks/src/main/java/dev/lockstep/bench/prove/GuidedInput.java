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
 * What the coverage-guided fuzzer's bytes mean. They are laid over one place of a file, so that each of them matters:
 * a fuzzer that changes megabytes never meets what counts.
 *
 * <pre>
 *  0        1       2        4
 *  +--------+-------+--------+--------- - - -
 *  | target | flags | place  | contents
 *  |   u8   |  u8   | u16    |
 *  +--------+-------+--------+--------- - - -
 * </pre>
 *
 * <p>Numbers are taken modulo how many there are, so that every input means something. Immutable but for the files it
 * was made from, which it does not change.
 */
final class GuidedInput {
    /** What is damaged. */
    enum Target {
        /** One page of the data file. */
        PAGES,
        /** Some bytes of the log, from the beginning of a record. */
        LOG,
        /** The checkpoint file, from the beginning of a sector. */
        CHECKPOINT,
        /** The directory of the double-write area, or one of its pages. */
        DOUBLE_WRITE;

        /** What reports call it. */
        String title() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
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

    private static final int FLAGS_OFFSET = 1;
    private static final int PLACE_OFFSET = 2;
    private static final int BYTE_MASK = 0xff;
    private static final int SHORT_MASK = 0xffff;
    private static final int SECTOR_BYTES = 512;

    /** Bytes of a log record that a seed offers: its header and the front of its body. */
    private static final int LOG_SEED_BYTES = 256;

    /** Log records, pages and copies that seeds are made of, of each, spread over all. */
    private static final int SEEDS_MAX = 48;

    private final byte[] input;

    /** @param input of any length */
    GuidedInput(byte[] input) {
        this.input = Arrays.copyOf(input, Math.max(input.length, HEADER_BYTES));
    }

    Target target() {
        return Target.values()[(input[0] & BYTE_MASK) % Target.values().length];
    }

    boolean forged() {
        return has(FORGED);
    }

    private boolean has(int flag) {
        return (input[FLAGS_OFFSET] & flag) != 0;
    }

    private int place(int count) {
        int value = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).getShort(PLACE_OFFSET) & SHORT_MASK;
        return count == 0 ? 0 : value % count;
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
        switch (target()) {
            case PAGES -> {
                byte[] pages = files.get(PageFile.PAGES_FILE).clone();
                int at = place(pages.length / PageLayout.PAGE_BYTES) * PageLayout.PAGE_BYTES;
                overlay(pages, at, PageLayout.PAGE_BYTES);
                put(files, PageFile.PAGES_FILE, pages);
            }
            case LOG -> {
                String name = log(files);
                byte[] log = files.get(name).clone();
                List<Integer> records = FuzzSeals.records(log);
                overlay(log, records.isEmpty() ? 0 : records.get(place(records.size())), log.length);
                put(files, name, log);
            }
            case CHECKPOINT -> {
                byte[] checkpoint = files.get(CheckpointLayout.FILE_NAME).clone();
                overlay(checkpoint, place(sectors(checkpoint)) * SECTOR_BYTES, checkpoint.length);
                put(files, CheckpointLayout.FILE_NAME, checkpoint);
            }
            case DOUBLE_WRITE -> damageCopies(files);
        }
        return files;
    }

    private void damageCopies(SortedMap<String, byte[]> files) {
        byte[] area = files.get(PageFile.DOUBLE_WRITE_FILE).clone();
        if (has(TORN)) {
            tear(files, area);
        }
        int slot = place(area.length / PageLayout.PAGE_BYTES);
        overlay(area, slot * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES);
        put(files, PageFile.DOUBLE_WRITE_FILE, area);
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

    private void overlay(byte[] bytes, int at, int lengthMax) {
        int length = Math.min(Math.min(input.length - HEADER_BYTES, lengthMax), bytes.length - at);
        System.arraycopy(input, HEADER_BYTES, bytes, at, length);
    }

    private void put(SortedMap<String, byte[]> files, String name, byte[] bytes) {
        byte[] before = files.get(name);
        files.put(name, forged() ? FuzzSeals.seal(name, bytes, before) : bytes);
    }

    private static int sectors(byte[] bytes) {
        return (bytes.length + SECTOR_BYTES - 1) / SECTOR_BYTES;
    }

    private static String log(SortedMap<String, byte[]> files) {
        // The last is the one that the end of the log is in.
        return files.keySet().stream()
                .filter(FuzzSeals::isLog)
                .reduce((one, next) -> next)
                .orElseThrow();
    }

    /** Inputs that damage nothing, to begin with: each place with the bytes that it has. */
    static List<byte[]> seeds(SortedMap<String, byte[]> closed, SortedMap<String, byte[]> left) {
        List<byte[]> seeds = new ArrayList<>();
        byte[] pages = closed.get(PageFile.PAGES_FILE);
        int pageCount = pages.length / PageLayout.PAGE_BYTES;
        for (int page = 0; page < pageCount; page += 1 + pageCount / SEEDS_MAX) {
            seeds.add(seed(Target.PAGES, FORGED, page, pages, page * PageLayout.PAGE_BYTES, PageLayout.PAGE_BYTES));
        }
        byte[] log = left.get(log(left));
        List<Integer> records = FuzzSeals.records(log);
        for (int i = 0; i < records.size(); i += 1 + records.size() / SEEDS_MAX) {
            seeds.add(seed(Target.LOG, FORGED, i, log, records.get(i), LOG_SEED_BYTES));
        }
        for (int flags : new int[] {FORGED, FORGED | LEFT}) {
            byte[] checkpoint =
                    (flags & LEFT) == 0 ? closed.get(CheckpointLayout.FILE_NAME) : left.get(CheckpointLayout.FILE_NAME);
            // The middle of the file is the bitmap, most of it zeros.
            int last = sectors(checkpoint) - 1;
            seeds.add(seed(Target.CHECKPOINT, flags, 0, checkpoint, 0, SECTOR_BYTES));
            seeds.add(seed(Target.CHECKPOINT, flags, last, checkpoint, last * SECTOR_BYTES, SECTOR_BYTES));
        }
        byte[] area = left.get(PageFile.DOUBLE_WRITE_FILE);
        int slots = area.length / PageLayout.PAGE_BYTES;
        for (int slot = 0; slot < slots; slot++) {
            int at = slot * PageLayout.PAGE_BYTES;
            seeds.add(seed(Target.DOUBLE_WRITE, FORGED | TORN, slot, area, at, PageLayout.PAGE_BYTES));
        }
        return seeds;
    }

    private static byte[] seed(Target target, int flags, int place, byte[] bytes, int at, int length) {
        int count = Math.min(length, bytes.length - at);
        return ByteBuffer.allocate(HEADER_BYTES + count)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) target.ordinal())
                .put((byte) flags)
                .putShort((short) place)
                .put(bytes, at, count)
                .array();
    }
}
