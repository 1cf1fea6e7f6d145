#include "check.h"

static int parse(const char *text, struct machine *machine, char *error) {
    return machine_parse(machine, "m", text, error, 512);
}

static void says(const char *text, const char *part) {
    struct machine machine;
    machine_default(&machine);
    machine.cores = 7;
    char error[512] = "";
    CHECK_EQUAL((uint64_t) -1, (uint64_t) parse(text, &machine, error));
    CHECK_EQUAL(7, machine.cores);
    if (strstr(error, part) == NULL) {
        check_failures++;
        printf("%s: \"%s\" gives \"%s\", which lacks \"%s\"\n", check_test, text, error, part);
    }
    CHECK(strchr(error, '\n') == NULL);
}

static void reads_every_key(void) {
    struct machine machine;
    char error[512];
    int result = parse("# a comment\n\ncores=8\r\nsmt=2\nnodes=2\nl1i=64K,2,64\nl1d=8K,direct,32\nl2=1M,full,64\n"
                       "llc=13M,13,128\nl2.cores=2\nl2.inclusive=yes\nl1d.write=through\ncoherence=mesi\n"
                       "classes=split\nitlb=48,full\ndtlb=64,4\nstlb=1536,12\npage=2M\npage.map=random\npage.seed=9\n"
                       "prefetch.next_line=l1i,l2\nprefetch.stream=16,4\nlatency.l2=1\nlatency.llc=2\n"
                       "latency.memory=3\nlatency.memory_remote=4\nlatency.transfer=5\nlatency.transfer_remote=6\n"
                       "latency.upgrade=7\nlatency.stlb=8\nobserve=l1i:16K,4,64\nobserve=l2:2M,8,64\naccounts=12\n"
                       "memory=64M",
            &machine, error);
    CHECK_EQUAL(0, (uint64_t) result);
    CHECK_EQUAL(8, machine.cores);
    CHECK_EQUAL(16, machine_processors(&machine));
    CHECK_EQUAL(2, machine.nodes);
    CHECK_EQUAL(64 << 10, machine.cache[LEVEL_L1I].geometry.bytes);
    CHECK_EQUAL(1, machine.cache[LEVEL_L1D].geometry.ways);
    CHECK(machine.cache[LEVEL_L1D].write_through);
    CHECK_EQUAL(16384, machine.cache[LEVEL_L2].geometry.ways);
    CHECK(machine.cache[LEVEL_L2].inclusive);
    CHECK_EQUAL(2, machine.cache[LEVEL_L2].cores);
    CHECK_EQUAL(8, machine.cache[LEVEL_LLC].cores);
    CHECK(!machine.cache[LEVEL_LLC].inclusive);
    CHECK(machine.coherent);
    CHECK_EQUAL(CLASSES_SPLIT, machine.classes);
    CHECK_EQUAL(48, machine.itlb.ways);
    CHECK_EQUAL(1536, machine.stlb.entries);
    CHECK_EQUAL(2 << 20, machine.page_bytes);
    CHECK(machine.page_random);
    CHECK_EQUAL(9, machine.page_seed);
    CHECK(machine.next_line[LEVEL_L1I] && !machine.next_line[LEVEL_L1D] && machine.next_line[LEVEL_L2]);
    CHECK_EQUAL(16, machine.streams);
    CHECK_EQUAL(4, machine.stream_depth);
    CHECK_EQUAL(8, machine.latency_stlb_cycles);
    CHECK_EQUAL(6, machine.latency_transfer_remote_cycles);
    CHECK_EQUAL(2, machine.observers);
    CHECK_EQUAL(LEVEL_L2, machine.observer[1].level);
    CHECK_EQUAL(12, machine.accounts);
    CHECK_EQUAL((uint64_t) 64 << 20, machine.memory_bytes);
}

