// glibc lets a program define malloc itself and offers its own under other names: no dlsym, hence no recursion
// while the first symbol is looked up. free needs no counterpart, as the memory is glibc's.
//
// libcurl's calls are told apart by where they return to. Its number depends on timing: an answer that is there
// before libcurl looks costs five allocations less than one that must be waited for. Everyone else's does not.
#include "CAllocationCounter.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t count, bytes, libcurl_count;
static uintptr_t libcurl_start, libcurl_end;

static int find_libcurl(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "/libcurl")) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        libcurl_start = info->dlpi_addr + part->p_vaddr;
        libcurl_end = libcurl_start + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void locate(void) { dl_iterate_phdr(find_libcurl, NULL); }

// Only sums are read, and only while nothing runs: no order is needed.
static void note(size_t size, const void *caller) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    uintptr_t place = (uintptr_t)caller;
    if (place >= libcurl_start && place < libcurl_end)
        atomic_fetch_add_explicit(&libcurl_count, 1, memory_order_relaxed);
}

#define NOTE(size) note(size, __builtin_return_address(0))

allocation_reading allocations_read(void) {
    return (allocation_reading){
        .count = atomic_load_explicit(&count, memory_order_relaxed),
        .bytes = atomic_load_explicit(&bytes, memory_order_relaxed),
        .libcurl = atomic_load_explicit(&libcurl_count, memory_order_relaxed),
    };
}

void *malloc(size_t size) {
    NOTE(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    NOTE(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    NOTE(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    NOTE(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    NOTE(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    NOTE(size);
    if (alignment % sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

// Here only because glibc's own would hide who asked.
char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    NOTE(size);
    void *memory = __libc_malloc(size);
    return memory ? memcpy(memory, text, size) : NULL;
}
