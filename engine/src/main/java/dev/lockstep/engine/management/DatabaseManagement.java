package dev.lockstep.engine.management;

import dev.lockstep.engine.Database;
import dev.lockstep.engine.DatabaseStatus;
import dev.lockstep.engine.InvalidOptionException;
import dev.lockstep.engine.Message;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Shows a database over JMX for as long as it is open, since only whoever asks for it has it: under
 * {@code dev.lockstep:type=Database,name="NAME"}. Thread-safe.
 *
 * <pre>{@code
 * try (Database database = Database.open(directory);
 *         DatabaseManagement shown = DatabaseManagement.register(database, "accounts")) {
 *     ...
 * }
 * }</pre>
 */
public final class DatabaseManagement implements AutoCloseable {
    private final ObjectName name;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DatabaseManagement(ObjectName name) {
        this.name = name;
    }

    /**
     * Shows a database in the platform's server.
     *
     * @param database open; closed by whoever opened it, best after what this returns
     * @param name tells it from others of this JVM
     * @return closing it takes the database out of the server
     * @throws InvalidOptionException if another database has that name there
     * @throws IllegalStateException if that server refuses it for another reason
     */
    public static DatabaseManagement register(Database database, String name) {
        try {
            ObjectName objectName = new ObjectName("dev.lockstep:type=Database,name=" + ObjectName.quote(name));
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Bean(database), objectName);
            return new DatabaseManagement(objectName);
        } catch (InstanceAlreadyExistsException e) {
            throw new InvalidOptionException(
                    Message.of("another database has that name over JMX")
                            .with("name", name)
                            .remedy("give each database of a JVM a name of its own"),
                    e);
        } catch (MalformedObjectNameException e) {
            throw new InvalidOptionException(
                    Message.of("the name cannot be one over JMX")
                            .with("name", name)
                            .remedy("choose one without line ends"),
                    e);
        } catch (JMException e) {
            throw new IllegalStateException(
                    Message.of("the platform's server refuses the database")
                            .with("name", name)
                            .with("reason", e)
                            .remedy("look at the cause; the database itself is as it was"),
                    e);
        }
    }

    /** The name over JMX. */
    public String objectName() {
        return name.toString();
    }

    /**
     * Takes the database out of the server. A second call does nothing.
     *
     * @throws IllegalStateException if the server does not let it go
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            // Another database may have the name by now.
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            // Somebody has taken it out already.
            return;
        } catch (JMException e) {
            throw new IllegalStateException(
                    Message.of("the platform's server does not let the database go")
                            .with("name", name)
                            .with("reason", e)
                            .remedy("look at the cause; the database itself can be closed"),
                    e);
        }
    }

    /** The bean; of a database that was closed every attribute fails with a typed error. */
    private record Bean(Database database) implements DatabaseMXBean {
        @Override
        public List<DatabaseStatus.OpenTransaction> getTransactions() {
            return database.status().transactions();
        }

        @Override
        public List<DatabaseStatus.Lock> getLocks() {
            return database.status().locks();
        }

        @Override
        public boolean isLocksComplete() {
            return database.status().locksComplete();
        }

        @Override
        public List<DatabaseStatus.Lock> getContendedLocks() {
            return database.status().locks().stream()
                    .filter(lock -> !lock.waiters().isEmpty())
                    .toList();
        }

        @Override
        public DatabaseStatus.SnapshotStatus getSnapshots() {
            return database.status().snapshots();
        }

        @Override
        public DatabaseStatus.LogStatus getLog() {
            return database.status().log();
        }

        @Override
        public DatabaseStatus.CheckpointStatus getCheckpoint() {
            return database.status().checkpoint();
        }

        @Override
        public DatabaseStatus.PoolStatus getPool() {
            return database.status().pool();
        }

        @Override
        public DatabaseStatus.RecoveryStatus getRecovery() {
            return database.status().recovery();
        }

        @Override
        public DatabaseStatus.HealthStatus getHealth() {
            return database.status().health();
        }
    }
}