static void reads_large_numbers(void) {
    struct machine machine;
    char error[512] = "";
    int result = parse("l1d=32K,8,64\nllc=1610612736,12,64\npage.seed=18446744073709551615\nmemory=2147483648",
            &machine, error);
    CHECK_EQUAL(0, (uint64_t) result);
    CHECK_EQUAL(1610612736, machine.cache[LEVEL_LLC].geometry.bytes);
    CHECK_EQUAL(UINT64_MAX, machine.page_seed);
    CHECK_EQUAL((uint64_t) 2 << 30, machine.memory_bytes);
    CHECK_EQUAL(0, (uint64_t) parse("page.seed=17179869183G", &machine, error));
    CHECK_EQUAL(UINT64_MAX >> 30 << 30, machine.page_seed);
}

static void refuses_with_one_sentence(void) {
    says("cores", "line 1: \"cores\" has no '='");
    says("cores=0", "line 1: cores=0 is out of range");
    says("\ncores=65", "line 2: cores=65");
    says("cores=2\ncores=4", "cores is given twice");
    says("colour=red", "colour=red is unknown");
    says("l3=1M,8,64", "l3=1M,8,64 is unknown");
    says("l1i=32K,8", "l1i=32K,8 is no geometry");
    says("l1i=32K,8,65", "is no geometry");
    says("l1i=32K,8,8", "is no geometry");
    says("l1i=32K,8,512", "is no geometry");
    says("l1i=0,8,64", "is no geometry");
    says("l1i=32K,7,64", "is no geometry");
    says("l1i=32K,1024,64", "is no geometry");
    says("l1i=99999999999999999999,8,64", "is no geometry");
    says("l1i=1024G,1,16", "is no geometry");
    says("l1i.write=through", "unknown");
    says("l2.write=sideways", "is no write policy");
    says("l2.inclusive=perhaps", "neither yes nor no");
    says("l2.cores=0", "is no number of cores");
    says("cores=4\nl2.cores=3", "l2.cores=3 does not divide cores=4");
    says("cores=4\nnodes=3", "nodes=3 does not divide cores=4");
    says("cores=4\nl1d=32K,8,64\nl2=1M,8,64\nl2.cores=4\nllc=2M,8,64\nllc.cores=2", "llc.cores=2 is no multiple");
    says("l1d=32K,8,64\nl2=1M,8,32", "l1i has lines of 64 bytes, longer than the 32 of l2");
    says("l2=1M,8,64", "l1d=none");
    says("l1i=none\nl1d=32K,8,64\nl2=1M,8,64", "l1i=none");
    says("stlb=64,4", "has no first level");
    says("dtlb=64,5", "dtlb=64,5 is not understood");
    says("page=8K", "give 4K, 2M or 1G");
    says("prefetch.next_line=l1i,l3", "is not understood");
    says("prefetch.next_line=l2", "l2=none");
    says("prefetch.stream=65,4", "is not understood");
    says("prefetch.stream=4,4", "needs l1d");
    says("observe=l3:1M,8,64", "is not understood");
    char observers[MACHINE_OBSERVERS_MAX * 32] = "";
    for (int i = 0; i <= MACHINE_OBSERVERS_MAX; i++) {
        strcat(observers, "observe=l1i:16K,4,64\n");
    }
    says(observers, "at most 128 times");
    says("accounts=65536", "out of range");
    says("memory=7M", "give 8M to 1024G");
    says("memory=1025G", "give 8M to 1024G");
    says("memory=much", "give 8M to 1024G");
    says("page.seed=18446744073709551616", "give a whole number");
    says("page.seed=17179869184G", "give a whole number");
    says("page.seed=18014398509481984K", "give a whole number");
}

static void names_a_file_that_is_not_there(void) {
    struct machine machine;
    char error[512];
    CHECK_EQUAL((uint64_t) -1, (uint64_t) machine_read(&machine, "/nowhere/machine", error, sizeof error));
    CHECK(strstr(error, "/nowhere/machine cannot be opened") != NULL);
}

int main(void) {
    RUN(reads_every_key);
    RUN(reads_large_numbers);
    RUN(refuses_with_one_sentence);
    RUN(names_a_file_that_is_not_there);
    return check_result();
}
