/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices of benchmarks beyond those of mnp_sparse_generate(), numbers to multiply them with, and the operator of a
 * grid without its matrix.  All are functions of indices alone: the same on any number of ranks, and in
 * bench/peers/sparse_peers.py.
 */
#ifndef APPS_BENCH_SPARSE_MATRICES_H
#define APPS_BENCH_SPARSE_MATRICES_H

#include <maniple.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark.h"
#include "common/command.h"

/* ---- numbers ---- */

/* From 0 to 1: the mixing of G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline double uniform(int64_t i)
{
    uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline bool is_single(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT32 || dtype == MNP_COMPLEX64;
}

static inline int parts_of(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'c' ? 2 : 1;
}

/* The real part of element i of a block; an imaginary part stays what it was. */
static inline void set_value(void *block, mnp_dtype dtype, int64_t i, double value)
{
    if (is_single(dtype))
        ((float *)block)[i * parts_of(dtype)] = (float)value;
    else
        ((double *)block)[i * parts_of(dtype)] = value;
}

static inline double get_value(const void *block, mnp_dtype dtype, int64_t i)
{
    return is_single(dtype) ? (double)((const float *)block)[i * parts_of(dtype)]
                            : ((const double *)block)[i * parts_of(dtype)];
}

/* Memory that is all 0, on all ranks.  Collective. */
static inline void *zeros(mnp_ctx *ctx, int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    const mnp_status st = memory ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %" PRId64 " elements", count);
    OR_EXIT(mnp_agree(ctx, st));
    return memory;
}

/* ---- matrices without a pattern ---- */

enum { MATRIX_TEXT = 256 }; /* room for the name of a matrix */

enum { AHEAD = 1 << 20 }; /* numbers that a row of powerlaw may take */

typedef struct triplets {
    mnp_dtype dtype;
    int64_t count, *rows, *columns;
    void *values;
} triplets;

static inline triplets triplets_new(mnp_ctx *ctx, mnp_dtype dtype, int64_t count)
{
    return (triplets){.dtype = dtype,
                      .count = count,
                      .rows = zeros(ctx, count, sizeof(int64_t)),
                      .columns = zeros(ctx, count, sizeof(int64_t)),
                      .values = zeros(ctx, count, mnp_dtype_size(dtype))};
}

static inline void triplets_put(triplets *t, int64_t k, int64_t row, int64_t column, double value)
{
    t->rows[k] = row;
    t->columns[k] = column;
    set_value(t->values, t->dtype, k, value);
}

/* The square matrix of them; they are freed. */
static inline mnp_sparse *triplets_finish(mnp_ctx *ctx, int64_t nrows, triplets *t)
{
    mnp_sparse *matrix = NULL;
    OR_EXIT(mnp_sparse_from_triplets(ctx, t->dtype, nrows, nrows, NULL, NULL, t->count, t->rows, t->columns, t->values,
                                     &matrix));
    free(t->rows);
    free(t->columns);
    free(t->values);
    return matrix;
}

/* This rank's part of that many things. */
static inline void own_part(const mnp_ctx *ctx, int64_t count, int64_t *begin_p, int64_t *end_p)
{
    const int64_t rank = mnp_ctx_rank(ctx), size = mnp_ctx_size(ctx);
    *begin_p = count * rank / size;
    *end_p = count * (rank + 1) / size;
}

static inline mnp_sparse *make_random(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, double density)
{
    int64_t begin, end;
    own_part(ctx, llround(density * (double)nrows * (double)nrows), &begin, &end);
    triplets t = triplets_new(ctx, dtype, end - begin);
    for (int64_t i = begin; i < end; i++)
        triplets_put(&t, i - begin, (int64_t)((double)nrows * uniform(3 * i)),
                     (int64_t)((double)nrows * uniform(3 * i + 1)), 2 * uniform(3 * i + 2) - 1);
    return triplets_finish(ctx, nrows, &t);
}

static inline int64_t length_of_row(int64_t nrows, int64_t row)
{
    const double length = 1 + floor(4 * (pow(1 - uniform(row * AHEAD), -1 / 1.2) - 1));
    return (int64_t)fmin(fmin(length, (double)(nrows / 5 + 1)), AHEAD / 2 - 1);
}

