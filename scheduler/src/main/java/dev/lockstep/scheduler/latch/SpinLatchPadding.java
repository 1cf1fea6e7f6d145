package dev.lockstep.scheduler.latch;

/**
 * Keeps what lies before a {@link SpinLatch} in memory off its cache lines. All fields of the latch are longs: a
 * smaller one would be laid into the gap that the object header leaves, in front of this padding.
 */
@SuppressWarnings("unused")
abstract class SpinLatchPadding {
    private long before00;
    private long before01;
    private long before02;
    private long before03;
    private long before04;
    private long before05;
    private long before06;
    private long before07;
    private long before08;
    private long before09;
    private long before10;
    private long before11;
    private long before12;
    private long before13;
    private long before14;

    SpinLatchPadding() {}
}
