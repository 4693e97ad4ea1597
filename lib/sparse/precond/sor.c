/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sor and ssor: sweeps of successive over-relaxation on every rank's own block, starting from 0 (D. M. Young,
 * "Iterative methods for solving partial difference equations of elliptic type", 1954).
 *
 * Entries between ranks are left out, so this is block Jacobi over the ranks.  Rows are coloured greedily, and those
 * of one colour are relaxed at the same time.  ssor takes the colours forward and then backward, so that it is
 * Hermitian where the matrix is.
 *
 * The first sweep starts from zeros, so going forward it needs only the entries of earlier colours, and gives x =
 * inverse * (b - their sum).  Going backward, earlier colours have not changed, so that sum is known from x, and (1 -
 * omega) x + inverse * (b - all sums) is (2 - omega) x - inverse * (the sum over later colours): both directions read
 * every entry once (V. Conrad, Y. Wallach, "Alternating methods for sets of linear equations", 1979).
 */
#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>

#include "sparse/precond/own_block.h"
#include "sparse/precond/precond.h"
#include "sparse/precond/level_sweep.h"

typedef struct sor {
    mnp_ctx *ctx;
    mnp__level_sweep *earlier, *later, *all; /* later: of ssor; all: of further sweeps */
    bool symmetric;
    int sweeps, colours; /* colours: the most of any rank */
    double omega;
} sor;

/* Replace the diagonal by omega divided by it. */
static mnp_status invert_diagonal(const sor *r, const mnp_sparse *matrix, void *diagonal)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        const double _Complex entry = mnp__load_value(matrix->dtype, diagonal, i);
        if (!(cabs(entry) > 0))
            return MNP_FAIL(MNP_ERR_ARG,
                            "mnp_precond_new(): the diagonal of row %" PRId64
                            " (counted from 0) is %s, so it cannot be relaxed",
                            matrix->row_lo + i, entry == 0 ? "0" : "not a number");
        mnp__store_value(matrix->dtype, diagonal, i, mnp__divide_by(matrix->dtype, r->omega, entry));
    }
    return MNP_OK;
}

static mnp_status make_sweeps(sor *r, const void *inverse, const mnp__level_sweep_source *source)
{
    MNP_TRY(mnp__level_sweep_new(source, inverse, MNP__SWEEP_EARLIER, &r->earlier));
    if (r->symmetric)
        MNP_TRY(mnp__level_sweep_new(source, inverse, MNP__SWEEP_LATER, &r->later));
    return r->sweeps > 1 ? mnp__level_sweep_new(source, inverse, MNP__SWEEP_ALL, &r->all) : MNP_OK;
}

/* This rank's share of building; the diagonal is overwritten. */
static mnp_status arrange(sor *r, const mnp_sparse *matrix, void *diagonal, mnp__level_sweep_source *source)
{
    mnp__own_block block = {.ctx = NULL};
    MNP_TRY(invert_diagonal(r, matrix, diagonal));
    mnp_status st = mnp__own_block_open(matrix, &block);
    if (st == MNP_OK)
        st = mnp__level_sweep_colour(&block.pattern);
    if (st == MNP_OK) {
        mnp__pattern_forget_entries(&block.pattern);
        source->part = &block.csr;
        source->pattern = &block.pattern;
        st = make_sweeps(r, diagonal, source);
    }
    mnp__own_block_close(&block);
    return st;
}

/* Collective, and agreed upon. */
static mnp_status build(sor *r, const mnp_sparse *matrix)
{
    mnp__level_sweep_source source = {.ctx = matrix->ctx, .dtype = matrix->dtype};
    void *diagonal = NULL;
    MNP_TRY(mnp__level_sweep_load_permutation(&source));
    MNP_TRY(mnp__own_diagonal(matrix, &diagonal));
    const mnp_status st = MNP_AGREE(matrix->ctx, arrange(r, matrix, diagonal, &source));
    free(diagonal);
    return st;
}

/* Collective. */
static mnp_status load(sor *r)
{
    MNP_TRY(mnp__level_sweep_load(r->earlier));
    if (r->symmetric)
        MNP_TRY(mnp__level_sweep_load(r->later));
    return r->sweeps > 1 ? mnp__level_sweep_load(r->all) : MNP_OK;
}

static mnp_status sor_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const sor *r = data;
    (void)adjoint; /* there is none */
    const mnp__sweep first_forward = {.b = x->data, .from = y->data, .x = y->data, .width = 1, .keep = 0};
    const mnp__sweep first_backward = {
        .from = y->data, .x = y->data, .width = 1, .keep = 2 - r->omega, .backward = true};
    const mnp__sweep forward = {.b = x->data, .from = y->data, .x = y->data, .width = 1, .keep = 1 - r->omega};
    mnp__sweep backward = forward;
    backward.backward = true;
    MNP_TRY(mnp__level_sweep_run(r->earlier, &first_forward));
    if (r->symmetric)
        MNP_TRY(mnp__level_sweep_run(r->later, &first_backward));
    for (int sweep = 1; sweep < r->sweeps; sweep++) {
        MNP_TRY(mnp__level_sweep_run(r->all, &forward));
        if (r->symmetric)
            MNP_TRY(mnp__level_sweep_run(r->all, &backward));
    }
    return MNP_OK;
}

static void sor_describe(const void *data, FILE *file)
{
    const sor *r = data;
    fprintf(file, "%d sweep%s%s of all ranks' own blocks in at most %d colour%s, omega %g", r->sweeps,
            r->sweeps == 1 ? "" : "s", r->symmetric ? " forward and backward" : "", r->colours,
            r->colours == 1 ? "" : "s", r->omega);
}

static void sor_free(mnp_ctx *ctx, void *data)
{
    sor *r = data;
    (void)ctx;
    if (r) {
        mnp__level_sweep_free(r->earlier);
        mnp__level_sweep_free(r->later);
        mnp__level_sweep_free(r->all);
    }
    free(r);
}

mnp_status mnp__precond_sor(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                            const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {.apply = sor_apply, .describe = sor_describe, .free = sor_free};
    sor *r = NULL;
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__calloc(1, sizeof *r, &r));
    if (st == MNP_OK) {
        *r = (sor){.ctx = matrix->ctx,
                   .symmetric = kind == MNP_PRECOND_SSOR,
                   .sweeps = options->sweeps,
                   .omega = options->omega};
        st = build(r, matrix);
    }
    if (st == MNP_OK)
        st = load(r);
    if (st == MNP_OK) {
        r->colours = mnp__level_sweep_groups(r->earlier);
        st = mnp__all_reduce(&matrix->ctx->comm, &r->colours, 1, MPI_INT, MPI_MAX);
    }
    if (st == MNP_OK) {
        *ops_p = &ops;
        *data_p = r;
    } else {
        sor_free(matrix->ctx, r);
    }
    return st;
}
