package dev.lockstep.tpcc.check;

import java.util.Arrays;

/** What is known of each order of a district while its tables are read, by O_ID. Grows with the highest O_ID. */
final class DistrictOrders {
    private static final byte EXISTS = 1;
    private static final byte DELIVERED = 2;
    private static final byte NEW = 4;

    private byte[] flags = new byte[4_096];
    private byte[] declaredLines = new byte[flags.length];
    private byte[] lines = new byte[flags.length];
    private int[] customerIds = new int[flags.length];
    private int highest;

    void newOrder(int orderId) {
        reserve(orderId);
        flags[orderId] |= NEW;
    }

    void order(int orderId, int customerId, boolean delivered, int lineCount) {
        reserve(orderId);
        flags[orderId] |= (byte) (EXISTS | (delivered ? DELIVERED : 0));
        declaredLines[orderId] = (byte) lineCount;
        customerIds[orderId] = customerId;
    }

    void line(int orderId) {
        reserve(orderId);
        // Saturates: more lines than an order can have are a violation however many they are.
        if (lines[orderId] < Byte.MAX_VALUE) {
            lines[orderId]++;
        }
    }

    private void reserve(int orderId) {
        if (orderId >= flags.length) {
            int length = Math.max(orderId + 1, flags.length + (flags.length >> 1));
            flags = Arrays.copyOf(flags, length);
            declaredLines = Arrays.copyOf(declaredLines, length);
            lines = Arrays.copyOf(lines, length);
            customerIds = Arrays.copyOf(customerIds, length);
        }
        highest = Math.max(highest, orderId);
    }

    int highest() {
        return highest;
    }

    boolean exists(int orderId) {
        return (flags[orderId] & EXISTS) != 0;
    }

    boolean delivered(int orderId) {
        return (flags[orderId] & DELIVERED) != 0;
    }

    boolean isNew(int orderId) {
        return (flags[orderId] & NEW) != 0;
    }

    int declaredLines(int orderId) {
        return declaredLines[orderId];
    }

    int lines(int orderId) {
        return lines[orderId];
    }

    int customerId(int orderId) {
        return customerIds[orderId];
    }
}
