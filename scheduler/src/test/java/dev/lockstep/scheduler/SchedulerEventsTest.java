package dev.lockstep.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it records the events of the whole JVM")
class SchedulerEventsTest {
    @TempDir
    Path directory;

    /** Each kind is recorded at its first occurrence, with what happened. */
    @Test
    void aRecordingShowsTeams() throws IOException, InterruptedException {
        Path file = directory.resolve("teams.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            try (Scheduler scheduler = new Scheduler(Fixtures.exact(SThreadKind.CONTINUATION))) {
                int fetch = scheduler.registerOperation("fetch");
                Runnable body = () -> {
                    SThread self = SThread.current();
                    self.beginOperation(fetch);
                    self.switchPoint();
                    self.latchAcquired();
                    self.switchPoint();
                    self.latchReleased();
                    self.yieldTurn();
                    self.endOperation();
                };
                Fixtures.runTogether(scheduler, List.of(body, body, body));
            }
            recording.stop();
            recording.dump(file);
        }
        Map<String, RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getCategoryNames().contains("Lockstep"))
                .collect(Collectors.toMap(event -> event.getEventType().getName(), event -> event));
        assertEquals(3, events.get("dev.lockstep.TeamFormed").getInt("members"));
        assertEquals("fetch", events.get("dev.lockstep.TeamFormed").getString("operation"));
        assertEquals(1, events.get("dev.lockstep.TeamFormed").getInt("operations"));
        assertEquals("member-2", events.get("dev.lockstep.TeamSwitch").getString("from"));
        assertEquals("YIELD", events.get("dev.lockstep.Stray").getString("reason"));
        assertEquals(1, events.get("dev.lockstep.SwitchSkipped").getInt("latchesHeld"));
        events.values().forEach(event -> assertTrue(event.getInt("oneOf") > 1, event.toString()));
    }

    /** Of a team that several lists have given members, all count. */
    @Test
    void aRecordingShowsConsolidatedTeams() throws IOException, InterruptedException {
        Path file = directory.resolve("consolidated.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            SchedulerOptions options = Fixtures.exact(SThreadKind.CONTINUATION)
                    .withPolicy(TeamPolicy.longestWaiting())
                    .withConsolidationOn(true);
            try (Scheduler scheduler = new Scheduler(options)) {
                Function<String, Runnable> fetching = name -> () -> {
                    for (int i = 0; i < 2 * ListGroup.TEAMS_PER_REVIEW + SchedulerEvents.TEAMS_PER_EVENT; i++) {
                        SThread.current().beginOperation(scheduler.registerOperation(name));
                    }
                };
                Fixtures.runTogether(scheduler, List.of(fetching.apply("fetch a"), fetching.apply("fetch b")));
            }
            recording.stop();
            recording.dump(file);
        }
        RecordedEvent last = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.lockstep.TeamFormed"))
                .reduce((first, second) -> second)
                .orElseThrow();
        assertEquals(2, last.getInt("members"));
        assertEquals(2, last.getInt("operations"));
    }
}
