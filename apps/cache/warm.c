/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warming the cache: common operations are rehearsed (mnp_rehearsal_new()) on vectors and matrices, so that all of their
 * kernels are compiled side by side, and the wait is for the last of them.
 *
 * What a kernel depends on is the dtypes, and how the arrays lie: whole, transposed, in steps, or repeated along an
 * axis.  Arrays of more dimensions are mostly handled as one of these.  An operation that a dtype does not have fails,
 * which does not matter.
 */
#include "cache/warm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * How long vectors are, and how large matrices.  Small ones share kernels of their own, unless one for large ones is
 * there: they come first.
 */
typedef struct extents {
    int64_t length, rows, columns;
} extents;
static const extents sizes[] = {{120, 12, 10}, {1 << 18, 300, 200}};

/* What is computed with: of the dtype x and y, a matrix, its transpose, a row and a column; a mask and indices. */
typedef struct operands {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    const extents *size;
    mnp_array *x, *y, *mask, *indices;
    mnp_array *matrix, *turned, *row, *column, *matrix_mask, *row_mask;
} operands;

typedef mnp_status unary(const mnp_array *x, mnp_array **out_p);
typedef mnp_status binary(const mnp_array *x, const mnp_array *y, mnp_array **out_p);
typedef mnp_status reduction(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
typedef mnp_status along_axis(const mnp_array *x, int axis, mnp_array **out_p);

static unary *const unaries[] = {
    mnp_negative,   mnp_absolute, mnp_square, mnp_sqrt,     mnp_exp,    mnp_log,         mnp_log10,
    mnp_sin,        mnp_cos,      mnp_tan,    mnp_tanh,     mnp_arctan, mnp_floor,       mnp_ceil,
    mnp_rint,       mnp_sign,     mnp_isnan,  mnp_isfinite, mnp_isinf,  mnp_invert,      mnp_conjugate,
    mnp_reciprocal, mnp_log1p,    mnp_expm1,  mnp_angle,    mnp_copy,   mnp_logical_not,
};
static binary *const binaries[] = {
    mnp_add,           mnp_subtract,     mnp_multiply,  mnp_divide,  mnp_power,      mnp_maximum,
    mnp_minimum,       mnp_floor_divide, mnp_remainder, mnp_less,    mnp_less_equal, mnp_greater,
    mnp_greater_equal, mnp_equal,        mnp_not_equal, mnp_arctan2,
};
static binary *const of_masks[] = {mnp_bitwise_and, mnp_bitwise_or, mnp_bitwise_xor, mnp_logical_and, mnp_logical_or};
static reduction *const reductions[] = {
    mnp_sum, mnp_prod, mnp_mean, mnp_var,           mnp_std,    mnp_max,    mnp_min,     mnp_argmax, mnp_argmin,
    mnp_all, mnp_any,  mnp_ptp,  mnp_count_nonzero, mnp_median, mnp_nansum, mnp_nanmean, mnp_nanmax, mnp_nanmin,
};
static along_axis *const along_axes[] = {mnp_sort, mnp_argsort, mnp_cummax};

#define EACH(name, list) for (size_t name = 0; name < sizeof(list) / sizeof *(list); name++)

/* An output that is not looked at: whether it was made does not matter. */
static void discard(mnp_array **array_p)
{
    mnp_array_free(*array_p);
    *array_p = NULL;
}

static void apply(unary *function, const mnp_array *x)
{
    mnp_array *out = NULL;
    (void)function(x, &out);
    discard(&out);
}

static void apply_two(binary *function, const mnp_array *x, const mnp_array *y)
{
    mnp_array *out = NULL;
    (void)function(x, y, &out);
    discard(&out);
}

static void rehearse_elementwise(const operands *o)
{
    const mnp_array *const numbers[] = {mnp_scalar_int(o->ctx, 2), mnp_scalar_float(o->ctx, 2)};
    EACH(i, unaries)
    {
        apply(unaries[i], o->x);
        apply(unaries[i], o->turned);
    }
    EACH(i, binaries)
    {
        apply_two(binaries[i], o->x, o->y);
        apply_two(binaries[i], o->matrix, o->row);
        apply_two(binaries[i], o->matrix, o->column);
        apply_two(binaries[i], o->matrix, o->turned);
        EACH(k, numbers)
        {
            apply_two(binaries[i], o->x, numbers[k]);
            apply_two(binaries[i], numbers[k], o->x);
        }
    }
    apply(mnp_logical_not, o->mask);
    apply(mnp_invert, o->mask);
    EACH(i, of_masks)
    {
        apply_two(of_masks[i], o->mask, o->mask);
        apply_two(of_masks[i], o->matrix_mask, o->row_mask);
    }
}

static void reduce(reduction *function, const mnp_array *x, const mnp_axes *axes)
{
    mnp_array *out = NULL;
    (void)function(x, axes, &out);
    discard(&out);
}

static void rehearse_reductions(const operands *o)
{
    EACH(i, reductions)
    {
        const mnp_array *const arrays[] = {o->x, o->matrix, o->mask, o->matrix_mask};
        EACH(k, arrays)
        {
            reduce(reductions[i], arrays[k], NULL);
            if (mnp_array_ndim(arrays[k]) != 2)
                continue;
            reduce(reductions[i], arrays[k], MNP_AXIS(0));
            reduce(reductions[i], arrays[k], MNP_AXIS(1));
        }
    }
}

static void rehearse_lines(const operands *o)
{
    EACH(i, along_axes)
    {
        mnp_array *out = NULL;
        (void)along_axes[i](o->x, 0, &out);
        discard(&out);
        for (int axis = 0; axis < 2; axis++) {
            (void)along_axes[i](o->matrix, axis, &out);
            discard(&out);
        }
    }
    for (int axis = -1; axis < 2; axis++) {
        mnp_array *out = NULL;
        (void)mnp_cumsum(axis < 0 ? o->x : o->matrix, axis < 0 ? 0 : axis, NULL, &out);
        discard(&out);
        (void)mnp_diff(axis < 0 ? o->x : o->matrix, 1, axis < 0 ? 0 : axis, NULL, NULL, &out);
        discard(&out);
    }
}

/* Parts of arrays are read, and numbers are written to them: by ranges, masks and indices. */
static void rehearse_parts(const operands *o)
{
    static const char *const parts[] = {"::2", "::-1", "1:-1", "..."};
    static const char *const of_matrix[] = {":, 0", "0", ":, ::-1", "::2, ::2", "1:-1, 1:-1"};
    const mnp_array *const numbers[] = {mnp_scalar_int(o->ctx, 0), mnp_scalar_float(o->ctx, 0),
                                        mnp_scalar_bool(o->ctx, false)};
    const size_t first = o->dtype == MNP_BOOL ? 2 : 0, end = o->dtype == MNP_BOOL ? 3 : 2;
    mnp_array *out = NULL;
    EACH(i, parts)
    {
        if (mnp_index(o->x, parts[i], &out) == MNP_OK)
            apply(mnp_copy, out);
        discard(&out);
    }
    EACH(i, of_matrix)
    {
        if (mnp_index(o->matrix, of_matrix[i], &out) == MNP_OK)
            apply(mnp_copy, out);
        discard(&out);
    }
    for (size_t k = first; k < end; k++) {
        EACH(i, parts)
        (void)mnp_set(o->x, parts[i], numbers[k]);
        EACH(i, of_matrix)
        (void)mnp_set(o->matrix, of_matrix[i], numbers[k]);
        (void)mnp_mask_set(o->x, o->mask, numbers[k]);
        (void)mnp_indices_set(o->x, 0, 1, (const mnp_array *const[]){o->indices}, numbers[k]);
        (void)mnp_where(o->mask, o->x, numbers[k], &out);
        discard(&out);
    }
    (void)mnp_mask_get(o->x, o->mask, &out);
    discard(&out);
    (void)mnp_where(o->mask, o->x, o->y, &out);
    discard(&out);
    (void)mnp_take(o->x, o->indices, 0, MNP_RAISE, &out);
    discard(&out);
    (void)mnp_take(o->matrix, o->indices, 0, MNP_RAISE, &out);
    discard(&out);
    (void)mnp_flatnonzero(o->mask, &out);
    discard(&out);
    (void)mnp_concatenate((const mnp_array *const[]){o->x, o->y}, 2, 0, &out);
    discard(&out);
}

/* Arrays are made: of numbers, of random ones, and of other dtypes. */
static void rehearse_making(const operands *o, int count, const mnp_dtype *dtypes)
{
    const int64_t length = o->size->length, rows = o->size->rows;
    const int64_t shapes[][2] = {{length}, {rows, o->size->columns}};
    mnp_array *out = NULL;
    mnp_rng *rng = NULL;
    for (int i = 0; i <= count; i++) { /* and bools */
        const mnp_dtype other = i < count ? dtypes[i] : MNP_BOOL;
        (void)mnp_astype(o->x, other, &out);
        discard(&out);
        (void)mnp_astype(o->mask, other, &out);
        discard(&out);
    }
    (void)mnp_ones(o->ctx, o->dtype, 1, &length, &out);
    discard(&out);
    (void)mnp_arange_int(o->ctx, 0, length, 1, o->dtype, &out);
    discard(&out);
    (void)mnp_arange(o->ctx, 0, 1, 1.0 / (double)length, o->dtype, &out);
    discard(&out);
    (void)mnp_linspace(o->ctx, 0, 1, length, true, o->dtype, NULL, &out);
    discard(&out);
    (void)mnp_eye(o->ctx, o->dtype, rows, rows, 0, &out);
    discard(&out);
    if (mnp_rng_new(o->ctx, 1, &rng) != MNP_OK)
        return;
    for (int ndim = 1; ndim <= 2; ndim++) {
        const int64_t *shape = shapes[ndim - 1];
        (void)mnp_random_uniform(rng, 0, 1, o->dtype, ndim, shape, &out);
        discard(&out);
        (void)mnp_random_normal(rng, 0, 1, o->dtype, ndim, shape, &out);
        discard(&out);
        (void)mnp_random_integers(rng, 0, 100, false, o->dtype, ndim, shape, &out);
        discard(&out);
    }
    mnp_rng_free(rng);
}

static void rehearse_others(const operands *o)
{
    const mnp_array *low = mnp_scalar_int(o->ctx, 0), *high = mnp_scalar_int(o->ctx, 1);
    mnp_array *out = NULL, *edges = NULL;
    (void)mnp_clip(o->x, low, high, &out);
    discard(&out);
    (void)mnp_round(o->x, 2, &out);
    discard(&out);
    (void)mnp_histogram(o->x, 10, NULL, false, NULL, &out, &edges);
    discard(&out);
    discard(&edges);
    (void)mnp_unique(o->x, true, &out, NULL, NULL, NULL);
    discard(&out);
    (void)mnp_norm(o->x, NULL, NULL, &out);
    discard(&out);
    (void)mnp_percentile(o->x, 90, NULL, NULL, &out);
    discard(&out);
    (void)mnp_matmul(o->matrix, o->turned, &out);
    discard(&out);
    (void)mnp_dot(o->x, o->y, &out);
    discard(&out);
}

static mnp_status make_operands(operands *o)
{
    const int64_t length[] = {o->size->length}, few[] = {16}, shape[] = {o->size->rows, o->size->columns};
    const int64_t row[] = {o->size->columns}, column[] = {o->size->rows, 1};
    const struct {
        mnp_array **array_p;
        mnp_dtype dtype;
        int ndim;
        const int64_t *shape;
    } all[] = {
        {&o->x, o->dtype, 1, length},     {&o->y, o->dtype, 1, length},     {&o->mask, MNP_BOOL, 1, length},
        {&o->indices, MNP_INT64, 1, few}, {&o->matrix, o->dtype, 2, shape}, {&o->matrix_mask, MNP_BOOL, 2, shape},
        {&o->row_mask, MNP_BOOL, 1, row}, {&o->row, o->dtype, 1, row},      {&o->column, o->dtype, 2, column},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mnp_status status = mnp_empty(o->ctx, all[i].dtype, all[i].ndim, all[i].shape, all[i].array_p);
        if (status != MNP_OK)
            return status;
    }
    return mnp_transpose(o->matrix, NULL, &o->turned);
}

mnp_status warm_parse(const char *list, mnp_dtype *dtypes, int *count_p)
{
    *count_p = 0;
    for (const char *at = list;; at++) {
        char name[32];
        const size_t length = strcspn(at, ",");
        if (*count_p == MNP_NUM_DTYPES)
            return mnp_fail(MNP_ERR_ARG, "--warm names more than %d dtypes", MNP_NUM_DTYPES);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        const mnp_status status = mnp_dtype_parse(name, &dtypes[*count_p]);
        if (status != MNP_OK)
            return status;
        (*count_p)++;
        at += length;
        if (*at == '\0')
            return MNP_OK;
    }
}

mnp_status warm(mnp_ctx *ctx, int count, const mnp_dtype *dtypes)
{
    mnp_ctx *rehearsal = NULL;
    mnp_status status = mnp_rehearsal_new(ctx, &rehearsal);
    const int nsizes = sizeof sizes / sizeof *sizes;
    for (int i = 0; i < nsizes * count && status == MNP_OK; i++) {
        operands o = {.ctx = rehearsal, .dtype = dtypes[i / nsizes], .size = &sizes[i % nsizes]};
        status = make_operands(&o);
        if (status == MNP_OK) {
            rehearse_elementwise(&o);
            rehearse_reductions(&o);
            rehearse_lines(&o);
            rehearse_parts(&o);
            rehearse_making(&o, count, dtypes);
            rehearse_others(&o);
        }
        mnp_free_all(o.turned, o.x, o.y, o.mask, o.indices, o.matrix, o.row, o.column, o.matrix_mask, o.row_mask);
    }
    mnp_finalize(rehearsal);
    return status == MNP_OK ? mnp_rehearsal_wait(ctx) : status;
}
