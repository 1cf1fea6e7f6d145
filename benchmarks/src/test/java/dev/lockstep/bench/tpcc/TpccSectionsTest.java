package dev.lockstep.bench.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.lockstep.bench.report.Json;
import dev.lockstep.tpcc.adapter.TransactionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TpccSectionsTest {
    @TempDir
    private Path directory;

    private RunReport run(String more) throws IOException {
        Path file = directory.resolve("run.json");
        Files.writeString(
                file,
                "{\"configuration\": {\"engine\": \"lockstep\", \"scheduler\": \"jdk\", \"variant\": \"\","
                        + " \"grouping\": \"\"}, \"repeat\": 3" + more + "}");
        return Json.read(file, RunReport.class);
    }

    @Test
    void deliveriesOfEmptyDistrictsAreTold() throws IOException {
        List<String> lines = TpccSections.emptyDistricts(
                List.of(run(""), run(", \"emptyDistrictPart\": 0.05"), run(", \"emptyDistrictPart\": 0.975")));
        assertEquals(1, lines.size());
        assertTrue(
                lines.getFirst()
                        .startsWith("lockstep/jdk, repetition 3: 97.5 % of the districts that Deliveries came to had no"
                                + " order left"),
                lines::toString);
    }

    @Test
    void onlyDeliveriesComeToDistricts() {
        assertEquals(0.25, RunReport.emptyDistrictPart(Map.of(TransactionType.DELIVERY, 4L), 30));
        assertEquals(0.0, RunReport.emptyDistrictPart(Map.of(TransactionType.DELIVERY, 4L), 40));
        assertNull(RunReport.emptyDistrictPart(Map.of(TransactionType.DELIVERY, 0L), 0));
        assertNull(RunReport.emptyDistrictPart(Map.of(), 0));
    }
}
