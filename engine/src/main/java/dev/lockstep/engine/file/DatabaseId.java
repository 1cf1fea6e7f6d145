package dev.lockstep.engine.file;

import java.util.UUID;

/**
 * What all files of one database have in common and no other database has: a random UUID, so that files of two
 * databases cannot be mixed by mistake.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record DatabaseId(long high, long low) {
    /** Makes an id that nobody else has. */
    public static DatabaseId random() {
        UUID uuid = UUID.randomUUID();
        return new DatabaseId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /** Returns the id in the usual form of a UUID. */
    @Override
    public String toString() {
        return new UUID(high, low).toString();
    }
}
