/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The local sort: lines of elements that lie dense in this rank's memory.
 *
 * The order is NumPy's: numbers rise, complex numbers by their real parts and then by the imaginary ones, NaN come
 * last, zeros of either sign are equal.  The sort is stable: equal elements keep their order.  A payload, such as the
 * element's number, moves with every element; sorting small keys with a payload groups elements, such as by the rank
 * that they are sent to.
 */
#ifndef MNP__OPS_SORT_RADIX_SORT_H
#define MNP__OPS_SORT_RADIX_SORT_H

#include "array/array.h"

typedef struct mnp__radix_sort {
    mnp_dtype dtype;       /* of the keys */
    bool descending;       /* the order turned round, NaN first; still stable */
    int64_t lines, length; /* elements of line l are number l * length ... of keys and payloads, which are dense */
    const void *keys;      /* not changed, but where `sorted` is the same memory */
    void *sorted;          /* the keys in order; NULL: not wanted */
    size_t payload_size;   /* bytes of one: 0 (none), 1, 2, 4, 8 or 16 */
    const void *payload;   /* NULL: the numbers 0 .. length - 1, of payload_size 4 or 8, which must hold them */
    void *sorted_payload;  /* the payload in order of the keys; may be the memory of `payload` */
    /* where it is not 0, of every line only so many elements, the first ones in order: results are lines of that
       length, apart from what is given, and payloads numbers.  Host device only: mnp__select_first() is for GPUs */
    int64_t first;
    int64_t number; /* added to those numbers */
} mnp__radix_sort;

/*
 * Sort, on the compute stream.  Pointers are of device memory.  Collective in that all ranks must call it with the same
 * dtype, direction and payload (not the same lengths, which may be 0): the kernels that it needs are compiled together.
 * Nothing is agreed upon but that.  MNP_ERR_MEMORY on this rank alone, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__radix_sort_run(mnp_ctx *ctx, const mnp__radix_sort *local_sort);

#endif
