/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eigenvalues and Schur's decomposition of pairs of matrices, and other orders of it, by the CPU's LAPACK: cuSOLVER has
 * none of them.
 */
#include <stdio.h>

#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/cpu/on_cpu.h"

/* Both matrices and both factors, or both kinds of vectors, in the order of LAPACK's arguments. */
enum { A, B, Q, Z, NUM_MATRICES };

typedef struct pencil {
    mnp__dense of[NUM_MATRICES];
    mnp_array *values, *selected, *info;
} pencil;

static void release(pencil *pair)
{
    for (int i = 0; i < NUM_MATRICES; i++)
        mnp__dense_free(&pair->of[i]);
    mnp_free_all(pair->values, pair->selected, pair->info);
}

static mnp_status run(const mnp__place *place, mnp__lapack_op *op, const pencil *pair)
{
    mnp__lapack_job job = mnp__dense_job(&pair->of[A]);
    job.b = pair->of[B].of;
    job.c = pair->of[Q].of;
    job.d = pair->of[Z].of;
    job.vectors = pair->of[Z].array != NULL;
    return mnp__on_cpu_run(place, op, job,
                           (const mnp_array *const[MNP__JOB_ARRAYS]){[MNP__JOB_A] = pair->of[A].array,
                                                                     [MNP__JOB_B] = pair->of[B].array,
                                                                     [MNP__JOB_C] = pair->of[Q].array,
                                                                     [MNP__JOB_D] = pair->of[Z].array,
                                                                     [MNP__JOB_VALUES] = pair->values,
                                                                     [MNP__JOB_PIVOTS] = pair->selected,
                                                                     [MNP__JOB_INFO] = pair->info});
}

static mnp_status give(const mnp__place *place, const pencil *pair, const mnp__result *results)
{
    mnp_array *made[NUM_MATRICES];
    for (int i = 0; i < NUM_MATRICES; i++)
        made[i] = pair->of[i].array;
    return mnp__dense_give_all(place, NUM_MATRICES, results, made);
}

/* Check both matrices and the results, and find the dtype of the results that are MNP__AS_COMPUTED. */
static mnp_status check(const char *function, const mnp_array *a, const mnp_array *b, bool complex_output,
                        const mnp__result *results, mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *const[]){a, b}));
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__linalg_common_dtype(function, a, b, dtype_p));
    if (!mnp__layout_same_shape(a->layout, b->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: a and b are not of one shape", function);
    *dtype_p = complex_output ? mnp__linalg_complex(*dtype_p) : *dtype_p;
    return mnp__linalg_check_outputs(function, a, *dtype_p, NUM_MATRICES, results);
}

/* The place of the pair, copies of its matrices, and room for the others if they are wanted. */
static mnp_status begin(const char *function, const mnp_array *a, const mnp_array *b, mnp_dtype dtype,
                        mnp_dtype of_others, bool has_others, mnp__place *place, pencil *pair)
{
    MNP_TRY(mnp__place_open(function, a, 0, NULL, place));
    MNP_TRY(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)));
    MNP_TRY(mnp__dense_read(place, a, dtype, &pair->of[A]));
    MNP_TRY(mnp__dense_read(place, b, dtype, &pair->of[B]));
    for (int i = Q; i <= Z && has_others; i++)
        MNP_TRY(mnp__dense_new(place, of_others, pair->of[A].n, pair->of[A].n, &pair->of[i]));
    return mnp__info_new(place, &pair->info);
}

/* One half of the values: the numerators or the denominators. */
static mnp_status half_of(const pencil *pair, bool second, mnp_array **half_p)
{
    char which[64];
    const long long n = pair->of[A].n;
    snprintf(which, sizeof which, second ? "..., %lld:" : "..., :%lld", n);
    return mnp_index(pair->values, which, half_p);
}

