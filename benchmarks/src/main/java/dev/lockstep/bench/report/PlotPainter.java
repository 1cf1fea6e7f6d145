package dev.lockstep.bench.report;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.LineBreakMeasurer;
import java.awt.font.TextAttribute;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.text.AttributedString;
import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.knowm.xchart.CategoryChart;

/**
 * Draws plots, each with the origin of its figures below it, so that a picture that is passed on keeps it. All writing
 * is drawn as outlines: a picture looks the same where other fonts are installed. Thread-safe.
 */
final class PlotPainter {
    static final int WIDTH_PIXELS = 920;
    static final int HEIGHT_PIXELS = 500;

    /** For displays with two dots a pixel, and for print. */
    private static final int PNG_SCALE = 2;

    private static final int MARGIN_PIXELS = 12;
    private static final float CAPTION_POINTS = 10;
    private static final Color CAPTION_COLOR = new Color(0x6B6B6B);

    /** The doctype names a definition on another machine, which nobody needs and some readers fetch. */
    private static final Pattern DOCTYPE = Pattern.compile("<!DOCTYPE[^>]*>\\s*");

    /** Numbers with more decimals than a pixel has use: most of a file. */
    private static final Pattern LONG_NUMBER = Pattern.compile("-?\\d+\\.\\d{3,}(E-?\\d+)?");

    private static final int DECIMALS = 2;

    private PlotPainter() {}

    /**
     * Tries whether this JVM can draw letters, which on a bare machine it cannot: without fonts, or without the JDK's
     * desktop part or the libraries that part needs.
     *
     * @return an empty string, or why it cannot and what helps
     */
    static String obstacle() {
        try {
            new TextLayout("A", captionFont(), fontRenderContext()).getBounds();
            return "";
        } catch (LinkageError | InternalError | RuntimeException e) {
            // What the JDK throws without fonts is not specified and has changed from release to release.
            return "this Java cannot draw letters (" + e
                    + "); install a full JDK, fontconfig and a font (Debian and Ubuntu: apt-get install fontconfig"
                    + " fonts-dejavu-core)";
        }
    }

    /** An SVG file's text, without a doctype. */
    static String svg(Plot plot, Origin origin) throws IOException {
        VectorGraphics2D graphics = new VectorGraphics2D();
        paint(plot, origin, graphics);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SVGProcessor()
                .getDocument(graphics.getCommands(), new PageSize(WIDTH_PIXELS, HEIGHT_PIXELS))
                .writeTo(bytes);
        String text = DOCTYPE.matcher(bytes.toString(StandardCharsets.UTF_8)).replaceFirst("");
        return LONG_NUMBER.matcher(text).replaceAll(number -> shortened(number.group()));
    }

    private static String shortened(String number) {
        return new BigDecimal(number)
                .setScale(DECIMALS, RoundingMode.HALF_EVEN)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** A PNG file's bytes. */
    static byte[] png(Plot plot, Origin origin) throws IOException {
        BufferedImage image =
                new BufferedImage(WIDTH_PIXELS * PNG_SCALE, HEIGHT_PIXELS * PNG_SCALE, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.scale(PNG_SCALE, PNG_SCALE);
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            paint(plot, origin, graphics);
        } finally {
            graphics.dispose();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }

    private static void paint(Plot plot, Origin origin, Graphics2D graphics) {
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH_PIXELS, HEIGHT_PIXELS);
        // The caption first, from the bottom, so that the chart knows what is left.
        int captionPixels = caption(origin.caption(), graphics);
        CategoryChart chart = PlotStyle.chart(plot);
        AffineTransform before = graphics.getTransform();
        graphics.translate(0, MARGIN_PIXELS / 2.0);
        chart.paint(graphics, WIDTH_PIXELS, HEIGHT_PIXELS - captionPixels - MARGIN_PIXELS);
        graphics.setTransform(before);
    }

    /** Draws lines that end at the bottom; returns their height with the margin. */
    private static int caption(String text, Graphics2D graphics) {
        AttributedString words = new AttributedString(text, Map.of(TextAttribute.FONT, captionFont()));
        LineBreakMeasurer lines = new LineBreakMeasurer(
                words.getIterator(), BreakIterator.getLineInstance(Locale.ROOT), fontRenderContext());
        List<TextLayout> layouts = new ArrayList<>();
        float heightPixels = 0;
        while (lines.getPosition() < text.length()) {
            TextLayout layout = lines.nextLayout(WIDTH_PIXELS - 2F * MARGIN_PIXELS);
            layouts.add(layout);
            heightPixels += layout.getAscent() + layout.getDescent() + layout.getLeading();
        }
        graphics.setColor(CAPTION_COLOR);
        float y = HEIGHT_PIXELS - MARGIN_PIXELS / 2F - heightPixels;
        for (TextLayout layout : layouts) {
            y += layout.getAscent();
            Shape outline = layout.getOutline(AffineTransform.getTranslateInstance(MARGIN_PIXELS, y));
            graphics.fill(outline);
            y += layout.getDescent() + layout.getLeading();
        }
        return Math.round(heightPixels) + MARGIN_PIXELS;
    }

    private static Font captionFont() {
        return new Font(Font.SANS_SERIF, Font.PLAIN, 1).deriveFont(CAPTION_POINTS);
    }

    private static FontRenderContext fontRenderContext() {
        return new FontRenderContext(null, true, true);
    }
}
