/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel multiplies a rank's own part: measured once for a matrix.
 *
 * Only a matrix in CSR is measured; one in another format keeps the format that its maker chose.  On a GPU the part is
 * examined on the device (kernels/sparse/product/spmv.cu).  Where its rows are short and it is large enough to be
 * worth it, all candidates are timed, and the format that the fastest one needs is kept beside CSR.  All ranks choose
 * alike, by the slowest rank's times.  On the host CSR's kernel is taken.  MANIPLE_SPMV=stream, rows, sell or dia
 * takes an algorithm without measuring.
 *
 * All candidates add a row's entries in the same order, so the choice does not change a bit of the product.  A dot
 * product that comes with it is summed in the order in which the kernel deals out rows to threads, so its rounding may
 * differ between `stream` and the others.
 */
#ifndef MNP__SPARSE_PRODUCT_SPMV_AUTOTUNE_H
#define MNP__SPARSE_PRODUCT_SPMV_AUTOTUNE_H

#include <stdio.h>

#include "sparse/matrix/sparse.h"

/* Kernels for one vector. */
typedef enum mnp__spmv_algorithm {
    MNP__SPMV_AS_STORED, /* the format's own; of CSR, with some threads to a row, until it is chosen, and on the host */
    MNP__SPMV_STREAM,    /* of CSR, for GPUs: blocks take chunks of entries */
    MNP__SPMV_ROWS,      /* of CSR: a thread takes a row */
    MNP__SPMV_SELL,
    MNP__SPMV_DIA,
    MNP__SPMV_ALGORITHMS
} mnp__spmv_algorithm;

typedef struct mnp__spmv_autotune {
    mnp_ctx *ctx; /* NULL: nothing was chosen yet */
    mnp__spmv_algorithm algorithm;
    mnp__part converted;                  /* device memory: of SELL and DIA */
    double seconds[MNP__SPMV_ALGORITHMS]; /* of one product, on the slowest rank; 0: not measured */
    double spent;                         /* seconds that it took to choose */
} mnp__spmv_autotune;

/* Enqueue a product of the own part by that algorithm; SELL and DIA read tuning->converted.  Collective. */
typedef mnp_status (*mnp__spmv_runner)(void *argument, mnp__spmv_algorithm algorithm);

/*
 * Choose an algorithm, unless that was done; not while a graph is recorded.  Formats for which memory is short are left
 * out.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__spmv_autotune_run(const mnp_sparse *matrix, mnp__spmv_runner run, void *argument,
                                  mnp__spmv_autotune *tuning);
void mnp__spmv_autotune_free(mnp__spmv_autotune *tuning);

/* What was chosen, and among which times, as part of a line. */
void mnp__spmv_autotune_describe(const mnp__spmv_autotune *tuning, FILE *file);

/*
 * Where the chunks begin by which `stream` takes a part in CSR, in device memory, and their number.  Collective, and
 * agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.
 */
mnp_status mnp__spmv_find_chunks(const mnp_sparse *matrix, const mnp__part *part, mnp_spmv_start **starts_p,
                                 int64_t *count_p);

#endif
