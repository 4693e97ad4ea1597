/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts lines of keys of type MNP_KEY, each with a payload of MNP_PAYLOAD bytes, by least significant digit radix sort
 * (H. H. Seward, 1954); see lib/ops/sort/radix_sort.h.
 *
 * Keys are converted to unsigned numbers of the same order (sort_keys.h) only where a digit is read.  The keys
 * themselves move, so zeros keep their signs.  On a GPU a digit is a byte.  Elements are moved by one digit after the
 * other, from the least significant on, and those that share a digit keep their order.
 */
#include "kernels/prelude.h"
#include "kernels/sort/radix_sort_params.h"
#include "kernels/sort/sort_keys.h"

#if MNP_CUDA
#include "kernels/prefix_sum.h"
#include "kernels/sort/radix_sort_cuda.h"
#else
#include "kernels/sort/radix_sort_host.h"
#endif
