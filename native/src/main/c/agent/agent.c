/*
 * A JVMTI agent that writes down which code was compiled to which addresses, and when: what turns the addresses of
 * simulator/code_lines.h into methods, lines and inlining chains. Loaded with -agentpath:LIBRARY=FILE.
 *
 * Each event has an epoch, 1 and up. In a simulated process (LOCKSTEP_SIMULATED is set) the mark
 * LOCKSTEP_MARKER_CODE_EVENT follows it, from which on the simulator's plugin gives this epoch to what it translates.
 * HotSpot reports a compiled method a moment after it has been put in place, and its removal before the place is used
 * again; so code of epoch t at an address belongs to the method that was reported there last up to t, and if that was
 * removed by then, or there was none, to the one that was reported there next; between the two, to code that the JVM
 * made of itself, if that was reported there behind the removal. That such code is gone is not reported.
 *
 * The file, text, addresses in hex, other numbers in decimal:
 *
 *     lockstep-code-events 1
 *     v VERSION                                           of the JVM, the rest of the line
 *     m METHOD CLASS NAME SIGNATURE                       a method, numbered from 1; names as in class files
 *     f FRAME CALLER METHOD BCI LINE                      a frame, numbered from 1, inlined into frame CALLER, or 0;
 *                                                         LINE 0 where it is not known
 *     L EPOCH ADDRESS BYTES LEVEL COMPILATION METHOD      compiled: LEVEL 1 to 3 by C1, 4 by C2, -1 not known; the
 *                                                         JVM's number of the compilation, 0 if not known
 *     p OFFSET FRAME                                      of the last L: instructions that begin before OFFSET, and
 *                                                         not before that of the line above, belong to FRAME
 *     U EPOCH ADDRESS                                     the code that L put there is gone
 *     D EPOCH ADDRESS BYTES NAME                          code the JVM made of itself: interpreter, stubs
 *     r START END PATH                                    memory of a file at the end, as in /proc/self/maps; whether
 *                                                         it is executable QEMU does not say
 *     end
 *
 * Lines m and f come before those that refer to them. Thread-safety: JVMTI calls from any thread; one latch around all.
 */
#include "compile_level.h"
#include "lockstep_marker.h"
#include "names.h"

#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a method's file position; a table by its number. */
struct lines {
    jvmtiLineNumberEntry *entries;
    jint count;
};

static struct {
    pthread_mutex_t latch;
    JavaVM *vm;
    FILE *file;
    bool simulated;
    bool ended;
    long epoch;
    struct names methods;
    struct names frames;
    struct lines *lines;
    uint32_t line_capacity;
} agent = {.latch = PTHREAD_MUTEX_INITIALIZER};

/* Under the latch: the next event happens. */
static long next_epoch(void) {
    return ++agent.epoch;
}

/* Under the latch: the event is written. */
static void mark_epoch(void) {
    if (agent.simulated) {
        lockstep_mark(LOCKSTEP_MARKER_CODE_EVENT, agent.epoch, 0, 0);
    }
}

static void free_string(jvmtiEnv *jvmti, char *string) {
    if (string) {
        (*jvmti)->Deallocate(jvmti, (unsigned char *) string);
    }
}

static void write_method(jvmtiEnv *jvmti, uint32_t number, jmethodID method) {
    char *name = NULL;
    char *signature = NULL;
    char *class_name = NULL;
    jclass class = NULL;
    JNIEnv *jni = NULL;
    (void) (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL);
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE) {
        (void) (*jvmti)->GetClassSignature(jvmti, class, &class_name, NULL);
        if ((*agent.vm)->GetEnv(agent.vm, (void **) &jni, JNI_VERSION_1_6) == JNI_OK) {
            (*jni)->DeleteLocalRef(jni, class);
        }
    }
    /* A class file's L...; without the frame around it. */
    const char *plain = class_name ? class_name : "?";
    int length = (int) strlen(plain);
    if (plain[0] == 'L' && length > 2) {
        plain++;
        length -= 2;
    }
    fprintf(agent.file, "m %u %.*s %s %s\n", number, length, plain, name ? name : "?", signature ? signature : "?");
    free_string(jvmti, name);
    free_string(jvmti, signature);
    free_string(jvmti, class_name);
}

