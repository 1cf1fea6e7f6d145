package dev.lockstep.bench.steps;

import dev.lockstep.scheduler.SchedulerOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What all runs of one command have in common.
 *
 * @param variants to be compared, {@link StepsVariant#NEITHER} first
 * @param terminals of each warehouse
 * @param shrink as {@code tpcc --shrink}
 * @param teamLimit as {@code tpcc --team-limit}, of variants that form teams
 * @param durability as {@code tpcc --durability}
 * @param warmUpSeconds before measuring
 * @param durationSeconds measured
 * @param repeats how often each variant is measured
 * @param control whether the first variant is measured against itself
 * @param jvmOptions of every child JVM
 * @param databases where the databases lie, each in a directory that stays if its run fails
 * @param scratch where the runs leave their results
 * @param seed of everything random
 */
record StepsSpec(
        List<StepsVariant> variants,
        int terminals,
        int shrink,
        int teamLimit,
        String durability,
        double warmUpSeconds,
        double durationSeconds,
        int repeats,
        boolean control,
        List<String> jvmOptions,
        Path databases,
        Path scratch,
        long seed) {
    /** Words of {@code tpcc} that run a variant, without those that say for how long. */
    List<String> tpcc(String mix, int warehouses, StepsVariant variant) {
        List<String> words = new ArrayList<>(List.of(
                "tpcc",
                "--scheduler",
                "steps",
                "--mix",
                mix,
                "--warehouses",
                Integer.toString(warehouses),
                "--terminals",
                Integer.toString(terminals),
                "--shrink",
                Integer.toString(shrink),
                "--durability",
                durability,
                "--seed",
                Long.toString(seed)));
        words.addAll(variant.words());
        if (variant.formsTeams() && teamLimit != SchedulerOptions.TEAM_LIMIT_DEFAULT) {
            words.addAll(List.of("--team-limit", Integer.toString(teamLimit)));
        }
        jvmOptions.forEach(option -> words.add("--jvm-option=" + option));
        return words;
    }
}
