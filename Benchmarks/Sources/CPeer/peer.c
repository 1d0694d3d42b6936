#include <curl/curl.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "CPeer.h"
#include "exchange.h"

struct peer {
    peer_work work;
    CURLM *multi;
    int epoll;
    int64_t deadline;  // of libcurl's timer in milliseconds, -1 when it is off
    struct curl_slist *request_fields;
    exchange *exchanges;
    int exchange_count;
    // Of the run that goes on:
    long left, running, failed;
};

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known) {
    (void)easy;
    peer *p = context;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(p->epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    struct epoll_event event = {.data = {.fd = fd}};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    epoll_ctl(p->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    if (!known) curl_multi_assign(p->multi, fd, p);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context) {
    (void)multi;
    peer *p = context;
    if (timeout_ms < 0) p->deadline = -1;
    else p->deadline = timeout_ms == 0 ? 0 : now_ms() + timeout_ms;
    return 0;
}

static void start(peer *p, exchange *e) {
    exchange_prepare(e, &p->work);
    p->left--;
    p->running++;
    curl_multi_add_handle(p->multi, e->easy);
}

static void finish_done(peer *p) {
    CURLMsg *message;
    int queued;
    while ((message = curl_multi_info_read(p->multi, &queued))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        exchange *e;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&e);
        curl_multi_remove_handle(p->multi, easy);
        p->running--;
        if (!exchange_check(e, result, &p->work.expected_length)) p->failed++;
        if (p->left > 0) start(p, e);
    }
}

static int time_left(const peer *p) {
    if (p->deadline < 0) return -1;
    if (p->deadline == 0) return 0;
    int64_t left = p->deadline - now_ms();
    return left > 0 ? (int)left : 0;
}

static void fire_timer(peer *p) {
    int running;
    p->deadline = -1;
    curl_multi_socket_action(p->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

long peer_run(peer *p, long requests, int concurrency) {
    if (concurrency > p->exchange_count) {
        // Exchanges are known to libcurl by their address, so they are not moved while one of them runs.
        exchange *grown = realloc(p->exchanges, (size_t)concurrency * sizeof *grown);
        if (!grown) return requests;
        p->exchanges = grown;
        for (int i = 0; i < p->exchange_count; i++) exchange_close(&grown[i]);
        for (int i = 0; i < concurrency; i++) exchange_open(&grown[i], &p->work, p->request_fields);
        p->exchange_count = concurrency;
    }
    p->left = requests;
    p->running = p->failed = 0;
    for (int i = 0; i < concurrency && p->left > 0; i++) start(p, &p->exchanges[i]);

    struct epoll_event events[256];
    while (p->running > 0) {
        // New transfers ask for the timer at once: served before sleeping, it costs no system call.
        while (p->deadline == 0) fire_timer(p);
        finish_done(p);
        if (p->deadline == 0 || p->running == 0) continue;
        int count = epoll_wait(p->epoll, events, 256, time_left(p));
        for (int i = 0; i < count; i++) {
            int running, mask = 0;
            if (events[i].events & EPOLLIN) mask |= CURL_CSELECT_IN;
            if (events[i].events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
            if (events[i].events & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
            curl_multi_socket_action(p->multi, events[i].data.fd, mask, &running);
        }
        if (p->deadline > 0 && time_left(p) == 0) fire_timer(p);
        finish_done(p);
    }
    return p->failed;
}

peer *peer_open(const peer_work *work) {
    static const char *const fields[] = {
        "Accept: */*",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "User-Agent: c-peer/1.0",
    };
    curl_global_init(CURL_GLOBAL_DEFAULT);
    peer *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->work = *work;
    p->deadline = -1;
    p->epoll = epoll_create1(EPOLL_CLOEXEC);
    p->multi = curl_multi_init();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p->request_fields = curl_slist_append(p->request_fields, fields[i]);
    curl_multi_setopt(p->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(p->multi, CURLMOPT_SOCKETDATA, p);
    curl_multi_setopt(p->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(p->multi, CURLMOPT_TIMERDATA, p);
    // Without it libcurl keeps 4 times as many as there are handles *now*, and connections come and go.
    curl_multi_setopt(p->multi, CURLMOPT_MAXCONNECTS, (long)work->connections + 16);
    curl_multi_setopt(p->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)work->connections);
    return p;
}

void peer_close(peer *p) {
    for (int i = 0; i < p->exchange_count; i++) exchange_close(&p->exchanges[i]);
    free(p->exchanges);
    curl_multi_cleanup(p->multi);
    curl_slist_free_all(p->request_fields);
    close(p->epoll);
    free(p);
}