/* The number of a method, described when it is new. */
static uint32_t method_number(jvmtiEnv *jvmti, jmethodID method) {
    int added;
    uint32_t number = names_number(&agent.methods, (uintptr_t) method, 0, 0, &added);
    if (!added) {
        return number;
    }
    write_method(jvmti, number, method);
    if (number >= agent.line_capacity) {
        uint32_t capacity = number * 2 + 64;
        struct lines *grown = realloc(agent.lines, capacity * sizeof *grown);
        if (!grown) {
            return number;
        }
        memset(grown + agent.line_capacity, 0, (capacity - agent.line_capacity) * sizeof *grown);
        agent.lines = grown;
        agent.line_capacity = capacity;
    }
    struct lines *lines = &agent.lines[number];
    if ((*jvmti)->GetLineNumberTable(jvmti, method, &lines->count, &lines->entries) != JVMTI_ERROR_NONE) {
        lines->count = 0;
    }
    return number;
}

/* The line of a bytecode index, 0 if unknown: tables are in no promised order. */
static int line_of(uint32_t method, jint bci) {
    if (method >= agent.line_capacity) {
        return 0;
    }
    int line = 0;
    jlocation best = -1;
    const struct lines *lines = &agent.lines[method];
    for (jint i = 0; i < lines->count; i++) {
        jlocation start = lines->entries[i].start_location;
        if (start <= bci && start > best) {
            best = start;
            line = lines->entries[i].line_number;
        }
    }
    return line;
}

/* The number of the innermost frame of a chain, described as far as it is new. */
static uint32_t frame_number(jvmtiEnv *jvmti, const PCStackInfo *stack) {
    uint32_t frame = 0;
    for (jint i = stack->numstackframes - 1; i >= 0; i--) {
        int added;
        uint32_t method = method_number(jvmti, stack->methods[i]);
        jint bci = stack->bcis[i];
        uint32_t caller = frame;
        frame = names_number(&agent.frames, method, caller, (uint32_t) bci, &added);
        if (added) {
            fprintf(agent.file, "f %u %u %u %d %d\n", frame, caller, method, (int) bci, line_of(method, bci));
        }
    }
    return frame;
}

/* One offset of a compiled method and the frame before it. */
struct position {
    long offset;
    uint32_t frame;
};

/* The positions of a method in ascending order, which is HotSpot's; those without frames are left out. */
static uint32_t read_positions(
    jvmtiEnv *jvmti, const char *code, const jvmtiCompiledMethodLoadInlineRecord *record, struct position *positions) {
    uint32_t count = 0;
    for (jint i = 0; i < record->numpcs; i++) {
        const PCStackInfo *stack = &record->pcinfo[i];
        long offset = (const char *) stack->pc - code;
        if (stack->numstackframes <= 0 || offset <= 0 || (count && offset < positions[count - 1].offset)) {
            continue;
        }
        uint32_t frame = frame_number(jvmti, stack);
        if (count && (positions[count - 1].frame == frame || positions[count - 1].offset == offset)) {
            count--;
        }
        positions[count++] = (struct position) {offset, frame};
    }
    return count;
}

static void JNICALL compiled(
    jvmtiEnv *jvmti, jmethodID method, jint code_size, const void *code_addr, jint map_length,
    const jvmtiAddrLocationMap *map, const void *compile_info) {
    (void) map_length;
    (void) map;
    pthread_mutex_lock(&agent.latch);
    if (agent.ended) {
        pthread_mutex_unlock(&agent.latch);
        return;
    }
    struct position *positions = NULL;
    uint32_t position_count = 0;
    for (const jvmtiCompiledMethodLoadRecordHeader *record = compile_info; record; record = record->next) {
        const jvmtiCompiledMethodLoadInlineRecord *inlined = (const void *) record;
        if (record->kind == JVMTI_CMLR_INLINE_INFO && inlined->numpcs > 0 && !positions) {
            positions = malloc((size_t) inlined->numpcs * sizeof *positions);
            position_count = positions ? read_positions(jvmti, code_addr, inlined, positions) : 0;
        }
    }
    uint32_t number = method_number(jvmti, method);
    struct compile_level level = compile_level_of(code_addr);
    fprintf(agent.file, "L %ld %lx %d %d %d %u\n", next_epoch(), (unsigned long) (uintptr_t) code_addr,
        (int) code_size, level.level, level.compile_id, number);
    for (uint32_t i = 0; i < position_count; i++) {
        fprintf(agent.file, "p %ld %u\n", positions[i].offset, positions[i].frame);
    }
    free(positions);
    mark_epoch();
    pthread_mutex_unlock(&agent.latch);
}

