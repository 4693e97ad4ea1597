/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting on a GPU for other ranks: what a kernel is given for it, shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_COMM_WAITING_PARAMS_H
#define MNP_KERNELS_COMM_WAITING_PARAMS_H

/*
 * How long a wait may take, and where it says that it took longer: 1 + the number of the peer that it waited for, in
 * pinned memory of this rank's process.  Once that is not 0, nobody waits any longer: kernels return, and the CPU makes
 * an error of it (lib/comm/waits.h).
 */
typedef struct mnp_waiting {
    unsigned long long patience; /* nanoseconds */
    unsigned *fault;
} mnp_waiting;

#endif
