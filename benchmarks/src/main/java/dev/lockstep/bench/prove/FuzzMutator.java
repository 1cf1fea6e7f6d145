package dev.lockstep.bench.prove;

import dev.lockstep.engine.page.PageLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Damages the files of a database as somebody would who knows their layout: it prefers the bytes that mean something,
 * the headers of pages, slots, records and seals, writes numbers there that are just too small or too large, moves
 * whole pages and sectors, and in half of all inputs makes the checksums right again, so that the damage gets past
 * them. Used by one thread.
 */
final class FuzzMutator {
    /** What can be done to a file. */
    enum Mutator {
        /** Some bits of a few dozen bytes. */
        FLIPPED_BITS("bits flipped"),
        /** A number of one to eight bytes. */
        WRITTEN_NUMBER("a number written"),
        /** Its end is gone. */
        TRUNCATED("a file truncated"),
        /** There is more behind its end. */
        EXTENDED("a file extended"),
        /** A block of the same or another file is copied over one of it. */
        SPLICED("blocks spliced"),
        /** Two blocks of it have changed places. */
        SWAPPED("blocks swapped"),
        /** It is gone. */
        REMOVED("a file removed"),
        /** What checksums can be made right are right. */
        FORGED("checksums made right");

        private final String title;

        Mutator(String title) {
            this.title = title;
        }

        /** What reports call it. */
        String title() {
            return title;
        }
    }

    /** What was done: to which files, by whom, in words. */
    record Input(SortedMap<String, byte[]> files, Set<Mutator> mutators, String description) {
        /** Whether checksums were made right. */
        boolean forged() {
            return mutators.contains(Mutator.FORGED);
        }
    }

    private static final int MUTATIONS_MAX = 3;
    private static final int SECTOR_BYTES = 512;
    private static final int FLIPS_MAX = 8;
    private static final int RANGE_BYTES_MAX = 64;
    private static final int EXTENSION_BYTES_MAX = 3 * PageLayout.PAGE_BYTES;

    /** The part of a page that is headers and slots. */
    private static final int PAGE_FRONT_BYTES = 160;

    private static final long[] NUMBERS = {
        0,
        1,
        2,
        7,
        8,
        24,
        48,
        127,
        128,
        255,
        256,
        4_096,
        8_191,
        8_192,
        8_201,
        32_767,
        32_768,
        65_535,
        65_536,
        1L << 20,
        1L << 30,
        Integer.MAX_VALUE,
        1L << 31,
        0xffff_ffffL,
        1L << 32,
        1L << 40,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -1,
        -2,
        -8
    };

    /** What is done in place, each as often as it stands here. */
    private static final List<Mutator> CHOICES = List.of(
            Mutator.FLIPPED_BITS,
            Mutator.FLIPPED_BITS,
            Mutator.WRITTEN_NUMBER,
            Mutator.WRITTEN_NUMBER,
            Mutator.WRITTEN_NUMBER,
            Mutator.TRUNCATED,
            Mutator.EXTENDED,
            Mutator.SPLICED,
            Mutator.SWAPPED);

    private final SortedMap<String, byte[]> original;

    /** @param original the files, by name */
    FuzzMutator(SortedMap<String, byte[]> original) {
        this.original = original;
    }

    /**
     * Reads the files of a closed database, or of one that was left, and gives it the same id in each run, so that
     * inputs mean the same.
     */
    static SortedMap<String, byte[]> read(Path directory) throws IOException {
        SortedMap<String, byte[]> files = new TreeMap<>();
        try (var entries = Files.list(directory)) {
            for (Path file : entries.sorted().toList()) {
                files.put(file.getFileName().toString(), FuzzSeals.withoutId(Files.readAllBytes(file)));
            }
        }
        return files;
    }

    /** Makes one input. */
    Input next(Random random) {
        SortedMap<String, byte[]> files = new TreeMap<>(original);
        List<String> done = new ArrayList<>();
        Set<Mutator> mutators = EnumSet.noneOf(Mutator.class);
        int count = 1 + random.nextInt(MUTATIONS_MAX);
        for (int i = 0; i < count; i++) {
            String name = choose(random, files);
            byte[] bytes = files.get(name);
            if (random.nextInt(60) == 0) {
                files.remove(name);
                mutators.add(Mutator.REMOVED);
                done.add(name + ": removed");
            } else {
                done.add(name + ": " + mutate(random, files, name, bytes.clone(), mutators));
            }
            if (files.isEmpty()) {
                break;
            }
        }
        boolean forged = random.nextBoolean();
        if (forged) {
            mutators.add(Mutator.FORGED);
            files.replaceAll((name, bytes) -> {
                byte[] before = original.get(name);
                return Arrays.equals(bytes, before) ? bytes : FuzzSeals.seal(name, bytes.clone(), before);
            });
        }
        return new Input(files, mutators, String.join("; ", done) + (forged ? "; checksums made right" : ""));
    }

