/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a kernel for GPUs whose text, in place of the line below, is compiled for the host. */
#include "kernels/custom/simulated.h"

#include "generated"
