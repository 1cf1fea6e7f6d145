package dev.lockstep.scheduler;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * The scheduler's JFR events, sampled: each kind is recorded once in so many occurrences on each carrier, the first
 * included, and says in how many. Enabled by the JFR settings under {@code dev.lockstep.*}, on by default.
 *
 * <p>The instances held here only tell whether their kind is enabled, so nothing is allocated while it is not. An event
 * for which there is no memory is left out of the sample: thrown on, the error would end the carrier with all its
 * S-threads, for a recording.
 *
 * <p>Thread-safety: none; one instance per carrier, used by its thread.
 */
final class SchedulerEvents {
    /** A carrier forms up to a million teams a second; a recording wants thousands. */
    static final int TEAMS_PER_EVENT = 64;

    /** Switches are the most frequent of all. */
    static final int SWITCHES_PER_EVENT = 1024;

    /** Strays cost a wait, so they are rarer than teams. */
    static final int STRAYS_PER_EVENT = 16;

    /** Skipped switches come at the rate of teams at most, where a switch point is badly placed. */
    static final int SKIPPED_SWITCHES_PER_EVENT = 64;

    private final TeamFormed teamFormedSetting = new TeamFormed();
    private final TeamSwitch teamSwitchSetting = new TeamSwitch();
    private final Stray straySetting = new Stray();
    private final SwitchSkipped switchSkippedSetting = new SwitchSkipped();
    private int teamsLeft = 1;
    private int switchesLeft = 1;
    private int straysLeft = 1;
    private int skippedLeft = 1;

    SchedulerEvents() {}

    void teamFormed(Scheduler scheduler, int carrier, int operation, int members, int operations) {
        if (teamFormedSetting.isEnabled() && --teamsLeft <= 0) {
            teamsLeft = TEAMS_PER_EVENT;
            try {
                TeamFormed teamFormed = new TeamFormed();
                teamFormed.carrier = carrier;
                teamFormed.operation = scheduler.operationName(operation);
                teamFormed.members = members;
                teamFormed.operations = operations;
                teamFormed.oneOf = TEAMS_PER_EVENT;
                teamFormed.commit();
            } catch (OutOfMemoryError noRoom) {
                // Left out.
            }
        }
    }

    void switched(Scheduler scheduler, int carrier, int operation, String sThread, int members) {
        if (teamSwitchSetting.isEnabled() && --switchesLeft <= 0) {
            switchesLeft = SWITCHES_PER_EVENT;
            try {
                TeamSwitch teamSwitch = new TeamSwitch();
                teamSwitch.carrier = carrier;
                teamSwitch.operation = scheduler.operationName(operation);
                teamSwitch.from = sThread;
                teamSwitch.members = members;
                teamSwitch.oneOf = SWITCHES_PER_EVENT;
                teamSwitch.commit();
            } catch (OutOfMemoryError noRoom) {
                // Left out.
            }
        }
    }

    void strayed(Scheduler scheduler, int carrier, int operation, String sThread, WaitReason reason) {
        if (straySetting.isEnabled() && --straysLeft <= 0) {
            straysLeft = STRAYS_PER_EVENT;
            try {
                Stray stray = new Stray();
                stray.carrier = carrier;
                stray.operation = scheduler.operationName(operation);
                stray.sThread = sThread;
                stray.reason = reason.name();
                stray.oneOf = STRAYS_PER_EVENT;
                stray.commit();
            } catch (OutOfMemoryError noRoom) {
                // Left out.
            }
        }
    }

    void switchSkipped(Scheduler scheduler, int carrier, int operation, String sThread, int latchesHeld) {
        if (switchSkippedSetting.isEnabled() && --skippedLeft <= 0) {
            skippedLeft = SKIPPED_SWITCHES_PER_EVENT;
            try {
                SwitchSkipped switchSkipped = new SwitchSkipped();
                switchSkipped.carrier = carrier;
                switchSkipped.operation = scheduler.operationName(operation);
                switchSkipped.sThread = sThread;
                switchSkipped.latchesHeld = latchesHeld;
                switchSkipped.oneOf = SKIPPED_SWITCHES_PER_EVENT;
                switchSkipped.commit();
            } catch (OutOfMemoryError noRoom) {
                // Left out.
            }
        }
    }

    @Name("dev.lockstep.TeamFormed")
    @Label("Team Formed")
    @Description("An operation list became the running team of a carrier")
    @Category("Lockstep")
    @StackTrace(false)
    static final class TeamFormed extends Event {
        @Label("Carrier")
        int carrier;

        @Label("Operation")
        String operation;

        @Label("Members")
        int members;

        @Label("Operations")
        @Description("Of how many lists the members come, more than one where lists are consolidated")
        int operations;

        @Label("Sampled One Of")
        int oneOf;
    }

    @Name("dev.lockstep.TeamSwitch")
    @Label("Team Switch")
    @Description("A member handed its turn to the next at a switch point")
    @Category("Lockstep")
    @StackTrace(false)
    static final class TeamSwitch extends Event {
        @Label("Carrier")
        int carrier;

        @Label("Operation")
        String operation;

        @Label("From")
        String from;

        @Label("Members")
        int members;

        @Label("Sampled One Of")
        int oneOf;
    }

    @Name("dev.lockstep.Stray")
    @Label("Stray")
    @Description("A member left its team in the middle of an operation")
    @Category("Lockstep")
    @StackTrace(false)
    static final class Stray extends Event {
        @Label("Carrier")
        int carrier;

        @Label("Operation")
        String operation;

        @Label("S-thread")
        String sThread;

        @Label("Reason")
        String reason;

        @Label("Sampled One Of")
        int oneOf;
    }

    @Name("dev.lockstep.SwitchSkipped")
    @Label("Switch Skipped")
    @Description("A held latch kept a member from handing on its turn")
    @Category("Lockstep")
    @StackTrace(false)
    static final class SwitchSkipped extends Event {
        @Label("Carrier")
        int carrier;

        @Label("Operation")
        String operation;

        @Label("S-thread")
        String sThread;

        @Label("Latches Held")
        int latchesHeld;

        @Label("Sampled One Of")
        int oneOf;
    }
}
