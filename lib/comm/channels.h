/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: small messages between peers, written straight into the receiver's memory.
 *
 * Every two peers have a channel in either direction: a ring of slots in the receiver's part of the heap.  A message is
 * cut into pieces of a slot.  A slot's stamp tells which piece of the channel, counted from 1, is in it; the receiver
 * counts in the sender's memory how many it has taken, so that a slot is not written before it is free.  As two ranks
 * meet in the same order in all communicators that both are in, the channels serve all of them.
 */
#ifndef MNP__COMM_CHANNELS_H
#define MNP__COMM_CHANNELS_H

#include "comm/heap.h"
#include "comm/peers.h"

typedef struct mnp__channels mnp__channels;

/*
 * The channels among the peers, or NULL where their CPUs share no heap.  open and close are collective over all ranks
 * of the context.
 */
mnp_status mnp__channels_open(mnp__heap *heap, const mnp__peers *peers, mnp__channels **channels_p);
void mnp__channels_close(mnp__channels *channels);

/*
 * Bring the next piece of a message of `bytes` at `data`, of which *done_p have passed, to or from a peer (its number),
 * if it can be done without waiting; *done_p then grows.  MNP_ERR_COMM if the other side's message has another size.
 */
void mnp__channels_send(mnp__channels *channels, int peer, const char *data, size_t bytes, size_t *done_p);
mnp_status mnp__channels_recv(mnp__channels *channels, int peer, char *data, size_t bytes, size_t *done_p);

#endif
