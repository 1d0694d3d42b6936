// An HTTP/1.1 server that takes bodies of a stated length and throws them away, one connection after the other: what a
// large upload is sent to. Answers each with the number of bytes it took.
//
// Prints `listening PORT` once it listens on 127.0.0.1.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[256 << 10];

static bool send_all(int fd, const char *text) {
    size_t length = strlen(text);
    return send(fd, text, length, MSG_NOSIGNAL) == (ssize_t)length;
}

// Where the value of a field begins; NULL: there is no such field.
static const char *field(const char *head, const char *name) {
    for (const char *line = head; (line = strstr(line, "\r\n")); ) {
        line += 2;
        if (!strncasecmp(line, name, strlen(name)) && line[strlen(name)] == ':') return line + strlen(name) + 1;
    }
    return NULL;
}

// One request and its answer. False: the connection is over.
static bool serve_one(int fd) {
    static char head[64 << 10];
    size_t have = 0;
    char *end = NULL;
    while (!end) {
        if (have == sizeof head - 1) return false;
        ssize_t count = recv(fd, head + have, sizeof head - 1 - have, 0);
        if (count <= 0) return false;
        have += (size_t)count;
        head[have] = 0;
        end = strstr(head, "\r\n\r\n");
    }
    size_t head_length = (size_t)(end - head) + 4;
    end[2] = 0;
    const char *length_text = field(head, "Content-Length");
    int64_t length = length_text ? atoll(length_text) : 0, taken = (int64_t)(have - head_length);
    if (field(head, "Expect") && !send_all(fd, "HTTP/1.1 100 Continue\r\n\r\n")) return false;
    while (taken < length) {
        ssize_t count = recv(fd, buffer, sizeof buffer, 0);
        if (count <= 0) return false;
        taken += count;
    }
    char body[32], answer[256];
    snprintf(body, sizeof body, "%lld\n", (long long)taken);
    snprintf(
        answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
        strlen(body), body);
    return send_all(fd, answer);
}

int main(void) {
    // A script that is killed leaves no server behind.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 64)) {
        perror("sink");
        return 1;
    }
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("listening %d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) continue;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        while (serve_one(fd)) {}
        close(fd);
    }
}
