package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.Needed;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** A directory as it is written for people who look. */
class ReportWriterTest {
    private static final Origin ORIGIN =
            new Origin("./lockstep test --text <&>", "abc-dirty", "JVM 25", "Processor", 7, "2026-01-01T00:00:00Z");

    private static final LinePlot LINES = new LinePlot(
            new PlotFrame("misses", "Misses", "Fewer is better.", "capacity (KiB)", "misses", true),
            List.of("16", "32", "64"),
            List.of(
                    new Series("1 way", List.of(40.0, 20.0, 0.5)),
                    new Series("2 ways", List.of(30.0, Double.NaN, 0.25))));

    private static final BarPlot STACKED = new BarPlot(
            new PlotFrame("classes", "Classes", "Cold ones below.", "engine", "misses", false),
            true,
            List.of("plain", "h2"),
            List.of(new Series("cold", List.of(1.0, 2.0)), new Series("sharing", List.of(3.0, 4.0))));

    private static final RangePlot RANGES = new RangePlot(
            new PlotFrame("rates", "Rates", "Medians.", "engine", "transactions a second", false),
            List.of(new RangePlot.Bar("plain", 90, 100, 130), new RangePlot.Bar("h2", 5, 5, 5)));

    private static final PointPlot POINTS = new PointPlot(
            new PlotFrame("points", "Points", "One on the other.", "program", "misses, logarithmic", true),
            List.of("sort", "matrix"),
            List.of(new Series("computed", List.of(9.0, 4000.0)), new Series("simulated", List.of(9.0, 4001.0))));

    @TempDir
    Path directory;

    @BeforeEach
    void lettersCanBeDrawn() {
        String obstacle = PlotPainter.obstacle();
        Needed.require(obstacle.isEmpty(), obstacle);
    }

    private static Report report(Part... parts) {
        Map<String, String> configuration = new LinkedHashMap<>(Map.of("a <setting>", "a \"value\" & more"));
        return new Report(
                "Title <b> & 'more'",
                "All is well.",
                true,
                ORIGIN,
                new LinkedHashMap<>(configuration),
                List.of(Section.of("Section <i>", parts)));
    }

    private String page(Part... parts) throws IOException {
        assertTrue(ReportWriter.write(directory.resolve("new/report"), report(parts))
                .isEmpty());
        return Files.readString(directory.resolve("new/report/report.html"));
    }

    private static Document parse(String xml) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    /** Everything that a browser would fetch by itself is in the page. */
    private static void assertSelfContained(String html) {
        Matcher attribute = Pattern.compile("(?i)\\b(src|href|xlink:href|poster|action|data)\\s*=\\s*\"([^\"]*)\"")
                .matcher(html);
        while (attribute.find()) {
            String target = attribute.group(2);
            assertTrue(target.startsWith("#") || target.startsWith("data:"), target);
        }
        assertFalse(Pattern.compile("(?i)@import|url\\(|<link|<base|<script")
                .matcher(html)
                .find());
        assertFalse(html.contains("http"), "no address of another machine");
    }

    @Test
    void writesAPageThatNeedsNothingElse() throws Exception {
        String html = page(new Paragraph("words"), LINES, STACKED, RANGES);
        assertSelfContained(html);
        Matcher pictures =
                Pattern.compile("src=\"data:image/svg\\+xml;base64,([^\"]*)\"").matcher(html);
        int count = 0;
        while (pictures.find()) {
            String svg = new String(Base64.getDecoder().decode(pictures.group(1)), StandardCharsets.UTF_8);
            String withoutNames = svg.replaceAll("xmlns(:\\w+)?=\"[^\"]*\"", "");
            assertFalse(withoutNames.contains("http"), "an SVG names nothing outside but its name spaces");
            count++;
        }
        assertEquals(3, count);
        for (String part : List.of("Fewer is better.", "commit abc-dirty".replace(' ', '\u00A0'), "JVM\u00A025")) {
            assertTrue(html.contains(part), part);
        }
    }

