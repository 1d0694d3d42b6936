#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "CPeer.h"

peer_reading peer_read(void) {
    struct timespec t;
    struct rusage usage;
    clock_gettime(CLOCK_MONOTONIC, &t);
    getrusage(RUSAGE_SELF, &usage);
    return (peer_reading){
        .seconds = (double)t.tv_sec + (double)t.tv_nsec / 1e9,
        .cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
    };
}

static int entries_of(const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

peer_footprint peer_measure(void) {
    peer_footprint result = {0, 0, 0, 0};
    // Not ru_maxrss: that one is inherited over exec.
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes;
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) result.rss_mb = (double)kilobytes / 1024;
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) result.max_rss_mb = (double)kilobytes / 1024;
    }
    if (status) fclose(status);
    result.fds = entries_of("/proc/self/fd") - 1;  // the directory being read is one of them
    result.threads = entries_of("/proc/self/task");
    return result;
}
