package dev.lockstep.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTextTest {
    @Test
    void printsHeadingsWordsAndTables() {
        Table table = Table.of(1, "run", "txn/s")
                .row(List.of("lockstep/jdk", "12,345"))
                .row(List.of("plain", "7"))
                .build();
        String text = ReportText.of(
                List.of(Section.of("Throughput", table, new Paragraph("one line")), Section.of("All is well.")));
        assertEquals(
                """

                Throughput
                 run            txn/s
                 lockstep/jdk  12,345
                 plain              7
                one line

                All is well.
                """,
                text);
    }

    @Test
    void aRowFitsItsHeaders() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Table.of(1, "a", "b").row(List.of("x")).build());
    }

    @Test
    void figuresHaveTheDigitsThatMatter() {
        assertEquals("123,457", Figures.plain(123456.7));
        assertEquals("12.3", Figures.plain(12.345));
        assertEquals("1.23", Figures.plain(1.2345));
        assertEquals("0.1235", Figures.plain(0.12345));
        assertEquals("1.20e-05", Figures.plain(0.000012));
        assertEquals("0", Figures.plain(0));
        assertEquals("-", Figures.plain(Double.NaN));
    }
}
