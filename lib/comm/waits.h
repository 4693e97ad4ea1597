/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits of kernels for other ranks: what they are given (kernels/comm/waiting_params.h), and what the CPU makes of a
 * wait that lasted too long.  Only where the heap is shared by GPUs; on the host device the CPU waits itself
 * (signals.c).
 *
 * A kernel that waits looks at a word of pinned memory now and then.  A kernel that exceeds the deadline, or a CPU that
 * learns of a lost rank, sets it: then all kernels of this rank that wait, now and later, return, and the data that
 * they should have moved is lost.
 */
#ifndef MNP__COMM_WAITS_H
#define MNP__COMM_WAITS_H

#include "comm/comm.h"
#include "kernels/comm/waiting_params.h"

/* This rank's, with the deadline of the settings; comm has its peers.  Not collective. */
mnp_status mnp__waits_new(const mnp__comm *comm, mnp__waits **waits_p);
void mnp__waits_free(mnp__waits *waits); /* while the device is open, and holds no kernel; NULL is accepted */

/* For the parameters of a kernel. */
mnp_waiting mnp__waits_params(const mnp__waits *waits);

/*
 * Whether a kernel has exceeded the deadline: MNP_ERR_TIMEOUT, naming the rank, which is lost for all (watch.h); or
 * MNP_ERR_PEER if one was lost before.  A look at memory of the CPU, so cheap that whoever launches a kernel that waits
 * looks first, and notices a fault though it never waits itself.  NULL is accepted: MNP_OK.
 */
mnp_status mnp__waits_check(const mnp__waits *waits);

/* End all kernels that wait, as a rank is lost.  NULL is accepted. */
void mnp__waits_end(mnp__waits *waits);

#endif
