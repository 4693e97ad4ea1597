/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: the memory of arrays, and limits of the processes.
 */
#include "doctor/doctor.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "report/report.h"

void doctor_look_at_memory(doctor *d)
{
    mnp_heap_info heap;
    char limit[BYTES_TEXT];
    double own, all[d->ranks];
    mnp_memory_heap(d->ctx, &heap);
    doctor_gather(d, heap.ranks < d->host_ranks ? heap.ranks : 0, all);
    int alone = -1;
    for (int r = 0; r < d->ranks; r++)
        alone = all[r] > 0 ? r : alone;
    own = (double)heap.limit;
    doctor_gather(d, own > 0 ? own : INFINITY, all);
    for (int r = 0; r < d->ranks; r++)
        own = fmin(all[r], own > 0 ? own : INFINITY);
    if (alone >= 0)
        doctor_say(d, "heap", SLOW,
                   "on GPUs let ranks see each other's (srun --gpu-bind=none); in containers allow pidfd_getfd "
                   "(ptrace), or run "
                   "the ranks of a host in one container",
                   "rank %d does not share memory with the ranks of its host, so they exchange messages", alone);
    else
        doctor_say(d, "heap", FINE, NULL, "%s; %s%s a rank",
                   heap.shared ? "the ranks of a host share the memory of arrays" : "every rank has its own",
                   isfinite(own) && own > 0 ? "at most " : "no limit",
                   isfinite(own) && own > 0 ? bytes_text((int64_t)own, limit) : "");
}

/* ---- limits ---- */

static double soft_limit(int which)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return (double)limit.rlim_cur;
}

static double least_of_ranks(const doctor *d, double own)
{
    double all[d->ranks], least = INFINITY;
    doctor_gather(d, own, all);
    for (int r = 0; r < d->ranks; r++)
        least = fmin(least, all[r]);
    return least;
}

static const char *amount(double value, char text[BYTES_TEXT])
{
    return isfinite(value) ? bytes_text((int64_t)value, text) : "unlimited";
}

void doctor_look_at_limits(doctor *d)
{
    /* What MPI pins for a network, and puts into /dev/shm for a rank; files and sockets of a rank with many peers */
    const double pinned = 64.0 * (1 << 20), shared = 16.0 * (1 << 20), files = 1024;
    char text[BYTES_TEXT];
    struct statvfs place;
    const bool mounted = statvfs("/dev/shm", &place) == 0;
    const double space = mounted ? (double)place.f_bavail * (double)place.f_frsize : 0;
    const double lock = least_of_ranks(d, soft_limit(RLIMIT_MEMLOCK));
    const double room = least_of_ranks(d, space / d->host_ranks);
    const double open = least_of_ranks(d, soft_limit(RLIMIT_NOFILE));
    doctor_say(
        d, "memlock", d->hosts > 1 && lock < pinned ? SLOW : FINE,
        "fast networks pin memory, and ulimit -l shows how much: let the administrator set LimitMEMLOCK=infinity for "
        "slurmd, and for ranks started over ssh memlock in /etc/security/limits.conf",
        "%s of memory may be pinned", amount(lock, text));
    doctor_say(d, "/dev/shm", d->ranks > 1 && room < shared ? WRONG : FINE,
               "make it larger (containers: --shm-size=1g), or remove what earlier runs have left there",
               "%s free for each rank", amount(room, text));
    doctor_say(d, "files", open < files ? SLOW : FINE, "raise it: ulimit -n 4096",
               isfinite(open) ? "%.0f files may be open in a process" : "any number of files may be open", open);
}
