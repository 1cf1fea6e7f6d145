package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.lockstep.bench.report.Section;
import dev.lockstep.bench.report.Spread;
import dev.lockstep.bench.report.Table;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatioSectionsTest {
    private static RatioReport ratio(Map<String, Spread> tails, TurnRatio turns) {
        return new RatioReport("governed", "off", 1.02, 0.9, 1.1, 3, null, tails, turns, turns);
    }

    @Test
    void aTableStandsWhereItHasRows() {
        List<Section> own = RatioSections.of(
                List.of(ratio(Map.of("payment", new Spread(1.25, 1, 2), "all", new Spread(0.75, 0.5, 1)), null)));
        assertEquals(2, own.size());
        assertEquals(
                List.of(List.of("governed : off", "-", "1.250", "-", "-", "-", "0.750")),
                ((Table) own.get(1).parts().getFirst()).rows());
        List<Section> byTurns = RatioSections.of(List.of(ratio(null, new TurnRatio(1.01, 0.99, 1.03))));
        assertEquals(2, byTurns.size());
        assertEquals(
                List.of(List.of("governed : off", "1.010", "0.990", "1.030", "1.010", "0.990", "1.030")),
                ((Table) byTurns.get(1).parts().getFirst()).rows());
        assertEquals(List.of(), RatioSections.of(List.of()));
    }
}
