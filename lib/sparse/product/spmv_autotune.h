/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel multiplies a rank's own part: found out once for a matrix, by measurement.
 *
 * Only matrices in CSR have a choice: whoever made another format wanted it.  On a GPU the part is examined on the
 * device (kernels/sparse/product/spmv.cu); where its rows are short and it is large enough to be worth it, all kernels that may be
 * good for it are timed, and the format that the fastest one needs is kept beside CSR.  All ranks choose alike, by the
 * slowest rank's times.  Rows of all candidates are added in the same order: the choice does not change a bit of the
 * product.  A dot that comes with it is summed over the threads as the kernel deals out rows to them, so that a
 * stream's may be rounded otherwise than the others'.  On the host CSR's kernel is taken.  MANIPLE_SPMV takes a kernel
 * without measuring.
 */
#ifndef MNP__SPARSE_PRODUCT_SPMV_AUTOTUNE_H
#define MNP__SPARSE_PRODUCT_SPMV_AUTOTUNE_H

#include <stdio.h>

#include "sparse/matrix/sparse.h"

/* Kernels for one vector. */
typedef enum mnp__spmv_algorithm {
    MNP__AS_STORED, /* the format's own; of CSR, with some threads to a row, until it is chosen, and on the host */
    MNP__BY_STREAM, /* of CSR, for GPUs: blocks take chunks of entries */
    MNP__BY_ROWS,   /* of CSR: a thread takes a row */
    MNP__BY_SELL,
    MNP__BY_DIA,
    MNP__NUM_SPMV_ALGORITHMS
} mnp__spmv_algorithm;

typedef struct mnp__spmv_autotune {
    mnp_ctx *ctx; /* NULL: nothing was chosen yet */
    mnp__spmv_algorithm way;
    mnp__part converted;                      /* device memory: of SELL and DIA */
    double seconds[MNP__NUM_SPMV_ALGORITHMS]; /* of one product, on the slowest rank; 0: not measured */
    double spent;                             /* seconds that it took to choose */
} mnp__spmv_autotune;

/* Enqueue a product of the own part by that way; MNP__BY_SELL and MNP__BY_DIA find choice->converted.  Collective. */
typedef mnp_status (*mnp__spmv_runner)(void *argument, mnp__spmv_algorithm way);

/*
 * Choose, unless that was done.  Not while a graph is recorded.  Collective, and agreed upon.  MNP_ERR_MEMORY (for what
 * is found, not for formats, which are left out where memory is short), MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__choose(const mnp_sparse *matrix, mnp__spmv_runner run, void *argument, mnp__spmv_autotune *choice);
void mnp__spmv_autotune_free(mnp__spmv_autotune *choice);

/* What was chosen, and of what, as part of a line. */
void mnp__spmv_autotune_describe(const mnp__spmv_autotune *choice, FILE *file);

/*
 * Where the chunks begin that a stream takes a part in CSR by, in device memory, and their number.  Collective, and
 * agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__find_chunks(const mnp_sparse *matrix, const mnp__part *part, mnp_spmv_start **starts_p,
                            int64_t *count_p);

#endif
