/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts that steps go through, made of others.
 */
#include "fft/layouts.h"

#include <string.h>

#include "base/status.h"

bool mnp__fft_is_whole(const mnp_layout *layout, int d)
{
    return mnp_layout_parts(layout, d) == 1;
}

mnp_status mnp__fft_layout_with_extent(const mnp_layout *layout, int d, int64_t extent, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int i = 0; i < layout->ndim; i++)
        dims[i] = mnp__layout_dim_of(layout, i);
    dims[d] = mnp__layout_dim_whole(extent);
    return mnp__layout_derive(layout, layout->ndim, dims, layout_p);
}

mnp_status mnp__fft_layout_like(const mnp_layout *layout, const int64_t *shape, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < layout->ndim; d++) {
        dims[d] = mnp__layout_dim_of(layout, d);
        if (shape[d] != layout->shape[d]) {
            dims[d].extent = shape[d];
            dims[d].cuts = NULL;
        }
    }
    return mnp__layout_derive(layout, layout->ndim, dims, layout_p);
}

bool mnp__fft_is_lopsided(const mnp_layout *layout)
{
    return layout->nranks > 1 && layout->size > 0 &&
           (double)mnp__layout_largest(layout) * layout->nranks >= 2.0 * (double)layout->size;
}

/*
 * n = n1 n2 for a transform in two parts: about equal, both at least as many as there are ranks if possible, and
 * multiples of that number rather than not, so that all ranks have as much to do.
 */
bool mnp__fft_split(int64_t n, int nranks, int64_t parts[2])
{
    double best = 0;
    for (int64_t a = 2; a * a <= n; a++) {
        if (n % a != 0)
            continue;
        const int64_t b = n / a;
        double worth = (double)a / (double)b;
        if (a % nranks == 0 && b % nranks == 0)
            worth *= 64;
        if (a < nranks)
            worth /= 1024;
        if (worth > best) {
            best = worth;
            parts[0] = a;
            parts[1] = b;
        }
    }
    return best > 0;
}

mnp_status mnp__fft_is_long(const mnp_layout *layout, int d, int64_t n, bool *long_p)
{
    int64_t parts[2], shape[MNP_MAX_DIMS];
    mnp_layout *whole;
    *long_p = false;
    if (layout->ndim == MNP_MAX_DIMS || mnp__fft_is_whole(layout, d) || !mnp__fft_split(n, layout->nranks, parts))
        return MNP_OK;
    memcpy(shape, layout->shape, (size_t)layout->ndim * sizeof *shape);
    shape[d] = n;
    MNP_TRY(mnp__layout_uncut(layout->nranks, layout->ndim, shape, 1u << d, &whole));
    *long_p = mnp__fft_is_lopsided(whole);
    mnp_layout_free(whole);
    return MNP_OK;
}
