package dev.lockstep.bench.report;

import java.util.List;

/** Sections as text for a terminal: headings, words and tables; pictures are left out. */
public final class ReportText {
    private ReportText() {}

    /** The text, ended by a line. */
    public static String of(List<Section> sections) {
        StringBuilder text = new StringBuilder();
        for (Section section : sections) {
            text.append('\n').append(section.heading()).append('\n');
            for (Part part : section.parts()) {
                switch (part) {
                    case Paragraph(String words) -> text.append(words).append('\n');
                    case Table table -> text.append(table.text());
                    case Plot _, EmbeddedPage _ -> {
                        // Nothing that a terminal could show.
                    }
                }
            }
        }
        return text.toString();
    }
}
