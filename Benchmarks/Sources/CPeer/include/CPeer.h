// The yardstick: what the same requests cost in a plain C loop around libcurl.
#pragma once
#include <stdbool.h>

typedef struct peer peer;

typedef struct {
    const char *url;
    const char *ca_file;   // NULL: the system's roots
    int http;              // 11, 2, or 0 for libcurl's choice
    int connections;       // at most so many to the host
    long expected_length;  // of a body; -1: whatever the first one has
    long buffer_size;      // CURLOPT_BUFFERSIZE, in bytes
    bool fresh_bodies;     // memory of its own for each body, as a client must who hands it over; else it is reused
} peer_work;

typedef struct {
    double seconds;      // of the wall clock
    double cpu_seconds;  // user and system, of the whole process
} peer_reading;

// One multi handle with its epoll descriptor and its connections. NULL when there is no memory.
peer *peer_open(const peer_work *work);

// Makes so many requests, so many of them in flight, and answers how many failed.
long peer_run(peer *p, long requests, int concurrency);

void peer_close(peer *p);

// What the process has used up to now.
peer_reading peer_read(void);

// VmRSS and VmHWM in megabytes, and the numbers of open descriptors and of threads.
typedef struct {
    double rss_mb, max_rss_mb;
    int fds, threads;
} peer_footprint;
peer_footprint peer_measure(void);
