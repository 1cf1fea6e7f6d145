package dev.lockstep.bench.flame;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a flame graph's page. */
public final class FlameGraphFrames {
    private FlameGraphFrames() {}

    /**
     * The names of the frames of a page. async-profiler sorts them and writes each as one character, 32 more than the
     * length of the prefix it shares with the one before, and the rest; so no name need be in the page as it reads.
     */
    public static List<String> of(Path page) throws IOException {
        String html = Files.readString(page);
        int start = html.indexOf("const cpool = [");
        String pool = html.substring(start, html.indexOf("];", start));
        Matcher packed = Pattern.compile("'((?:[^'\\\\]|\\\\.)*)'").matcher(pool);
        List<String> frames = new ArrayList<>();
        String previous = "";
        while (packed.find()) {
            String entry = packed.group(1).replaceAll("\\\\(.)", "$1");
            if (!frames.isEmpty()) {
                entry = previous.substring(0, entry.charAt(0) - ' ') + entry.substring(1);
            }
            frames.add(entry);
            previous = entry;
        }
        return frames;
    }
}
