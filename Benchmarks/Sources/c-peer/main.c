// `lupine-bench small|soak --peer c` ends here, with the same options and the same report.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "CPeer.h"

typedef struct {
    peer_work work;
    long requests, warmup;
    int concurrency, sessions;
} options;

static int small(const options *o) {
    peer *p = peer_open(&o->work);
    if (!p) return 1;
    // What cannot work at all is told once and at once.
    if (peer_run(p, 1, 1)) return 1;
    long failed = peer_run(p, o->warmup, o->concurrency);
    peer_reading before = peer_read();
    failed += peer_run(p, o->requests, o->concurrency);
    peer_reading after = peer_read();
    double max_rss_mb = peer_measure().max_rss_mb;
    peer_close(p);
    printf(
        "{\"requests_per_s\":%.1f,\"cpu_us_per_request\":%.2f,\"max_rss_mb\":%.2f,\"failures\":%ld}\n",
        (double)o->requests / (after.seconds - before.seconds),
        (after.cpu_seconds - before.cpu_seconds) * 1e6 / (double)o->requests, max_rss_mb, failed);
    return failed > 0;
}

static long one_session(const options *o, long requests, int concurrency) {
    peer *p = peer_open(&o->work);
    if (!p) return requests;
    long failed = peer_run(p, requests, concurrency);
    peer_close(p);
    return failed;
}

static int soak(const options *o) {
    long failed = one_session(o, o->warmup, o->concurrency);
    if (o->warmup && failed == o->warmup) return 1;
    peer_footprint start = peer_measure();
    failed += one_session(o, o->requests, o->concurrency);
    for (int i = 0; i < o->sessions; i++) failed += one_session(o, 1, 1);
    peer_footprint end = peer_measure();
    printf(
        "{\"rss_mb_start\":%.2f,\"rss_mb_end\":%.2f,\"fds_start\":%d,\"fds_end\":%d,"
        "\"threads_start\":%d,\"threads_end\":%d,\"failures\":%ld}\n",
        start.rss_mb, end.rss_mb, start.fds, end.fds, start.threads, end.threads, failed);
    return failed > 0;
}

static int usage(void) {
    fputs(
        "usage: c-peer small|soak --url URL [--requests N] [--concurrency C] [--connections K] [--sessions M]\n"
        "              [--warmup N] [--http 1.1|2] [--ca FILE] [--length BYTES] [--buffer BYTES] [--json]\n",
        stderr);
    return 2;
}

int main(int argc, char **argv) {
    enum { URL = 256, REQUESTS, CONCURRENCY, CONNECTIONS, SESSIONS, WARMUP, HTTP, CA, LENGTH, BUFFER, JSON, OTHER };
    static const struct option known[] = {
        {"url", required_argument, NULL, URL},
        {"requests", required_argument, NULL, REQUESTS},
        {"concurrency", required_argument, NULL, CONCURRENCY},
        {"connections", required_argument, NULL, CONNECTIONS},
        {"sessions", required_argument, NULL, SESSIONS},
        {"warmup", required_argument, NULL, WARMUP},
        {"http", required_argument, NULL, HTTP},
        {"ca", required_argument, NULL, CA},
        {"length", required_argument, NULL, LENGTH},
        {"buffer", required_argument, NULL, BUFFER},
        {"json", no_argument, NULL, JSON},
        {"peer", required_argument, NULL, OTHER},      // has led here
        {"executor", required_argument, NULL, OTHER},  // Lupine's
        {NULL, 0, NULL, 0},
    };
    if (argc < 2) return usage();
    options o = {
        .work = {.expected_length = -1, .buffer_size = 65536},
        .requests = 10000, .warmup = 500, .concurrency = 64, .sessions = 200};
    optind = 2;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case URL: o.work.url = optarg; break;
        case REQUESTS: o.requests = atol(optarg); break;
        case CONCURRENCY: o.concurrency = atoi(optarg); break;
        case CONNECTIONS: o.work.connections = atoi(optarg); break;
        case SESSIONS: o.sessions = atoi(optarg); break;
        case WARMUP: o.warmup = atol(optarg); break;
        case HTTP: o.work.http = strcmp(optarg, "1.1") ? 2 : 11; break;
        case CA: o.work.ca_file = optarg; break;
        case LENGTH: o.work.expected_length = atol(optarg); break;
        case BUFFER: o.work.buffer_size = atol(optarg); break;
        case JSON: case OTHER: break;
        default: return usage();
        }
    }
    if (!o.work.url || o.requests < 1 || o.concurrency < 1) return usage();
    if (o.work.connections < 1) o.work.connections = o.concurrency;

    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    if (!strcmp(argv[1], "small")) return small(&o);
    if (!strcmp(argv[1], "soak")) return soak(&o);
    return usage();
}