static inline mnp_sparse *make_powerlaw(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows)
{
    int64_t begin, end, count = 0;
    own_part(ctx, nrows, &begin, &end);
    for (int64_t row = begin; row < end; row++)
        count += length_of_row(nrows, row);
    triplets t = triplets_new(ctx, dtype, count);
    for (int64_t row = begin, k = 0; row < end; row++) {
        for (int64_t j = 1, length = length_of_row(nrows, row); j <= length; j++, k++) {
            const int64_t i = row * AHEAD + 2 * j;
            triplets_put(&t, k, row, (int64_t)((double)nrows * uniform(i) * uniform(i)), 2 * uniform(i + 1) - 1);
        }
    }
    return triplets_finish(ctx, nrows, &t);
}

/* Check that --matrix is a generator.  MNP_ERR_ARG.  Not collective. */
static inline mnp_status check_generator(int ranks, int count, const char *const *names, const bench_options *o)
{
    (void)ranks, (void)count, (void)names;
    if (!o->matrix || (mnp_sparse_is_generator(o->matrix) && strlen(o->matrix) < MATRIX_TEXT))
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "--matrix is '%s', which is no generator, such as poisson:64x64x64", o->matrix);
}

/* Whether the text is random:ROWS@DENSITY or powerlaw:ROWS; their numbers, of powerlaw a negative density. */
static inline bool is_without_pattern(const char *text, int64_t *nrows_p, double *density_p)
{
    int read = 0;
    if (sscanf(text, "random:%" SCNd64 "@%lf%n", nrows_p, density_p, &read) == 2 && !text[read] && *nrows_p > 0 &&
        *density_p >= 0 && *density_p <= 1)
        return true;
    *density_p = -1;
    return sscanf(text, "powerlaw:%" SCNd64 "%n", nrows_p, &read) == 1 && !text[read] && *nrows_p > 0;
}

/*
 * A matrix from a text: a generator's, or
 *
 *   random:ROWS@DENSITY   so many of all places, drawn at random; what is drawn twice is summed
 *   powerlaw:ROWS         rows of lengths by Pareto's law of exponent 1.2, up to a fifth of the columns, of which the
 *                         first are drawn most often
 *
 * Ends the program where it is none.  Collective.
 */
static inline mnp_sparse *make_matrix(mnp_ctx *ctx, const char *text, mnp_dtype dtype)
{
    mnp_sparse *matrix = NULL;
    int64_t nrows = 0;
    double density = 0;
    if (is_without_pattern(text, &nrows, &density))
        return density < 0 ? make_powerlaw(ctx, dtype, nrows) : make_random(ctx, dtype, nrows, density);
    OR_EXIT(mnp_sparse_generate(ctx, text, dtype, &matrix));
    return matrix;
}

/* ---- grids ---- */

/*
 * The operator of a matrix that mnp_sparse_generate() makes of "poisson:NX[xNY[xNZ]]", as a kernel over the grid.
 * Collective.  MNP_ERR_ARG for another text, and as mnp_operator_from_stencil().
 */
static inline mnp_status poisson_operator(mnp_ctx *ctx, const char *text, mnp_dtype dtype, mnp_operator **operator_p)
{
    enum { MOST_DIMS = 3, MOST_POINTS = 2 * MOST_DIMS + 1 };
    int64_t shape[MOST_DIMS], offsets[MOST_POINTS * MOST_DIMS] = {0}; /* the last point is the middle */
    double values[2 * MOST_POINTS] = {0};
    float singles[2 * MOST_POINTS] = {0};
    void *coefficients = is_single(dtype) ? (void *)singles : values;
    const int ndim = sscanf(text, "poisson:%" SCNd64 "x%" SCNd64 "x%" SCNd64, shape, shape + 1, shape + 2);
    if (ndim < 1)
        return mnp_fail(MNP_ERR_ARG, "only poisson:NX[xNY[xNZ]] has an operator without its matrix, not '%s'", text);
    for (int k = 0; k <= 2 * ndim; k++) {
        set_value(coefficients, dtype, k, k == 2 * ndim ? 2 * ndim : -1);
        if (k < 2 * ndim)
            offsets[k * ndim + k / 2] = k % 2 ? 1 : -1;
    }
    return mnp_operator_from_stencil(ctx, dtype, ndim, shape, NULL, 2 * ndim + 1, offsets, coefficients, operator_p);
}

#endif
