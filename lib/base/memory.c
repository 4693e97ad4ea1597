/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What /proc and /sys/fs/cgroup tell about memory.
 *
 * A control group's limit counts for all groups inside it, so the group of the process and all around it are read.  The
 * cache of files, as far as it is inactive, is counted as used there, but makes room when memory is needed.
 */
#include "base/memory.h"

#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/status.h"

enum { SMALL = 16 << 20, KEPT_BACK = 32 }; /* one part in so many is left to others */

/* ---- reading ---- */

/* The number after `key` in a file, or the file's only number if the key is empty.  False: there is none. */
static bool read_number(const char *path, const char *key, uint64_t *number_p)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = line + strlen(key);
        char *end;
        if (strncmp(line, key, strlen(key)) != 0 || (*key && *at != ':' && *at != ' '))
            continue;
        at += *key != '\0';
        *number_p = strtoull(at, &end, 10);
        found = end > at && strcspn(at, "0123456789") < (size_t)(end - at);
    }
    if (file)
        fclose(file);
    return found;
}

/* The names that a version of control groups has for the limit, what is used, and files that can be dropped. */
struct names {
    const char *limit, *used, *inactive;
};
static const struct names version_2 = {"memory.max", "memory.current", "inactive_file"},
                          version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/* Read one group. */
static void read_group(const char *folder, const struct names *names, mnp__memory *memory)
{
    char path[PATH_MAX + 32];
    uint64_t limit, used, inactive;
    snprintf(path, sizeof path, "%s/%s", folder, names->limit);
    if (!read_number(path, "", &limit)) /* "max", or a group without a limit */
        return;
    snprintf(path, sizeof path, "%s/%s", folder, names->used);
    if (!read_number(path, "", &used))
        return;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    if (!read_number(path, names->inactive, &inactive))
        inactive = 0;
    used -= inactive < used ? inactive : used;
    memory->total = limit < memory->total ? limit : memory->total;
    const uint64_t left = limit > used ? limit - used : 0;
    if (left < memory->available) {
        memory->available = left;
        memory->where = "left within the job's control group";
    }
}

/* Read a group and those around it, up to the one that is mounted. */
static void read_groups(const char *mount, const char *group, const struct names *names, mnp__memory *memory)
{
    char folder[PATH_MAX];
    const size_t top = strlen(mount);
    if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder)
        return;
    for (;;) {
        read_group(folder, names, memory);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top)
            break;
        *slash = '\0';
    }
}

/* The groups of this process, which /proc/self/cgroup names as "0::/path" or "4:memory:/path". */
static void read_control_groups(const char *root, mnp__memory *memory)
{
    char path[PATH_MAX], mount[PATH_MAX], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        char list[PATH_MAX + 2];
        snprintf(list, sizeof list, ",%s,", controllers + 1);
        if (strcmp(list, ",,") == 0) { /* version 2, perhaps beside version 1 */
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
            read_groups(mount, group, &version_2, memory);
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/unified", root);
            read_groups(mount, group, &version_2, memory);
        } else if (strstr(list, ",memory,")) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/memory", root);
            read_groups(mount, group, &version_1, memory);
        }
    }
    if (file)
        fclose(file);
}

/* The address space that is left. */
static uint64_t address_space(const char *root)
{
    char path[PATH_MAX];
    struct rlimit limit;
    uint64_t pages;
    snprintf(path, sizeof path, "%s/proc/self/statm", root);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !read_number(path, "", &pages))
        return UINT64_MAX;
    const uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

mnp__memory mnp__memory_read(const char *root)
{
    mnp__memory memory = {.total = UINT64_MAX, .available = UINT64_MAX, .where = "available on this host"};
    char path[PATH_MAX];
    uint64_t total, available;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (read_number(path, "MemTotal", &total) && read_number(path, "MemAvailable", &available)) {
        memory.total = total * 1024;
        memory.available = available * 1024;
    }
    read_control_groups(root, &memory);
    memory.address_space = address_space(root);
    memory.available -= memory.available / KEPT_BACK;
    return memory;
}

