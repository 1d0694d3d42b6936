// Counts what a process asks malloc and its kin for. Whatever links this has its malloc replaced.
#pragma once
#include <stdint.h>

typedef struct {
    uint64_t count;    // calls of malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign and strdup
    uint64_t bytes;    // what they asked for
    uint64_t libcurl;  // how many of the calls libcurl made
} allocation_reading;

// Of all threads since the process began; two readings are subtracted.
allocation_reading allocations_read(void);
