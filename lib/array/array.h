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
 * Make *array_p ready to receive a result: a new array if it is NULL, else check that it has that dtype and layout and is
 * none of the `ninputs` arrays.  `name` is what the caller calls the output, for the sentence.  *made_p tells whether it
 * is new, so that a failure later on can release it: the caller stores *output_p to the user only on success.
 */
mnp_status mnp__array_output(mnp_ctx *ctx, const char *name, mnp_dtype dtype, const mnp_layout *layout,
                             const mnp_array *given, mnp_array **output_p);

/* Strides in elements of a dense block of that extent in C order. */
void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides);

#endif
