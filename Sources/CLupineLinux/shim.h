// What glibc's own module map leaves out: epoll and eventfd.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// epoll_event is packed on x86-64: its 64-bit word is written and read here, not through a Swift pointer.
static inline int lupine_epoll_ctl(int epoll, int operation, int descriptor, uint32_t events, uint64_t word) {
    struct epoll_event event = {.events = events, .data = {.u64 = word}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline uint32_t lupine_epoll_events(const struct epoll_event *_Nonnull list, int index) {
    return list[index].events;
}

static inline uint64_t lupine_epoll_word(const struct epoll_event *_Nonnull list, int index) {
    return list[index].data.u64;
}

// EPOLL_CLOEXEC and EFD_* are enumerators that Swift imports as typed values; these are the two calls in use.
static inline int lupine_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
// glibc shows accept4 to _GNU_SOURCE only, which Swift does not define.
static inline int lupine_accept4(int listener, int flags) {
    return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, flags);
}

static inline int lupine_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// The calling thread's name, 15 bytes at most.
static inline void lupine_name_thread(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

enum {
    LUPINE_EPOLLIN = EPOLLIN,
    LUPINE_EPOLLOUT = EPOLLOUT,
    LUPINE_EPOLLERR = EPOLLERR,
    LUPINE_EPOLLHUP = EPOLLHUP,
};
