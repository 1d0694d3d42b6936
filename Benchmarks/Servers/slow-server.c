// A keep-alive HTTP/1.1 server that answers each GET a fixed time after it came: what thousands of requests in
// flight wait for, and with a delay of 0 the server of the allocation counts.
//
//     slow-server [--port N] [--delay MS] [--body BYTES]
//
// Prints `listening PORT` once it listens on 127.0.0.1. It reads heads only: a request has no body here.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct connection {
    int fd;
    int matched;  // how much of the blank line that ends a head was seen
    int owed;     // heads read and not answered
    int64_t due;  // when the first of them is to be answered, in milliseconds
    bool queued;
    struct connection *next, *previous;
} connection;

// The delay is one for all, so a list in order of arrival is in order of time too.
static connection *first_due, *last_due;
static int64_t delay_ms = 1000;
static char *answer;
static size_t answer_length;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void enqueue(connection *c) {
    c->due = now_ms() + delay_ms;
    c->queued = true;
    c->next = NULL;
    c->previous = last_due;
    if (last_due) last_due->next = c;
    else first_due = c;
    last_due = c;
}

static void dequeue(connection *c) {
    if (!c->queued) return;
    if (c->previous) c->previous->next = c->next;
    else first_due = c->next;
    if (c->next) c->next->previous = c->previous;
    else last_due = c->previous;
    c->queued = false;
}

static void end(connection *c) {
    dequeue(c);
    close(c->fd);
    free(c);
}

// An answer fits a socket's buffer; a peer that does not take it is let go.
static bool send_answer(connection *c) {
    return send(c->fd, answer, answer_length, MSG_NOSIGNAL) == (ssize_t)answer_length;
}

static int heads_in(connection *c, const char *bytes, ssize_t count) {
    static const char blank_line[] = "\r\n\r\n";
    int heads = 0;
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == blank_line[c->matched]) c->matched++;
        else c->matched = bytes[i] == '\r';
        if (c->matched == 4) {
            heads++;
            c->matched = 0;
        }
    }
    return heads;
}

static void read_from(connection *c) {
    char buffer[4096];
    ssize_t count = recv(c->fd, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        end(c);
        return;
    }
    int heads = heads_in(c, buffer, count);
    if (delay_ms == 0) {
        for (; heads > 0; heads--) {
            if (!send_answer(c)) {
                end(c);
                return;
            }
        }
        return;
    }
    c->owed += heads;
    if (c->owed > 0 && !c->queued) enqueue(c);
}

static void answer_due(void) {
    int64_t now = now_ms();
    while (first_due && first_due->due <= now) {
        connection *c = first_due;
        dequeue(c);
        c->owed--;
        if (!send_answer(c)) end(c);
        else if (c->owed > 0) enqueue(c);
    }
}

static void accept_all(int epoll, int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connection *c = calloc(1, sizeof *c);
        if (!c) abort();
        c->fd = fd;
        struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = c}};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
}

static void make_answer(size_t body) {
    char head[256];
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 200 OK\r\nServer: slow-server\r\nContent-Type: application/octet-stream\r\n"
        "Content-Length: %zu\r\nConnection: keep-alive\r\n\r\n",
        body);
    answer_length = (size_t)length + body;
    answer = malloc(answer_length);
    if (!answer) abort();
    memcpy(answer, head, (size_t)length);
    memset(answer + length, 'x', body);
}

static int listen_on(uint16_t port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 8192)) {
        perror("slow-server");
        exit(1);
    }
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("listening %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int main(int argc, char **argv) {
    uint16_t port = 0;
    size_t body = 1024;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--port")) port = (uint16_t)atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--delay")) delay_ms = atoll(argv[i + 1]);
        else if (!strcmp(argv[i], "--body")) body = (size_t)atoll(argv[i + 1]);
        else {
            fprintf(stderr, "slow-server: unknown option %s\n", argv[i]);
            return 2;
        }
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    // A script that is killed leaves no server behind.
    prctl(PR_SET_PDEATHSIG, SIGTERM);

    make_answer(body);
    int listener = listen_on(port);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = NULL}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);

    struct epoll_event events[512];
    for (;;) {
        int wait = -1;
        if (first_due) {
            int64_t left = first_due->due - now_ms();
            wait = left > 0 ? (int)left : 0;
        }
        int count = epoll_wait(epoll, events, 512, wait);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr) read_from(events[i].data.ptr);
            else accept_all(epoll, listener);
        }
        answer_due();
    }
}