    @Test
    void writesEachPlotAsSvgAndPng() throws Exception {
        page(LINES, STACKED, RANGES, POINTS);
        for (Plot plot : List.of(LINES, STACKED, RANGES, POINTS)) {
            Path files = directory.resolve("new/report/plots");
            Element svg = parse(Files.readString(files.resolve(plot.frame().name() + ".svg")))
                    .getDocumentElement();
            assertEquals("svg", svg.getTagName());
            BufferedImage png =
                    ImageIO.read(files.resolve(plot.frame().name() + ".png").toFile());
            assertEquals(2 * PlotPainter.WIDTH_PIXELS, png.getWidth());
            assertEquals(2 * PlotPainter.HEIGHT_PIXELS, png.getHeight());
            Set<String> expected = colors(plot instanceof RangePlot ? 1 : 2);
            assertTrue(svgColors(svg).containsAll(expected), () -> svgColors(svg) + " " + expected);
            assertTrue(pngColors(png).containsAll(expected), plot.frame()::name);
        }
    }

    private static Set<String> colors(int count) {
        Set<String> colors = new HashSet<>();
        for (int i = 0; i < count; i++) {
            colors.add(List.of("rgb(0,114,178)", "rgb(230,159,0)").get(i));
        }
        return colors;
    }

    private static Set<String> svgColors(Element svg) {
        Set<String> colors = new HashSet<>();
        NodeList all = svg.getElementsByTagName("*");
        for (int i = 0; i < all.getLength(); i++) {
            Matcher color = Pattern.compile("rgb\\([0-9,]+\\)").matcher(((Element) all.item(i)).getAttribute("style"));
            while (color.find()) {
                colors.add(color.group());
            }
        }
        return colors;
    }

    private static Set<String> pngColors(BufferedImage png) {
        Set<String> colors = new HashSet<>();
        for (int y = 0; y < png.getHeight(); y++) {
            for (int x = 0; x < png.getWidth(); x++) {
                int rgb = png.getRGB(x, y);
                colors.add(String.format(Locale.ROOT, "rgb(%d,%d,%d)", rgb >> 16 & 0xFF, rgb >> 8 & 0xFF, rgb & 0xFF));
            }
        }
        return colors;
    }

    @Test
    void drawsTheSeriesThatItIsGiven() {
        CategoryChart chart = PlotStyle.chart(LINES);
        assertEquals(
                List.of("1 way", "2 ways"), List.copyOf(chart.getSeriesMap().keySet()));
        CategorySeries ways = chart.getSeriesMap().get("2 ways");
        assertEquals(List.of("16", "32", "64"), List.copyOf(ways.getXData()));
        assertEquals(Arrays.asList(30.0, null, 0.25), new ArrayList<>(ways.getYData()));
        assertEquals("misses", chart.getYAxisTitle());
        assertEquals("capacity (KiB)", chart.getXAxisTitle());
        assertTrue(PlotStyle.chart(STACKED).getStyler().isStacked());
        CategorySeries range = PlotStyle.chart(RANGES).getSeriesMap().get("range");
        assertEquals(List.of(110.0, 5.0), List.copyOf(range.getYData()));
        assertEquals(List.of(20.0, 0.0), List.copyOf(range.getExtraValues()));
    }

    @Test
    void marksOfPointsLeaveToBeSeenWhatTheyLieOn() {
        CategoryChart chart = PlotStyle.chart(POINTS);
        assertSame(SeriesMarkers.CIRCLE, chart.getSeriesMap().get("computed").getMarker());
        assertSame(SeriesMarkers.CROSS, chart.getSeriesMap().get("simulated").getMarker());
        List<Series> withZero = List.of(new Series("computed", List.of(0.0, 1.0)));
        assertThrows(IllegalArgumentException.class, () -> new PointPlot(POINTS.frame(), List.of("a", "b"), withZero));
    }

