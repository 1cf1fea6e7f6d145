package dev.lockstep.engine;

import dev.lockstep.engine.file.PageFile;
import dev.lockstep.engine.page.PageLayout;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of a closed database, for tests that damage them. */
record DamagedFiles(Path home) {
    int pageCount() throws IOException {
        return (int) (Files.size(home.resolve(PageFile.PAGES_FILE)) >> PageLayout.PAGE_SHIFT);
    }

    byte[] page(int pageId) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "r")) {
            byte[] bytes = new byte[PageLayout.PAGE_BYTES];
            file.seek(PageLayout.fileOffset(pageId));
            file.readFully(bytes);
            return bytes;
        }
    }

    void writePage(int pageId, byte[] bytes) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(home.resolve(PageFile.PAGES_FILE).toFile(), "rw")) {
            file.seek(PageLayout.fileOffset(pageId));
            file.write(bytes);
        }
    }

    void flip(int pageId, int offset) throws IOException {
        byte[] bytes = page(pageId);
        bytes[offset] ^= 0x11;
        writePage(pageId, bytes);
    }

    /** Without them only the pages themselves are left to be read. */
    void deleteCopiesAndLog() throws IOException {
        Files.delete(home.resolve(PageFile.DOUBLE_WRITE_FILE));
        deleteLog();
    }

    void deleteLog() throws IOException {
        try (var files = Files.list(home)) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith("log-")) {
                    Files.delete(file);
                }
            }
        }
    }
}
