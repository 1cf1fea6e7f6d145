package dev.lockstep.bench.report;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A report as one HTML page that refers to nothing outside itself. Used by one thread. */
final class ReportPage {
    private static final String STYLE =
            """
            :root { color-scheme: light; }
            body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: #222;
                background: #fff; margin: 0 auto; padding: 1.5rem 2rem 4rem; max-width: 1180px; }
            h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .4rem; }
            h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
            .summary { font-weight: 600; padding: .45rem .8rem; border-left: 6px solid #009e73; background: #eef8f4; }
            .summary.failed { border-color: #d55e00; background: #fdf0e8; }
            nav { margin: 1rem 0; } nav a { margin-right: 1rem; white-space: nowrap; }
            a { color: #0072b2; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; margin: .6rem 0; font-size: .86rem;
                font-variant-numeric: tabular-nums; }
            th, td { padding: .22rem .7rem; border-bottom: 1px solid #eee; text-align: right; vertical-align: top; }
            th { border-bottom: 2px solid #bbb; white-space: nowrap; }
            th.name, td.name { text-align: left; white-space: nowrap; }
            td.name.long { white-space: normal; overflow-wrap: anywhere; min-width: 32rem; }
            .settings td.name + td.name { white-space: normal; overflow-wrap: anywhere; }
            tbody tr:hover { background: #f4f8fb; }
            .plots { display: grid; gap: 1.2rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); }
            figure { margin: .8rem 0; min-width: 0; }
            figure img { width: 100%; height: auto; border: 1px solid #e4e4e4; }
            figcaption { font-size: .86rem; color: #444; }
            figcaption .origin, footer { color: #6b6b6b; font-size: .76rem; overflow-wrap: anywhere; }
            details { font-size: .86rem; } summary { cursor: pointer; }
            iframe { width: 100%; height: 640px; border: 1px solid #ddd; }
            footer { margin-top: 3rem; border-top: 1px solid #ddd; padding-top: .6rem; }
            @media print { nav, iframe { display: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } }
            """;

    private static final int NAME_LETTERS_MAX = 80;

    private final Report report;
    private final Map<String, String> pictures;
    private final StringBuilder html = new StringBuilder();

    /**
     * For one report.
     *
     * @param pictures SVG by name of the plot; a plot without one is shown as its table
     */
    ReportPage(Report report, Map<String, String> pictures) {
        this.report = report;
        this.pictures = pictures;
    }

    /** The page. */
    String html() {
        html.setLength(0);
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
                .append(escape(report.title()))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(escape(report.title()))
                .append("</h1>\n");
        html.append("<p class=\"summary")
                .append(report.ok() ? "" : " failed")
                .append("\">")
                .append(escape(report.summary()))
                .append("</p>\n");
        contents();
        html.append("<details open class=\"settings\"><summary>Configuration</summary>\n");
        table(report.configurationTable());
        html.append("</details>\n");
        for (int i = 0; i < report.sections().size(); i++) {
            section(i, report.sections().get(i));
        }
        html.append("<footer>").append(escape(report.origin().caption())).append("</footer>\n</body>\n</html>\n");
        return html.toString();
    }

    private void contents() {
        html.append("<nav>");
        for (int i = 0; i < report.sections().size(); i++) {
            html.append("<a href=\"#section-")
                    .append(i)
                    .append("\">")
                    .append(escape(report.sections().get(i).heading()))
                    .append("</a> ");
        }
        html.append("</nav>\n");
    }

    private void section(int number, Section section) {
        html.append("<section id=\"section-")
                .append(number)
                .append("\">\n<h2>")
                .append(escape(section.heading()))
                .append("</h2>\n");
        boolean inPlots = false;
        for (Part part : section.parts()) {
            if (part instanceof Plot != inPlots) {
                html.append(inPlots ? "</div>\n" : "<div class=\"plots\">\n");
                inPlots = !inPlots;
            }
            switch (part) {
                case Paragraph(String text) ->
                    html.append("<p>").append(escape(text)).append("</p>\n");
                case Table table -> table(table);
                case Plot plot -> plot(plot);
                case EmbeddedPage page -> page(page);
            }
        }
        html.append(inPlots ? "</div>\n" : "").append("</section>\n");
    }

    private void plot(Plot plot) {
        PlotFrame frame = plot.frame();
        String svg = pictures.get(frame.name());
        html.append("<figure id=\"plot-").append(frame.name()).append("\">\n");
        if (svg != null) {
            // As an image of its own, so that the identifiers inside one do not meet those of another.
            html.append("<img alt=\"")
                    .append(escape(frame.title() + ": " + frame.yTitle() + " by " + frame.xTitle()))
                    .append("\" width=\"")
                    .append(PlotPainter.WIDTH_PIXELS)
                    .append("\" height=\"")
                    .append(PlotPainter.HEIGHT_PIXELS)
                    .append("\" src=\"data:image/svg+xml;base64,")
                    .append(Base64.getEncoder().encodeToString(svg.getBytes(StandardCharsets.UTF_8)))
                    .append("\">\n");
        }
        html.append("<figcaption><strong>")
                .append(escape(frame.title()))
                .append(".</strong> ")
                .append(escape(frame.explanation()))
                .append("<details")
                .append(svg == null ? " open" : "")
                .append("><summary>Figures: ")
                .append(escape(frame.yTitle()))
                .append("</summary>\n");
        table(plot.table());
        html.append("</details><div class=\"origin\">")
                .append(escape(report.origin().caption()))
                .append("</div></figcaption>\n</figure>\n");
    }

    private void table(Table table) {
        html.append("<div class=\"scroll\"><table>\n<thead><tr>");
        cells("th", table.names(), table.headers());
        html.append("</tr></thead>\n<tbody>\n");
        for (List<String> row : table.rows()) {
            html.append("<tr>");
            cells("td", table.names(), row);
            html.append("</tr>\n");
        }
        html.append("</tbody>\n</table></div>\n");
    }

    private void cells(String tag, int names, List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            html.append('<')
                    .append(tag)
                    .append(i >= names ? ">" : isLong(cells.get(i)) ? " class=\"name long\">" : " class=\"name\">")
                    .append(escape(cells.get(i)))
                    .append("</")
                    .append(tag)
                    .append('>');
        }
    }

    /** So long that on one line it would push the figures out of sight. */
    private static boolean isLong(String name) {
        return name.length() > NAME_LETTERS_MAX;
    }

    private void page(EmbeddedPage page) {
        html.append("<details><summary>")
                .append(escape(page.title()))
                .append(" (also in ")
                .append(escape(page.file()))
                .append(")</summary>\n<iframe loading=\"lazy\" sandbox=\"allow-scripts\" title=\"")
                .append(escape(page.title()))
                .append("\" srcdoc=\"")
                .append(escape(page.html()))
                .append("\"></iframe></details>\n");
    }

    /** Text as it may stand in an element and in a quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
