/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments that all filters have.
 */
#include "ndimage/window.h"

#include <inttypes.h>

#include "base/value.h"

static const mnp_ndimage_options defaults = {.mode = MNP_NDIMAGE_DEFAULT};

static mnp_status find_boundary(const char *function, mnp_ndimage_mode mode, mnp_boundary *boundary_p)
{
    switch (mode) {
    case MNP_NDIMAGE_DEFAULT:
    case MNP_NDIMAGE_REFLECT:
        *boundary_p = MNP_BOUNDARY_SYMM;
        return MNP_OK;
    case MNP_NDIMAGE_MIRROR:
        *boundary_p = MNP_BOUNDARY_MIRROR;
        return MNP_OK;
    case MNP_NDIMAGE_NEAREST:
        *boundary_p = MNP_BOUNDARY_NEAREST;
        return MNP_OK;
    case MNP_NDIMAGE_WRAP:
    case MNP_NDIMAGE_GRID_WRAP:
        *boundary_p = MNP_BOUNDARY_WRAP;
        return MNP_OK;
    case MNP_NDIMAGE_CONSTANT:
    case MNP_NDIMAGE_GRID_CONSTANT:
        *boundary_p = MNP_BOUNDARY_FILL;
        return MNP_OK;
    }
    return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a mode of a filter", function, (int)mode);
}

mnp_status mnp__filter_find_axes(const char *function, int ndim, const mnp_ndimage_options *options,
                                 mnp__filter_axes *axes)
{
    unsigned seen = 0;
    if (options->naxes < 0 || options->naxes > ndim || (options->naxes > 0 && !options->axes))
        return MNP_FAIL(MNP_ERR_ARG, "%s: naxes is %d and axes is %s, for an array of %d dimensions", function,
                        options->naxes, options->axes ? "given" : "NULL", ndim);
    axes->count = options->naxes ? options->naxes : ndim;
    for (int a = 0; a < axes->count; a++) {
        const int given = options->naxes ? options->axes[a] : a, axis = given < 0 ? given + ndim : given;
        if (axis < 0 || axis >= ndim)
            return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is outside the input, which has %d dimension%s", function, given,
                            ndim, ndim == 1 ? "" : "s");
        if (seen >> axis & 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is given twice", function, given);
        seen |= 1U << axis;
        axes->axes[a] = axis;
    }
    return MNP_OK;
}

mnp_status mnp__filter_axes_of(const char *function, const mnp_array *x, const mnp_ndimage_options *options,
                               mnp__filter_axes *axes)
{
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input has no dimensions; it should have 1 to %d", function, MNP_MAX_DIMS);
    *axes = (mnp__filter_axes){.options = options ? options : &defaults};
    options = axes->options;
    MNP_TRY(mnp__filter_find_axes(function, x->layout->ndim, options, axes));
    axes->output = options->dtype == MNP_DTYPE_AUTO ? x->dtype : options->dtype;
    if (mnp_dtype_size(axes->output) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a dtype", function, (int)axes->output);
    for (int a = 0; a < axes->count; a++) {
        MNP_TRY(find_boundary(function, options->modes ? options->modes[a] : options->mode, &axes->boundary[a]));
        if (axes->boundary[a] == MNP_BOUNDARY_FILL && !mnp__number_fits(options->cval, x->dtype))
            return MNP_FAIL(MNP_ERR_ARG, "%s: cval is %g, which the input's dtype %s cannot hold", function,
                            options->cval, mnp_dtype_name(x->dtype));
        axes->origin[a] = options->origins ? options->origins[a] : 0;
    }
    return MNP_OK;
}

mnp_status mnp__filter_check_real(const char *function, const mnp_array *x)
{
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input is %s, and this function takes real numbers", function,
                        mnp_dtype_name(x->dtype));
    return MNP_OK;
}

mnp_status mnp__filter_window(const char *function, const mnp_array *x, const mnp__filter_axes *axes,
                              const int64_t *size, bool mirrored, mnp__neighbours *filter)
{
    static const int64_t most = 32767; /* a place in a window is a short on GPUs */
    int64_t number = 1;
    *filter = (mnp__neighbours){.function = function,
                                .value = mnp__filter_compared(x->dtype),
                                .output = axes->output,
                                .outside = axes->options->cval,
                                .columns = 1,
                                .kept = 1,
                                .run = 1};
    for (int d = 0; d < x->layout->ndim; d++)
        filter->span[d] = 1;
    for (int a = axes->count - 1; a >= 0; a--) {
        const int d = axes->axes[a];
        const int64_t n = size[a], origin = mirrored ? -axes->origin[a] : axes->origin[a];
        const int64_t below = mirrored ? (n - 1) / 2 : n / 2;
        if (n < 1 || n > most)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the size along axis %d is %" PRId64 ", outside 1..%" PRId64, function, d,
                            n, most);
        if (below + origin < 0 || below + origin >= n)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: the origin along axis %d is %" PRId64 ", which puts an element outside its window of "
                            "%" PRId64,
                            function, d, axes->origin[a], n);
        filter->span[d] = n;
        filter->number[d] = number;
        number *= n;
        filter->low[d] = -below - origin;
        filter->boundary[d] = axes->boundary[a];
    }
    return MNP_OK;
}

int64_t mnp__filter_taps(const mnp__neighbours *filter, const bool *footprint, mnp__tap_visitor visit, void *argument)
{
    int64_t at[MNP_MAX_DIMS] = {0}, total = 1, count = 0;
    for (int d = 0; d < filter->ndim; d++)
        total *= filter->span[d];
    for (int64_t i = 0; i < total; i++) {
        int64_t number = 0;
        for (int d = 0; d < filter->ndim; d++)
            number += at[d] * filter->number[d];
        if (!footprint || footprint[number]) {
            count++;
            if (visit)
                visit(argument, number, at);
        }
        for (int d = filter->ndim - 1; d >= 0; d--) {
            if (++at[d] < filter->span[d])
                break;
            at[d] = 0;
        }
    }
    return count;
}

struct writing {
    mnp__neighbours *filter;
    const char *separator;
    int count;
};

static void write_tap(void *argument, int64_t number, const int64_t *at)
{
    struct writing *writing = argument;
    (void)number;
    mnp__text_add(&writing->filter->body, "%s", writing->count++ > 0 ? writing->separator : "");
    mnp__neighbours_tap(writing->filter, at);
}

void mnp__filter_write_taps(mnp__neighbours *filter, const bool *footprint, const char *separator)
{
    struct writing writing = {.filter = filter, .separator = separator};
    mnp__filter_taps(filter, footprint, write_tap, &writing);
}

void mnp__filter_write_table(mnp__neighbours *filter, const bool *footprint)
{
    mnp__text_add(&filter->body, "MNP_TABLE mnp_tap mnp_taps[] = {\n    ");
    mnp__filter_write_taps(filter, footprint, ",\n    ");
    mnp__text_add(&filter->body, "};\n");
}

mnp_dtype mnp__filter_compared(mnp_dtype input)
{
    if (input == MNP_FLOAT16 || input == MNP_BFLOAT16)
        return MNP_FLOAT32;
    return input == MNP_BOOL ? MNP_UINT8 : input;
}
