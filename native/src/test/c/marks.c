/* Makes one mark of each kind, so that a test can look for them in what user-mode QEMU translates and traces. */
#include <stdio.h>

#include "lockstep_marker.h"

int main(void) {
    lockstep_phase_begin(LOCKSTEP_PHASE_MEASURED);
    LOCKSTEP_OPERATION(5);
    lockstep_mark(LOCKSTEP_MARKER_REGION, 4096, 8192, 4096);
    LOCKSTEP_OPERATION(LOCKSTEP_OPERATIONS - 1);
    lockstep_mark(LOCKSTEP_MARKER_THREAD_CORE, 3, 0, 0);
    LOCKSTEP_OPERATION(0);
    lockstep_phase_end(LOCKSTEP_PHASE_MEASURED);
    puts("marked");
    return 0;
}
