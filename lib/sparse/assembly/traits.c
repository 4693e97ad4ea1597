/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_sparse_find_traits(): what one reading of the entries tells (kernels/sparse/rows/find_traits.cu).  Every thread
 * has sums of its own, which the CPU adds up in a fixed order.
 */
#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"
#include "kernels/sparse/rows/find_traits_params.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

enum { BLOCKS = 256, THREADS = 256, SUMS = BLOCKS * THREADS };

/* The sums over one part are added to those in `params`. */
static mnp_status read_part(const mnp_sparse *matrix, mnp__kernel *kernel, const mnp__part *part,
                            mnp_traits_params *params)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__launch launch = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
    params->part = mnp__describe_part(part);
    if (part->count == 0)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, kernel, &launch, params, sizeof *params, ctx->compute);
}

static mnp_status add_up(mnp_ctx *ctx, const mnp_traits_sums *threads, mnp_traits_sums *sum)
{
    mnp_traits_sums *all;
    MNP_TRY(mnp__malloc(SUMS * sizeof *all, &all));
    const mnp_status st = mnp__elements_copy(ctx, all, threads, SUMS, sizeof *all);
    *sum = (mnp_traits_sums){.hash = 0};
    for (int i = 0; i < SUMS && st == MNP_OK; i++) {
        sum->hash += all[i].hash;
        sum->skew += all[i].skew;
        sum->size += all[i].size;
        sum->positive += all[i].positive;
        sum->other_than += all[i].other_than;
    }
    free(all);
    return st;
}

/* The sums over this rank's rows.  Not collective. */
static mnp_status read_rows(const mnp__row_source *source, mnp__kernel *kernel, mnp_traits_sums *sum)
{
    const mnp_sparse *matrix = source->matrix;
    mnp_ctx *ctx = matrix->ctx;
    mnp_traits_params params = {.row_lo = matrix->row_lo, .column_lo = matrix->column_lo};
    mnp_status st;
    MNP_TRY(mnp__elements_new(ctx, SUMS, sizeof *params.sums, &params.sums));
    MNP_TRY_OR(ctx->device->ops->fill(ctx->device, params.sums, 0, SUMS * sizeof *params.sums, ctx->compute), st, done);
    MNP_TRY_OR(read_part(matrix, kernel, mnp__row_source_own(source), &params), st, done);
    params.ghosts = (const long long *)source->ghosts;
    MNP_TRY_OR(read_part(matrix, kernel, &matrix->ghost, &params), st, done);
    st = add_up(ctx, params.sums, sum);
done:
    mnp__elements_free(ctx, params.sums);
    return st;
}

/* The sums over all ranks. */
static mnp_status read_matrix(const mnp_sparse *matrix, mnp_traits_sums *sum)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__kernel_spec spec = {.file = "sparse/rows/find_traits.cu", .function = "find_traits"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel;
    mnp__row_source source;
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(matrix->dtype));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    mnp_status st = mnp__row_source_open(matrix, &source);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, read_rows(&source, kernel, sum));
    mnp__row_source_close(&source);
    MNP_TRY(st);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &sum->hash, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM));
    MNP_TRY(mnp__all_reduce(&ctx->comm, &sum->skew, 2, MPI_DOUBLE, MPI_SUM));
    return mnp__all_reduce(&ctx->comm, &sum->positive, 2, MPI_LONG_LONG, MPI_SUM);
}

mnp_status mnp_sparse_find_traits(const mnp_sparse *matrix, mnp_sparse_traits *traits_p)
{
    MNP_ENTER(matrix, traits_p);
    mnp_traits_sums sum;
    MNP_TRY(read_matrix(matrix, &sum));
    const bool is_square = matrix->shape[0] == matrix->shape[1];
    const int64_t diagonal = mnp__min(matrix->shape[0], matrix->shape[1]);
    const bool is_single = mnp__dtype_is_single(matrix->dtype);
    const int64_t facts[] = {matrix->shape[0], matrix->shape[1], (int64_t)matrix->dtype, (int64_t)sum.hash};
    *traits_p = (mnp_sparse_traits){.fingerprint = mnp__hash(MNP__HASH_START, facts, sizeof facts),
                                    .hermitian = is_square && fabs(sum.skew) <= (is_single ? 1e-7 : 1e-13) * sum.size,
                                    .positive_diagonal = sum.positive == diagonal,
                                    .full_diagonal = sum.other_than == diagonal};
    return MNP_OK;
}

const char *mnp_sparse_traits_text(const mnp_sparse *matrix, const mnp_sparse_traits *traits)
{
    MNP_NEED_OR("", matrix);
    MNP_NEED_OR("", traits);
    const bool is_complex = mnp_dtype_kind(matrix->dtype) == 'c';
    if (matrix->shape[0] != matrix->shape[1])
        return "not square";
    if (traits->hermitian && traits->positive_diagonal)
        return is_complex ? "Hermitian with a positive diagonal" : "symmetric with a positive diagonal";
    if (traits->hermitian)
        return is_complex ? "Hermitian, but not positive definite" : "symmetric, but not positive definite";
    if (traits->full_diagonal)
        return is_complex ? "not Hermitian" : "not symmetric";
    return is_complex ? "not Hermitian, with zeros on the diagonal" : "not symmetric, with zeros on the diagonal";
}
