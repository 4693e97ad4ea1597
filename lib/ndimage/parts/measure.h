/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurements of parts by their labels: the bins of elements, and one number for each bin.
 */
#ifndef MNP__NDIMAGE_MEASURE_H
#define MNP__NDIMAGE_MEASURE_H

#include "array/array.h"
#include "ops/elementwise/formula.h"

typedef struct mnp__measure {
    const char *function;
    mnp_ctx *ctx;
    const mnp_array *x;
    int64_t count; /* of the bins, but the last one, of all other elements */
    int64_t wanted;
    int64_t *sorted, *place; /* the bins' labels; for each wanted label, its bin */
    mnp_array *bins;
} mnp__measure;

/*
 * open: check the arguments, and give every element of m->x a bin; m->function and m->x are set, the rest is 0.
 * Collective.  close: accepts what open left, also after a failure, and zeros.
 */
mnp_status mnp__measure_open(mnp__measure *m, const mnp_array *labels, int64_t count, const int64_t *index);
void mnp__measure_close(mnp__measure *m);

/* A formula of all elements of the inputs, into a new array.  Collective. */
mnp_status mnp__measure_apply(const mnp__measure *m, const mnp__formula *formula, int ninputs,
                              const mnp_array *const *inputs, int fact, mnp_array **out_p);

/* The least or the largest of the values in each bin.  Collective. */
mnp_status mnp__measure_scatter(const mnp__measure *m, bool largest, const mnp_array *values, mnp_array **extremes_p);

/* The centre of mass of all elements, or of those that bools `where` choose: float64 of shape (1, ndim).  Collective. */
mnp_status mnp__measure_centre(const char *function, const mnp_array *x, const mnp_array *where, mnp_array **centre_p);

/* Bring an array of one number for each bin to memory of the CPU, which the caller frees.  Collective. */
mnp_status mnp__measure_fetch(const mnp__measure *m, const mnp_array *array, void **values_p);

#endif
