package dev.lockstep.system.style;

import java.util.List;

/**
 * One file of the project.
 *
 * @param path path from the project's directory, with slashes
 * @param text the file's text
 */
record SourceFile(String path, String text) {
    List<String> lines() {
        return text.lines().toList();
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    boolean isCode() {
        return isJava() || path.endsWith(".c") || path.endsWith(".h") || path.endsWith(".sql");
    }
}
