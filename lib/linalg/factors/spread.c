/* SPDX-License-Identifier: BSD-3-Clause */
/* What eigenvalues and singular values of one matrix that all ranks hold together have in common. */
#include "linalg/factors/spread.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <maniple/item.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include "base/integer.h"

/*
 * Rows and columns from which on two ranks of one thread, each of which did LAPACK's part then, needed less time of the
 * processor each than LAPACK on one:
 * eigh of float64 took 0.63 s where that took 0.79 s at 1500, and more than it at 1000; svd of float32 took as long at
 * 2000.
 */
enum { WORTH_EIGH = 1536, WORTH_SVD = 2048 };

mnp_status mnp__spread_scale(const mnp_array *a, mnp_dtype dtype, int *exponent_p, bool *finite_p)
{
    const bool is_double = mnp__linalg_real(dtype) == MNP_FLOAT64;
    const int most_exponent = is_double ? 1000 : 120; /* their powers of two are numbers of the dtype */
    const double least = is_double ? DBL_MIN / DBL_EPSILON : (double)FLT_MIN / (double)FLT_EPSILON;
    double largest = 0;
    MNP_TRY(mnp__linalg_largest(a, &largest));
    *finite_p = isfinite(largest);
    *exponent_p = 0;
    if (*finite_p && largest > 0 && (largest < sqrt(least) || largest > 1 / sqrt(least)))
        *exponent_p = (int)mnp__clamp(-ilogb(largest), -most_exponent, most_exponent);
    return MNP_OK;
}

mnp_status mnp__spread_read(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, int exponent,
                            mnp__dense *dense)
{
    mnp_array *scaled = NULL;
    if (exponent != 0)
        MNP_TRY(mnp_multiply(a, MNP_SCALAR(a->ctx, ldexp(1, exponent)), &scaled));
    const mnp_status st = mnp__dense_read(place, scaled ? scaled : a, dtype, dense);
    mnp_array_free(scaled);
    return st;
}

int64_t mnp__spread_worth(const mnp_ctx *ctx, bool singular)
{
    const int set = ctx->config.spread_from;
    return set > 0 ? set : ctx->device->block_memory > 0 ? INT64_MAX : singular ? WORTH_SVD : WORTH_EIGH;
}

mnp_status mnp__spread_share(const mnp_ctx *ctx, double *numbers, int64_t count)
{
    enum { PIECE = 1 << 20 }; /* that MPI can count in bytes, and has room for */
    for (int64_t at = 0; numbers && at < count; at += PIECE) {
        const int64_t left = count - at;
        MNP_TRY(mnp__broadcast(&ctx->comm, numbers + at, (size_t)mnp__min(left, PIECE) * sizeof *numbers, 0));
    }
    return MNP_OK;
}

/* Numbers of the CPU to a dtype, with zeros for imaginary parts. */
static void convert(mnp_dtype dtype, const double *from, int64_t step, int64_t count, double factor, char *to)
{
    const int parts = mnp_dtype_kind(dtype) == 'c' ? 2 : 1;
    const bool is_double = mnp__linalg_real(dtype) == MNP_FLOAT64;
    for (int64_t i = 0; i < count; i++) {
        for (int part = 0; part < parts; part++) {
            const double value = part == 0 ? factor * from[i * step] : 0;
            if (is_double)
                ((double *)(void *)to)[parts * i + part] = value;
            else
                ((float *)(void *)to)[parts * i + part] = (float)value;
        }
    }
}

mnp_status mnp__spread_values(const mnp__place *place, mnp_dtype real, int64_t n, const double *values, int exponent,
                              mnp_array **values_p)
{
    char *memory = NULL;
    mnp_array *made = NULL;
    MNP_TRY(mnp__vectors_new(place, real, n, &made));
    mnp_status st = mnp__malloc((size_t)n * mnp_dtype_size(real), &memory);
    if (st == MNP_OK) {
        convert(real, values, 1, n, ldexp(1, -exponent), memory);
        st = mnp_array_set_local(made, memory);
    }
    free(memory);
    st = MNP_AGREE(place->ctx, st);
    if (st == MNP_OK)
        *values_p = made;
    else
        mnp_array_free(made);
    return st;
}

mnp_status mnp__spread_info(const mnp__place *place, int info, mnp_array **info_p)
{
    const int32_t report = info;
    MNP_TRY(mnp__info_new(place, info_p));
    return MNP_AGREE(place->ctx, mnp_array_set_local(*info_p, &report));
}

mnp_status mnp__spread_columns(const mnp__place *place, mnp_dtype dtype, int64_t m, int64_t n, int64_t k,
                               const double *from, bool turned, mnp__dense *to)
{
    mnp_ctx *ctx = place->ctx;
    char *memory = NULL;
    MNP_TRY(mnp__dense_new(place, dtype, m, n, to));
    const size_t column = (size_t)m * mnp_dtype_size(dtype), bytes = column * (size_t)to->columns;
    mnp_status st = mnp__calloc(bytes + 1, 1, &memory);
    for (int64_t c = 0; st == MNP_OK && c < to->columns; c++) {
        const int64_t of_all = (c / to->width * ctx->comm.size + ctx->comm.rank) * to->width + c % to->width;
        const double one = 1;
        char *own = memory + column * (size_t)c;
        if (of_all < k)
            convert(dtype, turned ? from + of_all : from + of_all * k, turned ? k : 1, k, 1, own);
        else
            convert(dtype, &one, 1, 1, 1, own + (size_t)of_all * mnp_dtype_size(dtype));
    }
    if (st == MNP_OK && bytes > 0)
        st = ctx->device->ops->copy(ctx->device, to->of.data, memory, bytes, ctx->compute);
    free(memory);
    return MNP_AGREE(ctx, st);
}