static void JNICALL removed(jvmtiEnv *jvmti, jmethodID method, const void *code_addr) {
    (void) jvmti;
    (void) method;
    pthread_mutex_lock(&agent.latch);
    if (!agent.ended) {
        fprintf(agent.file, "U %ld %lx\n", next_epoch(), (unsigned long) (uintptr_t) code_addr);
        mark_epoch();
    }
    pthread_mutex_unlock(&agent.latch);
}

static void JNICALL generated(jvmtiEnv *jvmti, const char *name, const void *address, jint length) {
    (void) jvmti;
    pthread_mutex_lock(&agent.latch);
    if (!agent.ended) {
        fprintf(agent.file, "D %ld %lx %d %s\n", next_epoch(), (unsigned long) (uintptr_t) address, (int) length,
            name ? name : "?");
        mark_epoch();
    }
    pthread_mutex_unlock(&agent.latch);
}

/* Code made before the agent could hear of it. */
static void JNICALL initialized(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) {
    (void) jni;
    (void) thread;
    (void) (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
    (void) (*jvmti)->GenerateEvents(jvmti, JVMTI_EVENT_COMPILED_METHOD_LOAD);
}

static void write_regions(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char path[2048];
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %2047[^\n]", &start, &end, path) == 3) {
            fprintf(agent.file, "r %lx %lx %s\n", start, end, path);
        }
    }
    if (maps) {
        fclose(maps);
    }
}

static void JNICALL ended(jvmtiEnv *jvmti, JNIEnv *jni) {
    (void) jvmti;
    (void) jni;
    pthread_mutex_lock(&agent.latch);
    if (!agent.ended) {
        agent.ended = true;
        write_regions();
        fputs("end\n", agent.file);
        fclose(agent.file);
    }
    pthread_mutex_unlock(&agent.latch);
}

static bool listen(jvmtiEnv *jvmti) {
    jvmtiCapabilities capabilities;
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_generate_compiled_method_load_events = 1;
    capabilities.can_get_line_numbers = 1;
    jvmtiEventCallbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.CompiledMethodLoad = compiled;
    callbacks.CompiledMethodUnload = removed;
    callbacks.DynamicCodeGenerated = generated;
    callbacks.VMInit = initialized;
    callbacks.VMDeath = ended;
    static const jvmtiEvent EVENTS[] = {
        JVMTI_EVENT_COMPILED_METHOD_LOAD,
        JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
        JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_DEATH,
    };
    bool listening = (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE
        && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE;
    for (size_t i = 0; listening && i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        listening = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, EVENTS[i], NULL) == JVMTI_ERROR_NONE;
    }
    return listening;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    (void) reserved;
    jvmtiEnv *jvmti;
    agent.vm = vm;
    agent.simulated = getenv("LOCKSTEP_SIMULATED") != NULL;
    agent.file = options && *options ? fopen(options, "w") : NULL;
    if (!agent.file) {
        fprintf(stderr, "lockstep agent: cannot write code events: file=%s; load it with -agentpath:LIBRARY=FILE\n",
            options ? options : "");
        return JNI_ERR;
    }
    if ((*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        fputs("lockstep agent: this JVM has no JVMTI 1.2\n", stderr);
        return JNI_ERR;
    }
    char *version = NULL;
    (void) (*jvmti)->GetSystemProperty(jvmti, "java.vm.version", &version);
    fprintf(agent.file, "lockstep-code-events 1\nv %s\n", version ? version : "?");
    free_string(jvmti, version);
    (void) compile_level_open();
    if (!listen(jvmti)) {
        fputs("lockstep agent: this JVM does not report compiled methods\n", stderr);
        return JNI_ERR;
    }
    return JNI_OK;
}
