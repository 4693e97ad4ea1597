/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/arrays/data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/command.h"

double uniform(int64_t i, unsigned which)
{
    uint64_t hash = ((uint64_t)(i % PERIOD) * 2 + which) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(hash >> 40) / (double)(1 << 24);
}

void fill_uniform(mnp_array *array, unsigned which)
{
    const mnp_dtype dtype = mnp_array_dtype(array);
    const int ndim = mnp_array_ndim(array);
    const int64_t *lo = mnp_array_local_lo(array), *extent = mnp_array_local_shape(array);
    const int64_t *shape = mnp_array_shape(array), size = mnp_array_local_size(array);
    void *block = malloc((size_t)size * mnp_dtype_size(dtype) + 1);
    for (int64_t k = 0; block && k < size; k++) {
        int64_t i = ndim == 1 ? lo[0] + k : (lo[0] + k / extent[1]) * shape[1] + lo[1] + k % extent[1];
        if (dtype == MNP_FLOAT32) {
            ((float *)block)[k] = (float)uniform(i, which);
        } else if (dtype == MNP_FLOAT64) {
            ((double *)block)[k] = uniform(i, which);
        } else {
            ((double *)block)[2 * k] = uniform(i, 0);
            ((double *)block)[2 * k + 1] = uniform(i, 1);
        }
    }
    OR_EXIT(mnp_agree(mnp_array_ctx(array),
                      block ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %" PRId64 " elements", size)));
    OR_EXIT(mnp_array_set_local(array, block));
    free(block);
}
