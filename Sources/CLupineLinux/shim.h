// What glibc's own module map leaves out: epoll, eventfd, accept4, getopt_long, rtnetlink, gettext.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libintl.h>
#include <linux/rtnetlink.h>
#include <locale.h>
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
static inline int lupine_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// glibc shows accept4 to _GNU_SOURCE only, which Swift does not define.
static inline int lupine_accept4(int listener, int flags) {
    return (int)syscall(SYS_accept4, listener, (void *)0, (void *)0, flags);
}

// The calling thread's name, 15 bytes at most.
static inline void lupine_name_thread(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// A locale in which text is UTF-8; null where there is none. For lupine_use_locale, and never freed.
static inline void *_Nullable lupine_utf8_locale(void) { return (void *)newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

// For the calling thread alone.
static inline void lupine_use_locale(void *_Nullable locale) {
    if (locale) uselocale((locale_t)locale);
}

// One step of getopt_long, which keeps its place in variables that Swift 6 does not let pass.
struct lupine_getopt_step {
    // What getopt_long returned: an option's value, '?' or ':' for a fault, 1 for an operand, -1 at the end.
    int value;
    // The index of the word that was read, and of the next one.
    int word, next;
    // The short option of a fault; 0 for a long one.
    int short_option;
    char *_Nullable argument;
};

static inline struct lupine_getopt_step lupine_getopt_next(
    int count, char *_Nullable const *_Nonnull words, const char *_Nonnull short_options,
    const struct option *_Nonnull long_options) {
    struct lupine_getopt_step step;
    opterr = 0;
    optarg = (char *)0;
    step.word = optind == 0 ? 1 : optind;
    step.value = getopt_long(count, words, short_options, long_options, (int *)0);
    step.next = optind;
    step.short_option = optopt;
    step.argument = optarg;
    return step;
}

static inline void lupine_getopt_restart(void) { optind = 0; }

// A text of Lupine's in the user's language, in UTF-8, where the program has bound the domain; else the text itself.
static inline const char *_Nonnull lupine_text(const char *_Nonnull english) {
    bind_textdomain_codeset("lupine", "UTF-8");
    const char *text = dgettext("lupine", english);
    return text ? text : english;
}

// Both ends close-on-exec, from the beginning.
static inline int lupine_pipe(int *_Nonnull ends) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

// glibc shows both to _GNU_SOURCE only. A network namespace is the calling thread's, and its children's.
static inline int lupine_leave_network(void) { return (int)syscall(SYS_unshare, 0x40000000 /* CLONE_NEWNET */); }
static inline int lupine_enter_network(int namespace_descriptor) {
    return (int)syscall(SYS_setns, namespace_descriptor, 0x40000000 /* CLONE_NEWNET */);
}

enum {
    LUPINE_EPOLLIN = EPOLLIN,
    LUPINE_EPOLLOUT = EPOLLOUT,
    LUPINE_EPOLLERR = EPOLLERR,
    LUPINE_EPOLLHUP = EPOLLHUP,
    LUPINE_EPOLLET = EPOLLET,
};
