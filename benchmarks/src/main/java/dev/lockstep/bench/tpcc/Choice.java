package dev.lockstep.bench.tpcc;

import dev.lockstep.bench.report.Spelling;
import dev.lockstep.engine.Durability;
import dev.lockstep.engine.TornPageProtection;
import dev.lockstep.scheduler.SThreadKind;
import dev.lockstep.scheduler.TeamExecution;
import dev.lockstep.scheduler.TeamMode;
import dev.lockstep.tpcc.adapter.IsolationLevel;
import dev.lockstep.tpcc.workload.TransactionMix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The values of an option, with their spelling: what picocli converts, offers in its help, and refuses. */
abstract class Choice implements ITypeConverter<String>, Iterable<String> {
    private final List<String> values;

    private Choice(List<String> values) {
        this.values = values;
    }

    private static List<String> spelled(Enum<?>... constants) {
        return Arrays.stream(constants).map(Spelling::of).toList();
    }

    private static List<String> with(List<String> values, String more) {
        List<String> all = new ArrayList<>(values);
        all.add(more);
        return all;
    }

    @Override
    public String convert(String text) {
        for (String value : values) {
            if (value.equalsIgnoreCase(text) || value.replace('-', '_').equalsIgnoreCase(text)) {
                return value;
            }
        }
        throw new TypeConversionException("'" + text + "' is none of: " + String.join(", ", values));
    }

    @Override
    public Iterator<String> iterator() {
        return values.iterator();
    }

    /** Engines, or all of them. */
    static final class OfEngine extends Choice {
        OfEngine() {
            super(with(spelled(EngineName.values()), EngineName.ALL));
        }
    }

    /** Schedulers, or both. */
    static final class OfScheduler extends Choice {
        static final String BOTH = "both";

        OfScheduler() {
            super(with(spelled(Scheduling.JDK, Scheduling.STEPS), BOTH));
        }
    }

    /** Kinds of S-threads that can form teams. */
    static final class OfSThreads extends Choice {
        OfSThreads() {
            super(spelled(SThreadKind.VIRTUAL, SThreadKind.CONTINUATION));
        }
    }

    /** When teams are formed. */
    static final class OfTeams extends Choice {
        OfTeams() {
            super(spelled(TeamMode.values()));
        }
    }

    /** How teams execute. */
    static final class OfTeamExecution extends Choice {
        OfTeamExecution() {
            super(spelled(TeamExecution.values()));
        }
    }

    /** Which team is next. */
    static final class OfPolicy extends Choice {
        OfPolicy() {
            super(spelled(NamedPolicy.values()));
        }
    }

    /** Whether there is something. */
    static final class OfSwitch extends Choice {
        static final String ON = "on";
        static final String OFF = "off";

        OfSwitch() {
            super(List.of(ON, OFF));
        }
    }

    /** When commits are answered. */
    static final class OfDurability extends Choice {
        OfDurability() {
            super(spelled(Durability.values()));
        }
    }

    /** What protects pages from being torn. */
    static final class OfTornPages extends Choice {
        OfTornPages() {
            super(spelled(TornPageProtection.values()));
        }
    }

    /** What can be left out. */
    static final class OfMechanism extends Choice {
        OfMechanism() {
            super(spelled(Protection.Mechanism.values()));
        }
    }

    /** Isolation levels, or those that TPC-C requires. */
    static final class OfIsolation extends Choice {
        OfIsolation() {
            super(with(spelled(IsolationLevel.values()), RunSpec.ISOLATION_TPCC));
        }
    }

    /** Which transactions. */
    static final class OfMix extends Choice {
        OfMix() {
            super(spelled(TransactionMix.values()));
        }
    }
}
