/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing behind: a thread writes bytes to a file, while the program computes.
 *
 * What is written is copied first, which takes a fraction of the time that the operating system takes for it, so that
 * the caller's memory is free at once.  The cost: as much memory as is on its way, which the caller bounds by waiting.
 */
#ifndef MNP__IO_WRITE_BEHIND_H
#define MNP__IO_WRITE_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mnp__write_behind mnp__write_behind;

/* Start a thread; NULL where there can be none, and then everything is written at once.  Not collective. */
mnp__write_behind *mnp__write_behind_start(void);

/*
 * Copy bytes, which the thread writes to the open file at offset `to`, after those of earlier calls.  False if there is
 * no memory for the copy: the caller writes them itself.
 */
bool mnp__write_behind_add(mnp__write_behind *behind, int descriptor, int64_t to, size_t bytes, const void *data);

/* Wait until all is with the operating system; 0, or the first error as an errno, which is then forgotten. */
int mnp__write_behind_wait(mnp__write_behind *behind);

/* End the thread when it has written all.  NULL is accepted. */
void mnp__write_behind_end(mnp__write_behind *behind);

#endif
