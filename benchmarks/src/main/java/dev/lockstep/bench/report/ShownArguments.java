package dev.lockstep.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Arguments of a command as results, pages and messages may show them. Thread-safe. */
public final class ShownArguments {
    private static final String URL = "--url";
    private static final String NOT_SHOWN = "(not shown)";

    private ShownArguments() {}

    /** Without URLs of servers, which may hold a password; those of a command behind {@code --} too. */
    public static List<String> of(List<String> arguments) {
        List<String> shown = new ArrayList<>(arguments);
        for (int i = 0; i < shown.size(); i++) {
            if (shown.get(i).startsWith(URL + "=")) {
                shown.set(i, URL + "=" + NOT_SHOWN);
            } else if (i > 0 && arguments.get(i - 1).equals(URL)) {
                shown.set(i, NOT_SHOWN);
            }
        }
        return List.copyOf(shown);
    }
}