    private static String choose(Random random, SortedMap<String, byte[]> files) {
        List<String> names = new ArrayList<>(files.keySet());
        names.removeIf(name -> files.get(name).length == 0 && random.nextInt(20) != 0);
        if (names.isEmpty()) {
            return files.firstKey();
        }
        // Data and log are most of what there is to break.
        List<String> main = names.stream()
                .filter(name -> FuzzSeals.isPages(name) || FuzzSeals.isLog(name))
                .toList();
        List<String> from = !main.isEmpty() && random.nextInt(8) != 0 ? main : names;
        return from.get(random.nextInt(from.size()));
    }

    /** Puts the damaged file among the others; says what was done. */
    private static String mutate(
            Random random, SortedMap<String, byte[]> files, String name, byte[] bytes, Set<Mutator> mutators) {
        int at = place(random, name, bytes);
        Mutator mutator = CHOICES.get(random.nextInt(CHOICES.size()));
        mutators.add(mutator);
        String done;
        byte[] result = bytes;
        switch (mutator) {
            case FLIPPED_BITS -> {
                int flips = 1 + random.nextInt(FLIPS_MAX);
                for (int i = 0; i < flips && bytes.length > 0; i++) {
                    bytes[(at + random.nextInt(RANGE_BYTES_MAX)) % bytes.length] ^= (byte) (1 << random.nextInt(8));
                }
                done = "flipped " + flips + " bits behind " + at;
            }
            case WRITTEN_NUMBER -> {
                long number = NUMBERS[random.nextInt(NUMBERS.length)];
                int width = 1 << random.nextInt(4);
                for (int i = 0; i < width && at + i < bytes.length; i++) {
                    bytes[at + i] = (byte) (number >>> (Byte.SIZE * i));
                }
                done = "wrote " + number + " of " + width + " bytes at " + at;
            }
            case TRUNCATED -> {
                int cut = random.nextBoolean() ? at : at / SECTOR_BYTES * SECTOR_BYTES;
                result = Arrays.copyOf(bytes, cut);
                done = "truncated at " + cut;
            }
            case EXTENDED -> {
                byte[] garbage = new byte[1 + random.nextInt(EXTENSION_BYTES_MAX)];
                random.nextBytes(garbage);
                result = Arrays.copyOf(bytes, bytes.length + garbage.length);
                System.arraycopy(garbage, 0, result, bytes.length, garbage.length);
                done = "extended by " + garbage.length;
            }
            case SPLICED -> done = splice(random, files, name, bytes, at);
            default -> done = swap(random, name, bytes, at);
        }
        files.put(name, result);
        return done;
    }

    private static String splice(Random random, SortedMap<String, byte[]> files, String name, byte[] bytes, int at) {
        List<String> names = List.copyOf(files.keySet());
        String other = random.nextInt(4) == 0 ? names.get(random.nextInt(names.size())) : name;
        byte[] source = files.get(other);
        int block = random.nextBoolean() ? blockBytes(name) : SECTOR_BYTES;
        int from = place(random, other, source) / block * block;
        int to = at / block * block;
        int count = Math.min(block, Math.min(source.length - from, bytes.length - to));
        System.arraycopy(source, from, bytes, to, Math.max(count, 0));
        return "spliced " + count + " bytes from " + from + " of " + other + " at " + to;
    }

    private static String swap(Random random, String name, byte[] bytes, int at) {
        int block = random.nextBoolean() ? blockBytes(name) : SECTOR_BYTES;
        int one = at / block * block;
        int other = place(random, name, bytes) / block * block;
        int count = Math.max(Math.min(block, bytes.length - Math.max(one, other)), 0);
        byte[] kept = Arrays.copyOfRange(bytes, one, one + count);
        System.arraycopy(bytes, other, bytes, one, count);
        System.arraycopy(kept, 0, bytes, other, count);
        return "swapped " + count + " bytes of " + one + " and " + other;
    }

    private static int blockBytes(String name) {
        return FuzzSeals.isLog(name) ? 64 : PageLayout.PAGE_BYTES;
    }

    /** A place that means something, if there is one. */
    private static int place(Random random, String name, byte[] bytes) {
        int used = bytes.length;
        // The end of a segment is zeros that nobody reads.
        while (used > 0 && bytes[used - 1] == 0) {
            used--;
        }
        if (used == 0) {
            return bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        }
        if (FuzzSeals.isPages(name)) {
            int page = random.nextInt((used + PageLayout.PAGE_BYTES - 1) / PageLayout.PAGE_BYTES);
            int within =
                    random.nextInt(3) == 0 ? random.nextInt(PageLayout.PAGE_BYTES) : random.nextInt(PAGE_FRONT_BYTES);
            return Math.min(page * PageLayout.PAGE_BYTES + within, bytes.length - 1);
        }
        if (FuzzSeals.isLog(name) && random.nextInt(4) != 0) {
            List<Integer> records = FuzzSeals.records(bytes);
            if (!records.isEmpty()) {
                int record = records.get(random.nextInt(records.size()));
                return Math.min(record + random.nextInt(RANGE_BYTES_MAX), bytes.length - 1);
            }
        }
        return random.nextInt(used);
    }
}
