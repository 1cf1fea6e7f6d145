package dev.lockstep.bench.simulate;

/**
 * Machines that are known by name. Figures are the ones that the papers print; what a paper leaves out is taken from
 * the manufacturer's description of the processor, or left to the simulator's default, and {@link #source} says so.
 */
enum MachinePreset {
    THIS(
            "this machine: its caches as the system reports them, one core",
            "the operating system; ways that it does not report are taken as 8 in L1 and 16 beyond, latencies are the"
                    + " simulator's defaults"),
    ALPHA(
            "the simulated Alpha server of Barroso and others (1998), section 5.1, 4 cores",
            "Barroso, Gharachorloo, Bugnion: Memory System Characterization of Commercial Workloads, section 5.1: 32"
                    + " KB 2-way L1s, 2 MB off-chip cache (direct-mapped, as the baseline of 5.2), 64-byte lines;"
                    + " latencies of section 3.1: 21 cycles off-chip cache, 80 memory, 125 dirty miss",
            "cores=4",
            "l1i=32K,2,64",
            "l1d=32K,2,64",
            "l2=2M,direct,64",
            "coherence=mesi",
            "classes=split",
            "latency.l2=21",
            "latency.memory=80",
            "latency.transfer=125"),
    ALPHASERVER_4100(
            "the AlphaServer 4100 that they measured, section 3.1, 4 cores",
            "the same paper, section 3.1: 8 KB direct-mapped L1s with 32-byte lines, data written through; 96 KB 3-way"
                    + " second level, 2 MB direct-mapped board cache, 64-byte lines; 7, 21, 80 and 125 cycles",
            "cores=4",
            "l1i=8K,direct,32",
            "l1d=8K,direct,32",
            "l1d.write=through",
            "l2=96K,3,64",
            "llc=2M,direct,64",
            "llc.cores=1",
            "coherence=mesi",
            "classes=split",
            "latency.l2=7",
            "latency.llc=21",
            "latency.memory=80",
            "latency.transfer=125"),
    PENTIUM_4(
            "Pentium 4 of the STEPS paper; the trace cache as a 16 KB L1-I",
            "Harizopoulos, Ailamaki: Improving Instruction Cache Performance in OLTP, table 1: 16 KB 8-way L1-D,"
                + " 64-byte lines, 1 MB L2, 12K micro-operations 8-way; Zhou, Ross: Buffering Database Operations,"
                + " table 1 and section 7.1: the trace cache as 16 KB of instructions, 128-byte lines in L2, 18 cycles"
                + " L1 miss, 276 L2 miss, 128 entries of the ITLB, here fully associative, which it does not say; 8"
                + " ways of L2 from the manufacturer",
            "l1i=16K,8,64",
            "l1d=16K,8,64",
            "l2=1M,8,128",
            "itlb=128,128",
            "latency.l2=18",
            "latency.memory=276"),
    ATHLON_XP(
            "AthlonXP of the STEPS paper",
            "Harizopoulos, Ailamaki, table 1: 64 KB 2-way L1s, 64-byte lines, 256 KB L2; 16 ways of L2 from the"
                    + " manufacturer; latencies are the simulator's defaults",
            "l1i=64K,2,64",
            "l1d=64K,2,64",
            "l2=256K,16,64"),
    PENTIUM_III(
            "Pentium III of the STEPS paper",
            "Harizopoulos, Ailamaki, table 1: 16 KB 4-way L1s, 32-byte lines, 256 KB L2; 8 ways and 32-byte lines of L2"
                    + " from the manufacturer; latencies are the simulator's defaults",
            "l1i=16K,4,32",
            "l1d=16K,4,32",
            "l2=256K,8,32"),
    ITANIUM_2(
            "Itanium 2 server of Saylor and Khessib (2006): 32 cores on 8 nodes",
            "Saylor, Khessib: Large Scale Itanium 2 Processor OLTP Workload Characterization and Optimization, section"
                    + " 4: 32 processors on 8 nodes, 256 KB L2, 6 MB L3, 128 entries of the second-level data TLB, 8 KB"
                    + " pages (4 KB here); 16 KB 4-way L1s with 64-byte lines, 8 and 24 ways, 128-byte lines and 32"
                    + " entries of the first-level TLBs from the manufacturer; latencies are the simulator's defaults",
            "cores=32",
            "nodes=8",
            "l1i=16K,4,64",
            "l1d=16K,4,64",
            "l2=256K,8,128",
            "llc=6M,24,128",
            "llc.cores=1",
            "coherence=mesi",
            "classes=split",
            "itlb=32,32",
            "dtlb=32,32",
            "stlb=128,128");

    private final String summary;
    private final String source;
    /** Lines of a machine file. */
    private final String text;

    MachinePreset(String summary, String source, String... lines) {
        this.summary = summary;
        this.source = source;
        this.text = String.join("\n", lines);
    }

    /** What it is, in a few words. */
    String summary() {
        return summary;
    }

    /** Where its figures come from. */
    String source() {
        return source;
    }

    /** Reads this machine's from the system; the others are fixed. */
    MachineDescription description() {
        return this == THIS
                ? ThisMachine.describe()
                : MachineDescription.parse(text.lines().toList());
    }
}
