package dev.lockstep.bench.prove.disk;

import dev.lockstep.engine.StorageException;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.engine.file.BlockFile;
import dev.lockstep.engine.file.DoubleWriteLayout;
import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.file.Storage;
import dev.lockstep.engine.proof.DelegatingStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** What an engine may do wrong, so that the proof can be seen to find it. */
public enum Flaw {
    /** Nothing. */
    NONE,
    /** A commit is answered though its log is only in the system's memory. */
    LOG_NOT_FORCED,
    /** A checkpoint is written, and the log of its pages given away, before the pages are on the medium. */
    CHECKPOINT_BEFORE_PAGES,
    /** Files are made, renamed and removed, and their directory is not forced. */
    DIRECTORY_NOT_FORCED,
    /** Pages are written in place without a copy beside them. */
    NO_DOUBLE_WRITE,
    /** The same, where the log should have the images of pages. */
    NO_LOG_IMAGES,
    /** A file or a directory that cannot be looked at is taken for missing or empty. */
    FAILED_LOOK_IS_MISSING;

    /** A file system as an engine with this flaw uses it. */
    Storage storage(Storage sound) {
        return this == NONE ? sound : new FlawedStorage(this, sound);
    }

    /** How an engine with this flaw protects its pages. */
    TornPageProtection weakened(TornPageProtection sound) {
        return this == NO_LOG_IMAGES ? TornPageProtection.NONE : sound;
    }

    /** Whether it may show where an operation meets a fault; else it is not worth a try. */
    boolean mayShow(Fault fault, DiskOperation operation) {
        boolean looks = operation.kind() == DiskOperation.Kind.EXISTS || operation.kind() == DiskOperation.Kind.LIST;
        return this != FAILED_LOOK_IS_MISSING || (fault == Fault.ERROR_ONCE && looks);
    }

    private boolean skipsForce(String file) {
        return switch (this) {
            case LOG_NOT_FORCED -> file.startsWith("log-");
            case CHECKPOINT_BEFORE_PAGES -> file.equals(PageFile.PAGES_FILE) || isDoubleWrite(file);
            default -> false;
        };
    }

    private static boolean isDoubleWrite(String file) {
        return file.equals(PageFile.DOUBLE_WRITE_FILE);
    }

    private boolean skipsWrite(String file, long position) {
        return this == NO_DOUBLE_WRITE && isDoubleWrite(file) && position >= DoubleWriteLayout.DIRECTORY_POSITION;
    }

    private static final class FlawedStorage extends DelegatingStorage {
        private final Flaw flaw;
        private final boolean answersAtOnce;

        FlawedStorage(Flaw flaw, Storage sound) {
            super(sound);
            this.flaw = flaw;
            answersAtOnce = sound.answersAtOnce();
        }

        /** As the sound one: the engine reads by the same threads then, and makes the same calls in the same order. */
        @Override
        public boolean answersAtOnce() {
            return answersAtOnce;
        }

        @Override
        public BlockFile open(Path path, OpenMode mode) {
            return new FlawedFile(flaw, super.open(path, mode));
        }

        @Override
        public boolean exists(Path path) {
            return looked(false, () -> super.exists(path));
        }

        @Override
        public List<Path> list(Path directory) {
            return looked(List.of(), () -> super.list(directory));
        }

        @Override
        public void forceDirectory(Path directory) {
            if (flaw != DIRECTORY_NOT_FORCED) {
                super.forceDirectory(directory);
            }
        }

        private <T> T looked(T nothing, Supplier<T> look) {
            try {
                return look.get();
            } catch (StorageException e) {
                if (flaw != FAILED_LOOK_IS_MISSING) {
                    throw e;
                }
                return nothing;
            }
        }
    }

    private static final class FlawedFile extends DelegatingStorage.DelegatingFile {
        private final Flaw flaw;
        private final String name;

        FlawedFile(Flaw flaw, BlockFile sound) {
            super(sound);
            this.flaw = flaw;
            name = sound.path().getFileName().toString();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            if (flaw.skipsWrite(name, position)) {
                source.position(source.limit());
            } else {
                super.write(source, position);
            }
        }

        @Override
        public void force(boolean metadata) {
            if (!flaw.skipsForce(name)) {
                super.force(metadata);
            }
        }
    }
}
