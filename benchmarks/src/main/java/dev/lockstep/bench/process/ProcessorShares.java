package dev.lockstep.bench.process;

/**
 * What processors did in some time, for all programs on them; what is missing to 1 a hypervisor had given to others.
 *
 * @param user part in which they ran programs, 0 to 1
 * @param kernel part in which they ran the kernel, for programs and for interrupts, 0 to 1
 * @param idle part in which they had nothing to do or waited for a disk, 0 to 1
 */
public record ProcessorShares(double user, double kernel, double idle) {}
