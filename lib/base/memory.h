/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory this process may still have, and sentences about memory.
 *
 * The system gives out more memory than it has, and ends a process when it is used.  So sizes are compared with what is
 * there before they are asked for.  That is the least of what the host has available, of what the control groups of the
 * process leave, as batch systems and containers set them (v1 and v2), and of the address space (ulimit -v).  Ranks of
 * a host share it: each may use its share of what was available when it started, or of what is available now.
 *
 * What is compared is state of the process, as the memory is: the number of ranks that share the host, their share, and
 * how much the pools hold.
 */
#ifndef MNP__BASE_MEMORY_H
#define MNP__BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

typedef struct mnp__memory {
    uint64_t total, available; /* bytes, of the host or of the control group that has the least left */
    const char *where;         /* what is available there: "available on this host" or the like */
    uint64_t address_space;    /* what is left of it; UINT64_MAX: as much as one likes */
} mnp__memory;

/* Read what there is.  `root` goes in front of /proc and /sys: "", except in tests.  Takes some 0.1 ms. */
mnp__memory mnp__memory_read(const char *root);

/*
 * So many ranks share this host: returns this rank's share of the memory that was available when that was first told.
 * The largest number counts.
 */
uint64_t mnp__memory_share(int ranks);

/* Pools tell how much they hold of the system's memory: more by so many bytes, or less. */
void mnp__memory_hold(int64_t bytes);

/*
 * Whether so many bytes more can be had: MNP_ERR_MEMORY with a sentence if not.  Sizes below a few MiB are not looked
 * at.  is_reserved: they have addresses already.  Not collective.
 */
mnp_status mnp__memory_check(uint64_t size, bool is_reserved);

/* "3.4 GiB", written to `text`, which is returned. */
enum { MNP__BYTES_TEXT = 32 };
const char *mnp__bytes_text(uint64_t bytes, char text[MNP__BYTES_TEXT]);

/*
 * Report that there is no room for `what`, such as "an array of 3.4 GiB", of that size: of `limit` bytes, which are
 * `meaning`, so many are in use.  The numbers of the sentence add up.  Returns MNP_ERR_MEMORY.
 */
mnp_status mnp__memory_full(const char *what, uint64_t size, uint64_t used, uint64_t limit, const char *meaning);

#endif
