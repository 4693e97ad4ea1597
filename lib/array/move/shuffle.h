/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shuffle: elements go to the ranks that the data says.
 *
 * The mover knows its messages from layouts, without asking; here only this rank knows how many of its elements go to
 * each of the others, so the ranks exchange the counts first.  What came can be answered: values for indices,
 * say.
 */
#ifndef MNP__ARRAY_MOVE_SHUFFLE_H
#define MNP__ARRAY_MOVE_SHUFFLE_H

#include "array/array.h"

typedef struct mnp__shuffle mnp__shuffle;

/* Plan to send counts[r] elements to every rank r, this one among them.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMM. */
mnp_status mnp__shuffle_new(mnp_ctx *ctx, const int64_t *counts, mnp__shuffle **shuffle_p);
void mnp__shuffle_free(mnp__shuffle *shuffle); /* NULL is accepted */

/* How many elements this rank gets: from all ranks, and from each (an array as long as there are ranks). */
int64_t mnp__shuffle_received(const mnp__shuffle *shuffle);
const int64_t *mnp__shuffle_received_from(const mnp__shuffle *shuffle);

/*
 * Send elements of `size` bytes, after what the compute stream holds and before what comes on it.  `from`: dense in
 * device memory, those for rank 0 first; `to`: those from rank 0 first, and of one rank in its order.  `back` sends the
 * other way: `from` is in the order in which elements came, and `to` in that in which they went.  Either may be called
 * again and again, with any size.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMM, MNP_ERR_TIMEOUT.
 */
mnp_status mnp__shuffle_send(mnp__shuffle *shuffle, size_t size, const void *from, void *to);
mnp_status mnp__shuffle_back(mnp__shuffle *shuffle, size_t size, const void *from, void *to);

#endif
