package dev.lockstep.bench.restart;

/**
 * How long a database took to open after its process was killed.
 *
 * @param warehouses size of the database when it was loaded
 * @param pageBytes size of its page file when the process was killed
 * @param logBytes log since its last checkpoint
 * @param secondsMin the fastest opening
 * @param secondsMedian the one in the middle, of two the faster
 * @param secondsMax the slowest
 * @param pagesRead pages of the file that the last opening read
 */
record RestartPoint(
        int warehouses,
        long pageBytes,
        long logBytes,
        double secondsMin,
        double secondsMedian,
        double secondsMax,
        long pagesRead) {}