    @Test
    void breaksLongNamesInTables() throws IOException {
        String chain = "package.Class.method:1 > ".repeat(5);
        String html =
                page(Table.of(1, "chain", "misses").row(List.of(chain, "7")).build());
        assertTrue(html.contains("<td class=\"name long\">"), html);
        assertFalse(
                page(Table.of(1, "chain", "misses").row(List.of("short", "7")).build())
                        .contains("<td class=\"name long\">"));
    }

    @Test
    void shortensLongNamesUnlessTheyWouldBeTheSame() {
        String common = "a name of more than thirty-four letters, number ";
        List<Series> series = List.of(new Series("s", List.of(1.0, 2.0)));
        PointPlot distinct = new PointPlot(POINTS.frame(), List.of(common + "one", "two"), series);
        assertEquals(
                List.of("a name of more than thirty-four l…", "two"),
                List.copyOf(PlotStyle.chart(distinct).getSeriesMap().get("s").getXData()));
        PointPlot same = new PointPlot(POINTS.frame(), List.of(common + "one", common + "two"), series);
        assertEquals(
                List.of(common + "one", common + "two"),
                List.copyOf(PlotStyle.chart(same).getSeriesMap().get("s").getXData()));
    }

    @Test
    void saysInTablesWhatThePlotsShow() throws IOException {
        assertEquals(List.of("64", "0.5000", "0.2500"), LINES.table().rows().get(2));
        assertEquals("-", LINES.table().rows().get(1).get(2));
        String html = page(LINES);
        assertTrue(html.contains("<td class=\"name\">16</td><td>40</td><td>30</td>"), html);
    }

    @Test
    void showsTablesWhereNothingCanBeDrawn() {
        String html = new ReportPage(report(STACKED), Map.of()).html();
        assertFalse(html.contains("<img"));
        assertTrue(html.contains("<details open><summary>Figures: misses</summary>"), html);
    }

    @Test
    void escapesWhatItIsGiven() throws IOException {
        String html = page(
                new Paragraph("<script>alert('x')</script>"),
                Table.of(1, "<th>", "\"quoted\"").row(List.of("a&b", "<td>")).build(),
                new EmbeddedPage("Flames <x>", "flames.html", "<html><p title=\"a\">&amp;</p></html>"));
        assertSelfContained(html);
        for (String part : List.of(
                "<title>Title &lt;b&gt; &amp; &#39;more&#39;</title>",
                "<h2>Section &lt;i&gt;</h2>",
                "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;",
                "&lt;th&gt;",
                "a&amp;b",
                "a &quot;value&quot; &amp; more",
                "--text &lt;&amp;&gt;",
                "srcdoc=\"&lt;html&gt;&lt;p title=&quot;a&quot;&gt;&amp;amp;&lt;/p&gt;&lt;/html&gt;\"")) {
            assertTrue(html.contains(part), part);
        }
    }

    @Test
    void refusesPlotsThatWouldMislead() {
        PlotFrame logarithmic = new PlotFrame("n", "t", "e", "x", "y", true);
        List<Series> one = List.of(new Series("s", List.of(1.0)));
        assertThrows(IllegalArgumentException.class, () -> new PlotFrame("../n", "t", "e", "x", "y", false));
        assertThrows(IllegalArgumentException.class, () -> new BarPlot(logarithmic, false, List.of("a"), one));
        assertThrows(IllegalArgumentException.class, () -> new LinePlot(logarithmic, List.of("a", "b"), one));
        assertThrows(
                IllegalArgumentException.class,
                () -> new LinePlot(logarithmic, List.of("a"), Collections.nCopies(2, one.getFirst())));
        assertThrows(IllegalArgumentException.class, () -> new RangePlot.Bar("b", 2, 1, 3));
        assertThrows(IllegalArgumentException.class, () -> ReportWriter.write(directory, report(LINES, LINES)));
    }
}
