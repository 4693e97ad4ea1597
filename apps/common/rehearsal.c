/* SPDX-License-Identifier: BSD-3-Clause */
/* Rehearsals of subcommands. */
#include "common/rehearsal.h"

#include <math.h>

enum { MOST_ELEMENTS = 1 << 16 };

mnp_ctx *rehearsal_begin(mnp_ctx *ctx)
{
    mnp_ctx *rehearsal = NULL;
    return mnp_rehearsal_new(ctx, &rehearsal) == MNP_OK ? rehearsal : NULL;
}

mnp_array *rehearsal_array(mnp_ctx *rehearsal, int most, mnp_dtype dtype, int ndim, const int64_t *shape)
{
    const int64_t largest = (int64_t)pow(MOST_ELEMENTS, 1.0 / (most > 1 ? most : 1));
    int64_t small[MNP_MAX_DIMS];
    mnp_array *array = NULL;
    for (int d = 0; d < ndim; d++)
        small[d] = shape[d] < largest ? shape[d] : largest;
    return mnp_empty(rehearsal, dtype, ndim, small, &array) == MNP_OK ? array : NULL;
}
