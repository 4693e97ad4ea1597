/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time, for deadlines and profiles.
 */
#ifndef MNP__BASE_PROCESS_CLOCK_H
#define MNP__BASE_PROCESS_CLOCK_H

#include <time.h>

/* Seconds since a moment of this host's, by a clock that nobody sets. */
static inline double mnp__seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
