/* Memory for the model's tables. */
#ifndef LOCKSTEP_SIMULATOR_MEMORY_H
#define LOCKSTEP_SIMULATOR_MEMORY_H

#include <stddef.h>

/* Zeroed, to be freed by free(); in large pages where it is large and the system has them. 0 where there is none. */
void *memory_create(size_t count, size_t bytes);

#endif
