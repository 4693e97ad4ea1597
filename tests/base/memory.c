/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is read of /proc and /sys/fs/cgroup, from folders that look like them; refusals of what no machine has; and
 * sentences whose numbers add up.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "base/memory.h"
#include "base/status.h"

#define GIB (UINT64_C(1) << 30)

static char root[] = "/tmp/maniple-memory-XXXXXX";

/* Write a file below `root`, and the folders that it needs. */
static void put(const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

/* Everything below `root` is removed, and a host of 64 GiB appears of which 32 are available. */
static void new_host(const char *groups)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'/proc '%s'/sys", root, root);
    if (system(command) != 0)
        abort();
    put("/proc/meminfo", "MemTotal:       67108864 kB\nMemFree:        1000 kB\nMemAvailable:   33554432 kB\n");
    put("/proc/self/cgroup", groups);
    put("/proc/self/statm", "1000 10 10 10 0 10 0\n");
}

/* Whether so many of so many bytes are available, but for the part that is left to others. */
static bool is(uint64_t available, uint64_t total, const char *where)
{
    const mnp__memory memory = mnp__memory_read(root);
    const bool same =
        memory.total == total && memory.available == available - available / 32 && strstr(memory.where, where) != NULL;
    if (!same)
        printf("# %" PRIu64 " of %" PRIu64 " %s\n", memory.available, memory.total, memory.where);
    return same;
}

static void check_groups(void)
{
    new_host("0::/\n");
    ok(is(32 * GIB, 64 * GIB, "host"), "a host without control groups");
    put("/sys/fs/cgroup/memory.max", "max\n");
    put("/sys/fs/cgroup/memory.current", "1073741824\n");
    ok(is(32 * GIB, 64 * GIB, "host"), "version 2 without a limit");

    new_host("0::/slurm/job_7/step_0\n");
    put("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "10737418240\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.current", "4294967296\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.stat", "anon 1\ninactive_file 1073741824\nactive_file 5\n");
    ok(is(7 * GIB, 10 * GIB, "control group"), "version 2: a limit around the group, and files that can be dropped");
    put("/sys/fs/cgroup/slurm/memory.max", "8589934592\n");
    put("/sys/fs/cgroup/slurm/memory.current", "8589934593\n");
    ok(is(0, 8 * GIB, "control group"), "a group further out that is full");

    new_host("12:cpu,cpuacct:/x\n9:memory:/slurm/uid_0/job_1\n1:name=systemd:/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "9999999999\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.limit_in_bytes", "2147483648\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.usage_in_bytes", "1610612736\n");
    put("/sys/fs/cgroup/memory/slurm/uid_0/job_1/memory.stat", "cache 5\ntotal_inactive_file 536870912\n");
    ok(is(GIB, 2 * GIB, "control group"), "version 1");
    new_host("9:memory:/docker/abc\n"); /* in a container, which sees its own group as the outermost */
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
    ok(is(GIB, 2 * GIB, "control group"), "version 1 in a container");

    new_host("nonsense\n:::\n0::relative\n9:memory\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "none\n");
    ok(is(32 * GIB, 64 * GIB, "host"), "lines that nobody writes");
    const mnp__memory none = mnp__memory_read("/nowhere");
    ok(none.available > UINT64_C(1) << 60, "a system without these files has no bound");
}

static void check_refusals(void)
{
    void *pointer = NULL;
    ok(mnp__memory_check(UINT64_C(1) << 60, true) == MNP_ERR_MEMORY &&
           strstr(mnp_error_message(), "no memory for 1.0 EiB: "),
       "no machine has so much: %s", mnp_error_message());
    ok(mnp__malloc((size_t)1 << 50, &pointer) == MNP_ERR_MEMORY && strstr(mnp_error_message(), "1.0 PiB"),
       "neither for malloc: %s", mnp_error_message());
    ok(mnp__calloc((size_t)1 << 40, (size_t)1 << 40, &pointer) == MNP_ERR_MEMORY && !pointer,
       "nor for a product that overflows: %s", mnp_error_message());
    ok(mnp__memory_check(64 << 20, true) == MNP_OK, "64 MiB are there");
    const uint64_t alone = mnp__memory_share(1), four = mnp__memory_share(4);
    ok(four > alone / 8 && four < alone / 2 && mnp__memory_share(2) == four, "four ranks have a quarter each, about");
    const mnp__memory now = mnp__memory_read("");
    ok(mnp__memory_check(now.available / 2, true) == MNP_ERR_MEMORY && strstr(mnp_error_message(), "of one of 4 ranks"),
       "half is too much for one of four: %s", mnp_error_message());
    mnp__memory_hold((int64_t)now.available);
    ok(mnp__memory_check(now.available / 8, true) == MNP_ERR_MEMORY, "and all, once it is promised");
    mnp__memory_hold(-(int64_t)now.available);
    ok(mnp__memory_check(now.available / 8, true) == MNP_OK, "until it is given back");
#ifndef __SANITIZE_ADDRESS__
    const struct rlimit limit = {UINT64_C(8) << 30, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) == 0)
        ok(mnp__memory_read("").address_space < UINT64_C(8) << 30, "ulimit -v bounds addresses");
#endif
}

static void check_sentences(void)
{
    char text[MNP__BYTES_TEXT];
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{0, "0 bytes"},    {1, "1 byte"},        {1023, "1023 bytes"},    {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"}, {1 << 20, "1.0 MiB"}, {3221225472, "3.0 GiB"}, {UINT64_MAX, "16.0 EiB"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ok(strcmp(mnp__bytes_text(cases[i].bytes, text), cases[i].text) == 0, "%s", cases[i].text);
    bool adds_up = true;
    srand(7);
    for (int i = 0; i < 1000; i++) {
        const uint64_t limit = ((uint64_t)rand() << 31 | (uint64_t)rand()) >> (rand() % 62);
        const uint64_t used = limit > 0 ? ((uint64_t)rand() << 31 | (uint64_t)rand()) % limit : 0;
        unsigned all, all_tenth, taken, taken_tenth, rest, rest_tenth;
        char unit[3][8];
        adds_up = adds_up && mnp__memory_full("x", 1, used, limit, "it") == MNP_ERR_MEMORY &&
                  sscanf(mnp_error_message(),
                         "no memory for x: of %u.%u %7[a-zA-Z], it, %u.%u %7[a-zA-Z] are in use and "
                         "%u.%u %7[a-zA-Z] free",
                         &all, &all_tenth, unit[0], &taken, &taken_tenth, unit[1], &rest, &rest_tenth, unit[2]) == 9 &&
                  10 * all + all_tenth == 10 * (taken + rest) + taken_tenth + rest_tenth &&
                  strcmp(unit[0], unit[2]) == 0;
    }
    ok(adds_up, "the numbers of a sentence add up: %s", mnp_error_message());
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    check_groups();
    check_refusals();
    check_sentences();
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ok(system(command) == 0, "the files of this test are removed");
    return done_testing();
}
