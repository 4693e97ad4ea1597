/*
 * Inside an array: dtype + layout + this rank's box in device memory, dense and in C order.
 */
#ifndef MNP__ARRAY_H
#define MNP__ARRAY_H

#include <maniple/array.h>

#include "context/context.h"

struct mnp_array {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *layout; /* owned: one count */
    int64_t local_lo[MNP_MAX_DIMS], local_shape[MNP_MAX_DIMS], local_strides[MNP_MAX_DIMS]; /* strides in elements */
    int64_t local_size;
    void *data; /* device memory, NULL if the block is empty */
};

/*
 * What a result is written to: a new array if `given` is NULL, else that one, which must have that dtype and layout.  `name`
 * is what a sentence calls it.  Afterwards mnp__array_deliver() gives it to the user, or releases it if the call failed.
 */
mnp_status mnp__array_output(mnp_ctx *ctx, const char *name, mnp_dtype dtype, const mnp_layout *layout,
                             const mnp_array *given, mnp_array **output_p);

/* Store `output` to *array_p if status is MNP_OK; else release it if it is not *array_p itself.  Gives status. */
mnp_status mnp__array_deliver(mnp_array *output, mnp_status status, mnp_array **array_p);

/* MNP_ERR_ARG unless that is a dtype, and the layout is for the context's ranks. */
mnp_status mnp__array_check(const mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout);

/* Strides in elements of a dense block of that extent in C order. */
void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides);

#endif