/* Bytes of this process that are in memory. */
static uint64_t resident(void)
{
    uint64_t number[2] = {0, 0};
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%" SCNu64 " %" SCNu64, &number[0], &number[1]) != 2)
        number[1] = 0;
    if (file)
        fclose(file);
    return number[1] * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- shares ---- */

static atomic_int sharers = 0; /* 0: not told yet */
static _Atomic uint64_t share = UINT64_MAX;
static _Atomic int64_t held = 0;

uint64_t mnp__memory_share(int ranks)
{
    int before = sharers;
    while (before < ranks && !atomic_compare_exchange_weak(&sharers, &before, ranks))
        ;
    if (before < ranks)
        share = (mnp__memory_read("").available + (held > 0 ? (uint64_t)held : 0)) / (uint64_t)ranks;
    return share;
}

void mnp__memory_hold(int64_t bytes)
{
    held += bytes;
}

mnp_status mnp__memory_check(uint64_t size, bool is_reserved)
{
    char asked[MNP__BYTES_TEXT], left[MNP__BYTES_TEXT], all[MNP__BYTES_TEXT];
    if (size < SMALL)
        return MNP_OK;
    const mnp__memory memory = mnp__memory_read("");
    const uint64_t holds = held > 0 ? (uint64_t)held : 0, in_memory = resident();
    const uint64_t pending = holds > in_memory ? holds - in_memory : 0; /* promised, but not touched yet */
    const uint64_t available = memory.available > pending ? memory.available - pending : 0;
    const uint64_t ranks = sharers > 0 ? (uint64_t)sharers : 1;
    const uint64_t of_start = share > holds ? share - holds : 0, of_now = available / ranks;
    const uint64_t mine = of_start < of_now ? of_now : of_start < available ? of_start : available;
    mnp__bytes_text(size, asked);
    if (size <= mine && (is_reserved || size <= memory.address_space))
        return MNP_OK;
    if (size <= mine)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %s: %s are left of the address space (ulimit -v)", asked,
                        mnp__bytes_text(memory.address_space, left));
    mnp__bytes_text(available, all);
    if (ranks == 1)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %s: %s are %s", asked, all, memory.where);
    return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %s: %s are the share of one of %" PRIu64 " ranks, as %s are %s",
                    asked, mnp__bytes_text(mine, left), ranks, all, memory.where);
}

/* ---- sentences ---- */

static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/* The unit in which a number is at least 1, and the bytes of that unit. */
static int unit_of(uint64_t bytes, double *size_p)
{
    int unit = 0;
    double size = 1;
    for (; (double)bytes >= 1024 * size && unit + 1 < (int)(sizeof units / sizeof *units); unit++)
        size *= 1024;
    *size_p = size;
    return unit;
}

const char *mnp__bytes_text(uint64_t bytes, char text[MNP__BYTES_TEXT])
{
    double size;
    const int unit = unit_of(bytes, &size);
    if (unit == 0)
        snprintf(text, MNP__BYTES_TEXT, "%" PRIu64 " %s", bytes, bytes == 1 ? "byte" : "bytes");
    else
        snprintf(text, MNP__BYTES_TEXT, "%.1f %s", (double)bytes / size, units[unit]);
    return text;
}

mnp_status mnp__memory_full(const char *what, uint64_t size, uint64_t used, uint64_t limit, const char *meaning)
{
    double unit_size;
    const int unit = unit_of(limit, &unit_size);
    /* in tenths of the unit, and all in the same one, so that what is shown adds up */
    const uint64_t all = (uint64_t)(10 * (double)limit / unit_size + 0.5);
    const uint64_t taken = (uint64_t)(10 * (double)used / unit_size + 0.5), rest = all > taken ? all - taken : 0;
    const char *pieces = used <= limit && size <= limit - used ? ", in pieces that are too small" : "";
    return MNP_FAIL(MNP_ERR_MEMORY,
                    "no memory for %s: of %" PRIu64 ".%d %s, %s, %" PRIu64 ".%d %s are in use and %" PRIu64
                    ".%d %s free%s",
                    what, all / 10, (int)(all % 10), units[unit], meaning, taken / 10, (int)(taken % 10), units[unit],
                    rest / 10, (int)(rest % 10), units[unit], pieces);
}
