package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.scheduler.TeamMode;
import java.util.ArrayList;
import java.util.List;

/**
 * One combination of what the options of a command name several values of, for Lockstep.
 *
 * @param durability when commits are answered
 * @param cores processors that the run is pinned to
 * @param terminals of each warehouse
 * @param scanBeside whether a thread scans whole tables
 * @param protection what is done for the time after a crash
 * @param scheduling what schedules the terminals
 * @param teams when teams are formed, {@link #NONE} where nothing could form them
 * @param teamPolicy which list becomes the next team, {@link #NONE} where there are no teams
 * @param teamExecution how teams execute, {@link #NONE} likewise
 * @param consolidation whether small teams are consolidated, {@link #NONE} where teams are not always formed
 * @param batches whether rows that a statement names together go to the engine together
 */
record LockstepVariant(
        String durability,
        int cores,
        int terminals,
        boolean scanBeside,
        Protection.Named protection,
        Scheduling scheduling,
        String teams,
        String teamPolicy,
        String teamExecution,
        String consolidation,
        boolean batches) {
    /** Stands for what a run does not have. */
    static final String NONE = "none";

    /** Every combination; schedulers take turns first, then what they are compared by. */
    static List<LockstepVariant> all(TpccOptions options) {
        List<LockstepVariant> all = new ArrayList<>();
        for (String durability : options.durabilities) {
            for (int cores : options.cores) {
                for (int terminals : options.terminals) {
                    for (boolean scan : options.scanBeside ? List.of(false, true) : List.of(false)) {
                        for (Protection.Named named : Protection.all(
                                options.checkpoints,
                                options.checkpointLogBytes(),
                                options.tornPages,
                                options.without)) {
                            for (boolean batches : options.batches()) {
                                addSchedulings(
                                        options,
                                        new LockstepVariant(
                                                durability,
                                                cores,
                                                terminals,
                                                scan,
                                                named,
                                                Scheduling.JDK,
                                                NONE,
                                                NONE,
                                                NONE,
                                                NONE,
                                                batches),
                                        all);
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    private static void addSchedulings(TpccOptions options, LockstepVariant variant, List<LockstepVariant> all) {
        for (Scheduling scheduling : schedulings(options.scheduler)) {
            for (String teams : teams(options, scheduling)) {
                for (String policy : withTeams(teams, options.teamPolicies)) {
                    for (String execution : withTeams(teams, options.teamExecutions)) {
                        for (String consolidation : consolidations(options, teams)) {
                            all.add(variant.scheduled(scheduling, teams, policy, execution, consolidation));
                        }
                    }
                }
            }
        }
    }

    private LockstepVariant scheduled(
            Scheduling by, String withTeams, String policy, String execution, String consolidated) {
        return new LockstepVariant(
                durability,
                cores,
                terminals,
                scanBeside,
                protection,
                by,
                withTeams,
                policy,
                execution,
                consolidated,
                batches);
    }

    private static List<Scheduling> schedulings(String choice) {
        return choice.equals(Choice.OfScheduler.BOTH)
                ? List.of(Scheduling.JDK, Scheduling.STEPS)
                : List.of(Spelling.parse(Scheduling.class, choice));
    }

    private static List<String> teams(TpccOptions options, Scheduling scheduling) {
        return scheduling == Scheduling.STEPS ? options.teams : List.of(NONE);
    }

    /** What is asked for of teams, where they may form. */
    private static List<String> withTeams(String teams, List<String> choices) {
        return teams.equals(NONE) || teams.equals(Spelling.of(TeamMode.OFF)) ? List.of(NONE) : choices;
    }

    private static List<String> consolidations(TpccOptions options, String teams) {
        return teams.equals(Spelling.of(TeamMode.ON)) ? options.consolidations : List.of(NONE);
    }

    /** Names what was named several times, but for {@link #grouping}. */
    String name(TpccOptions options) {
        List<String> parts = new ArrayList<>();
        if (options.durabilities.size() > 1) {
            parts.add(durability);
        }
        if (options.cores.size() > 1) {
            parts.add(cores == 1 ? "1 core" : cores + " cores");
        }
        if (options.terminals.size() > 1) {
            parts.add(options.warehouses * terminals + " terminals");
        }
        if (scanBeside) {
            parts.add("with scan");
        }
        if (!protection.name().isEmpty()) {
            parts.add(protection.name());
        }
        return String.join(" ", parts);
    }

    /** Says how work is put together, where that was named several times: in teams, in batches. */
    String grouping(TpccOptions options) {
        List<String> parts = new ArrayList<>();
        if (options.teams.size() > 1 && scheduling == Scheduling.STEPS) {
            parts.add(teams.equals(Spelling.of(TeamMode.GOVERNED)) ? "governed teams" : "teams " + teams);
        }
        if (options.teamPolicies.size() > 1 && !teamPolicy.equals(NONE)) {
            parts.add(teamPolicy);
        }
        if (options.teamExecutions.size() > 1 && !teamExecution.equals(NONE)) {
            parts.add(teamExecution);
        }
        if (options.consolidations.size() > 1 && !consolidation.equals(NONE)) {
            parts.add("consolidation " + consolidation);
        }
        if (options.batches().size() > 1) {
            parts.add(batches ? "batches on" : "batches off");
        }
        return String.join(", ", parts);
    }
}
