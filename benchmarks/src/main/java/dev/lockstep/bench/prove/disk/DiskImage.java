package dev.lockstep.bench.prove.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * What lies on a disk, and what the operating system shows of it.
 *
 * <p>Invariants:
 * <ul>
 *   <li>Of every file there are the bytes that are shown and the bytes that are on the medium; between them lie the
 *       pending writes, in their order.
 *   <li>The same holds of the names: a file has its name on the medium once its directory is forced. Forcing a file
 *       makes its bytes durable, not its name.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class DiskImage {
    /** What a disk writes whole or not at all. */
    static final int SECTOR_BYTES = 512;

    private final Map<Integer, SimulatedFile> files = new HashMap<>();
    private final Map<Path, Integer> names = new TreeMap<>();
    private final Map<Path, Integer> durableNames = new TreeMap<>();
    private final Map<Path, List<DiskOperation>> pendingNames = new HashMap<>();
    private final Set<Path> directories = new HashSet<>();
    private int fileCount;

    private static final class SimulatedFile {
        private final FileImage shown;
        private final FileImage durable;
        private final List<DiskOperation> pending = new ArrayList<>();

        SimulatedFile(FileImage shown, FileImage durable) {
            this.shown = shown;
            this.durable = durable;
        }
    }

    /** A copy that changes apart from this. */
    DiskImage copy() {
        DiskImage copy = new DiskImage();
        files.forEach((number, file) -> {
            SimulatedFile its = new SimulatedFile(file.shown.copy(), file.durable.copy());
            its.pending.addAll(file.pending);
            copy.files.put(number, its);
        });
        copy.names.putAll(names);
        copy.durableNames.putAll(durableNames);
        pendingNames.forEach((directory, pending) -> copy.pendingNames.put(directory, new ArrayList<>(pending)));
        copy.directories.addAll(directories);
        copy.fileCount = fileCount;
        return copy;
    }

    /** Number of the file of a name, 0 if there is none. */
    int file(Path path) {
        return names.getOrDefault(path, 0);
    }

    /** A number that no file has. */
    int newFile() {
        return fileCount + 1;
    }

    FileImage bytes(int file) {
        return files.get(file).shown;
    }

    boolean exists(Path path) {
        return names.containsKey(path) || directories.contains(path);
    }

    List<Path> list(Path directory) {
        return names.keySet().stream()
                .filter(path -> directory.equals(path.getParent()))
                .toList();
    }

    private void makeDirectories(Path directory) {
        for (Path path = directory; path != null; path = path.getParent()) {
            directories.add(path);
        }
    }

    /** Does what an operation does when nothing goes wrong. */
    void apply(DiskOperation operation) {
        SimulatedFile file = files.get(operation.file());
        switch (operation.kind()) {
            case READ, OPEN, LIST, EXISTS, SIZE, LOCK -> {
                // Changes nothing.
            }
            case MAKE_DIRECTORIES -> makeDirectories(operation.path());
            case WRITE, TRUNCATE -> {
                change(file.shown, operation);
                file.pending.add(operation);
            }
            case FORCE -> {
                file.pending.forEach(pending -> change(file.durable, pending));
                file.pending.clear();
            }
            case CREATE -> {
                fileCount = Math.max(fileCount, operation.file());
                makeDirectories(operation.path().getParent());
                files.put(operation.file(), new SimulatedFile(new FileImage(), new FileImage()));
                changeName(operation);
            }
            case RENAME, DELETE -> changeName(operation);
            case FORCE_DIRECTORY -> {
                List<DiskOperation> pending = pendingNames.remove(operation.path());
                if (pending != null) {
                    pending.forEach(change -> change(durableNames, change));
                }
            }
        }
    }

    /** Lets a force fail as systems do: the data stays in memory as if it were on the medium, and is not. */
    void failForce(DiskOperation operation) {
        if (operation.kind() == DiskOperation.Kind.FORCE) {
            files.get(operation.file()).pending.clear();
        } else {
            pendingNames.remove(operation.path());
        }
    }

    /**
     * Changes bytes that the system does not know to be changed, on the medium and in what it shows; the file stays as
     * long as it is.
     */
    void overwrite(int file, long position, byte[] data) {
        for (FileImage image : List.of(files.get(file).shown, files.get(file).durable)) {
            int length = Math.clamp(image.sizeBytes() - position, 0, data.length);
            if (length > 0) {
                image.write(position, data, 0, length);
            }
        }
    }

    /** Writes the first sectors of what an operation would write, as a write that fails on the way. */
    void applyPart(DiskOperation operation, int lengthBytes) {
        byte[] part = java.util.Arrays.copyOf(operation.data(), lengthBytes);
        apply(new DiskOperation(
                operation.kind(),
                operation.path(),
                operation.file(),
                operation.position(),
                part,
                null,
                operation.activity()));
    }

    private void changeName(DiskOperation operation) {
        change(names, operation);
        pendingNames
                .computeIfAbsent(operation.path().getParent(), directory -> new ArrayList<>())
                .add(operation);
    }

    private static void change(Map<Path, Integer> names, DiskOperation operation) {
        switch (operation.kind()) {
            case CREATE -> names.put(operation.path(), operation.file());
            case DELETE -> names.remove(operation.path(), operation.file());
            default -> {
                names.remove(operation.path(), operation.file());
                names.put(operation.target(), operation.file());
            }
        }
    }

    private static void change(FileImage image, DiskOperation operation) {
        if (operation.kind() == DiskOperation.Kind.TRUNCATE) {
            image.resize(operation.position());
        } else {
            image.write(operation.position(), operation.data(), 0, operation.data().length);
        }
    }

    /**
     * The disk after the machine was switched off and on, with nothing pending.
     *
     * @param fault what becomes of what was pending
     * @param inFlight the operation that was under way, which counts as pending, or null
     * @param random chooses where the fault leaves a choice
     */
    DiskImage afterCrash(Fault fault, DiskOperation inFlight, Random random) {
        DiskImage before = this;
        if (inFlight != null
                && inFlight.kind() != DiskOperation.Kind.FORCE
                && inFlight.kind() != DiskOperation.Kind.FORCE_DIRECTORY) {
            before = copy();
            before.apply(inFlight);
        }
        DiskImage after = new DiskImage();
        after.fileCount = before.fileCount;
        after.directories.addAll(before.directories);
        Map<Path, Integer> kept = new TreeMap<>(before.durableNames);
        // By directory in the order of its name, so that the choices are the same in every run.
        for (Path directory : before.pendingNames.keySet().stream().sorted().toList()) {
            for (DiskOperation change : before.pendingNames.get(directory)) {
                if (keepsEntry(fault, random)) {
                    change(kept, change);
                }
            }
        }
        after.names.putAll(kept);
        after.durableNames.putAll(kept);
        for (int number : kept.values().stream().sorted().distinct().toList()) {
            FileImage image = bytesAfterCrash(before.files.get(number), fault, random);
            after.files.put(number, new SimulatedFile(image, image.copy()));
        }
        return after;
    }

    private static boolean keepsEntry(Fault fault, Random random) {
        return switch (fault) {
            case KEPT -> true;
            case DROPPED, ENTRIES_LOST -> false;
            default -> random.nextBoolean();
        };
    }

    private static FileImage bytesAfterCrash(SimulatedFile file, Fault fault, Random random) {
        FileImage image = file.durable.copy();
        for (DiskOperation change : file.pending) {
            switch (fault) {
                case DROPPED -> {
                    // Nothing of it is left.
                }
                case KEPT -> change(image, change);
                case ENTRIES_LOST, ENTRIES_REORDERED -> {
                    if (change.kind() == DiskOperation.Kind.WRITE) {
                        change(image, change);
                    } else if (fault == Fault.ENTRIES_REORDERED && random.nextBoolean()) {
                        change(image, change);
                    }
                }
                case REORDERED -> {
                    if (random.nextBoolean()) {
                        change(image, change);
                    }
                }
                default -> tear(image, change, random);
            }
        }
        boolean losesLength = fault == Fault.ENTRIES_LOST || (fault == Fault.ENTRIES_REORDERED && random.nextBoolean());
        if (losesLength && image.sizeBytes() > file.durable.sizeBytes()) {
            image.resize(file.durable.sizeBytes());
        }
        return image;
    }

    private static void tear(FileImage image, DiskOperation change, Random random) {
        if (change.kind() == DiskOperation.Kind.TRUNCATE) {
            if (random.nextBoolean()) {
                change(image, change);
            }
            return;
        }
        int from = 0;
        while (from < change.data().length) {
            long position = change.position() + from;
            int length = (int) Math.min(change.data().length - from, SECTOR_BYTES - position % SECTOR_BYTES);
            if (random.nextBoolean()) {
                image.write(change.position(), change.data(), from, from + length);
            }
            from += length;
        }
    }
}
