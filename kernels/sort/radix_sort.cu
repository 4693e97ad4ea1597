/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting lines of keys of type MNP_KEY, each with a payload of MNP_PAYLOAD bytes: lib/ops/sort/radix_sort.h.
 *
 * Keys become unsigned numbers when they are looked at, digit by digit; what moves is the keys themselves, so that
 * zeros keep their signs.  A digit is a byte, and elements are moved by one digit after the other, from the least on,
 * keeping the order of those that share a digit (H. H. Seward's radix sort, 1954).
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