mnp_status mnp_eig_pair(const mnp_array *a, const mnp_array *b, mnp_array **alpha_p, mnp_array **beta_p,
                        mnp_array **vl_p, mnp_array **vr_p)
{
    static const char function[] = "mnp_eig_pair";
    MNP_ENTER(a, b, alpha_p, beta_p);
    MNP_NEED_OR_NULL(vl_p);
    MNP_NEED_OR_NULL(vr_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    const mnp__result results[] = {{"alpha", alpha_p, MNP__AS_COMPLEX, "n"},
                                   {"beta", beta_p, MNP__AS_COMPLEX, "n"},
                                   {"vl", vl_p, MNP__AS_COMPLEX, "nn"},
                                   {"vr", vr_p, MNP__AS_COMPLEX, "nn"}};
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    pencil pair = {.info = NULL};
    mnp_array *alpha = NULL, *beta = NULL;
    mnp_status st;
    MNP_TRY(check(function, a, b, false, results, &dtype));
    const mnp_dtype of_results = mnp__linalg_complex(dtype);
    MNP_TRY_OR(begin(function, a, b, dtype, of_results, vl_p || vr_p, &place, &pair), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, of_results, 2 * pair.of[A].n, &pair.values), st, done);
    MNP_TRY_OR(mnp__dense_report(&place, pair.info, MNP__VALUES_NOT_FOUND, run(&place, mnp__host_lapack.ggev, &pair)),
               st, done);
    MNP_TRY_OR(half_of(&pair, false, &alpha), st, done);
    MNP_TRY_OR(half_of(&pair, true, &beta), st, done);
    st = mnp__dense_give_all(&place, NUM_MATRICES, results,
                             (mnp_array *const[]){alpha, beta, pair.of[Q].array, pair.of[Z].array});
done:
    mnp_free_all(beta, alpha);
    release(&pair);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_qz(const mnp_array *a, const mnp_array *b, bool complex_output, mnp_array **aa_p, mnp_array **bb_p,
                  mnp_array **q_p, mnp_array **z_p)
{
    static const char function[] = "mnp_qz";
    MNP_ENTER(a, b, aa_p, bb_p, q_p, z_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    const mnp__result results[] = {{"aa", aa_p, MNP__AS_COMPUTED, "nn"},
                                   {"bb", bb_p, MNP__AS_COMPUTED, "nn"},
                                   {"q", q_p, MNP__AS_COMPUTED, "nn"},
                                   {"z", z_p, MNP__AS_COMPUTED, "nn"}};
    mnp_dtype dtype;
    mnp__place place = {.batch = NULL};
    pencil pair = {.info = NULL};
    mnp_status st;
    MNP_TRY(check(function, a, b, complex_output, results, &dtype));
    MNP_TRY_OR(begin(function, a, b, dtype, dtype, true, &place, &pair), st, done);
    MNP_TRY_OR(mnp__dense_report(&place, pair.info, MNP__VALUES_NOT_FOUND, run(&place, mnp__host_lapack.gges, &pair)),
               st, done);
    st = give(&place, &pair, results);
done:
    release(&pair);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_qz_reorder(const mnp_array *aa, const mnp_array *bb, const mnp_array *q, const mnp_array *z,
                          const mnp_array *select, mnp_array **aa_p, mnp_array **bb_p, mnp_array **q_p, mnp_array **z_p)
{
    static const char function[] = "mnp_qz_reorder";
    MNP_ENTER(aa, bb, q, z, aa_p, bb_p, q_p, z_p);
    MNP_NEED(select);
    MNP_IN_BLOCKS(aa);
    MNP_IN_BLOCKS(bb);
    MNP_IN_BLOCKS(q);
    MNP_IN_BLOCKS(z);
    MNP_IN_BLOCKS(select);
    const mnp__result results[] = {{"aa", aa_p, MNP__AS_COMPUTED, "nn"},
                                   {"bb", bb_p, MNP__AS_COMPUTED, "nn"},
                                   {"q", q_p, MNP__AS_COMPUTED, "nn"},
                                   {"z", z_p, MNP__AS_COMPUTED, "nn"}};
    const mnp_array *const given[NUM_MATRICES] = {aa, bb, q, z};
    mnp_dtype dtype;
    mnp__place place;
    pencil pair = {.info = NULL};
    mnp_status st;
    MNP_TRY(mnp__inputs_check(function, NUM_MATRICES + 1, (const mnp_array *const[]){aa, bb, q, z, select}));
    for (int i = B; i < NUM_MATRICES; i++)
        MNP_TRY(mnp__linalg_check_alike(function, "aa", aa, results[i].name, given[i]));
    MNP_TRY(mnp__linalg_begin(function, aa, true, NUM_MATRICES, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(aa->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__select_read(&place, aa, select, &pair.selected), st, done);
    for (int i = 0; i < NUM_MATRICES; i++)
        MNP_TRY_OR(mnp__dense_read(&place, given[i], dtype, &pair.of[i]), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &pair.info), st, done);
    MNP_TRY_OR(mnp__dense_report(&place, pair.info, MNP__NOT_REORDERED, run(&place, mnp__host_lapack.tgsen, &pair)), st,
               done);
    st = give(&place, &pair, results);
done:
    release(&pair);
    mnp__place_close(&place);
    return st;
}
