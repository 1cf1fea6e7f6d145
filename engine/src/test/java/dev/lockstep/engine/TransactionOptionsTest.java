package dev.lockstep.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class TransactionOptionsTest {
    @RegisterExtension
    final ValidatedDatabase validated = new ValidatedDatabase();

    @TempDir
    Path directory;

    @Test
    void nullIsRefused() {
        TransactionOptions options = TransactionOptions.of(DatabaseOptions.defaults());
        requireRefused("isolation=null", () -> options.withIsolation(null));
        requireRefused("durability=null", () -> options.withDurability(null));
        requireRefused("lockTimeout=null", () -> options.withLockTimeout(null));
        requireRefused("timeout=null", () -> options.withTimeout(null));
    }

    private static void requireRefused(String pair, Executable call) {
        InvalidOptionException refusal = assertThrows(InvalidOptionException.class, call);
        assertTrue(refusal.getMessage().contains(pair), refusal.getMessage());
    }

    /** A database that does not force its commits cannot do so for one: what that one has read may still get lost. */
    @Test
    void aDurabilityAboveTheDatabasesIsRefused() {
        for (Durability strongest : Durability.values()) {
            DatabaseOptions options = DatabaseOptions.builder()
                    .createIfMissing(true)
                    .poolBytes(DatabaseOptions.POOL_BYTES_MIN)
                    .durability(strongest)
                    .build();
            Database database = validated.open(directory.resolve(strongest.name()), options, null);
            for (Durability durability : Durability.values()) {
                TransactionOptions asked = database.transactionOptions().withDurability(durability);
                if (durability.ordinal() >= strongest.ordinal()) {
                    database.run(asked, transaction -> assertTrue(transaction.isOpen()));
                    continue;
                }
                requireRefused(
                        "durability=" + durability + ", databaseDurability=" + strongest,
                        () -> database.run(asked, transaction -> {
                            throw new AssertionError("it runs");
                        }));
                try (Session session = database.openSession()) {
                    assertThrows(InvalidOptionException.class, () -> session.begin(asked));
                    Transaction next = session.begin();
                    next.commit();
                    assertFalse(next.isOpen());
                }
            }
        }
    }
}
