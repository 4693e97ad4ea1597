/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues and eigenvectors of Hermitian and of general matrices. */
#include "linalg/factors/eigen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/factors/spread.h"

/* What a public function is asked: results of kind `general`, or of Hermitian matrices, all or those of a range. */
typedef struct request {
    const char *function;
    const mnp_array *a;
    bool general, upper;
    const mnp__eigen_range *range; /* NULL: all */
    mnp__result results[2];        /* w and v; without v the values alone */
    mnp_dtype dtype;
} request;

static inline bool wants_vectors(const request *r)
{
    return r->results[1].user_p != NULL;
}

/*
 * One Hermitian matrix that is cut, by all ranks; *found_p is false, and the place as it was, if there is none, or if
 * it has NaN or infinities.
 */
static mnp_status find_spread(const request *r, bool *found_p)
{
    mnp__place spread;
    mnp__dense vectors = {.array = NULL};
    mnp_array *values = NULL;
    mnp_status st;
    MNP_TRY(mnp__place_open(r->function, r->a, 0, NULL, &spread));
    spread.widest = MNP__CONDENSED_WIDTH;
    MNP_TRY_OR(mnp__place_spread(r->a, &spread), st, done);
    if (!spread.spread)
        goto done;
    MNP_TRY_OR(mnp__spread_eigh(&spread, r->a, r->dtype, r->upper, r->range, &values,
                                wants_vectors(r) ? &vectors : NULL, found_p),
               st, done);
    if (!*found_p)
        goto done;
    MNP_TRY_OR(mnp__dense_to_blocks(&spread, &vectors), st, done);
    st = mnp__dense_give_all(&spread, 2, r->results, (mnp_array *const[]){values, vectors.array});
done:
    mnp_array_free(values);
    mnp__dense_free(&vectors);
    mnp__place_close(&spread);
    return st;
}

/*
 * Give the part of the results that the range has: by value, as many as were found by the ranks that have the matrix,
 * at least by one of them.
 */
static mnp_status give_range(const request *r, const mnp__place *place, int64_t found, mnp_array *values,
                             mnp_array *vectors)
{
    mnp_array *views[2] = {NULL, NULL};
    char which[64];
    mnp_status st;
    if (r->range->by_value)
        MNP_TRY(mnp__all_reduce(&place->ctx->comm, &found, 1, MPI_INT64_T, MPI_MIN));
    snprintf(which, sizeof which, "..., :%" PRId64, found == INT64_MAX ? 0 : found);
    MNP_TRY_OR(mnp_index(values, which, &views[0]), st, done);
    if (vectors)
        MNP_TRY_OR(mnp_index(vectors, which, &views[1]), st, done);
    st = mnp__dense_give_all(place, 2, r->results, views);
done:
    mnp_free_all(views[1], views[0]);
    return st;
}

/* The matrices of each rank, by the device's LAPACK. */
static mnp_status find_own(const request *r, const mnp__place *place)
{
    const mnp__lapack_ops *lapack = r->a->ctx->device->ops->lapack;
    const mnp_dtype wide = mnp__linalg_complex(r->dtype);
    const bool some = r->range != NULL, apart = some || r->general; /* vectors do not take the place of the matrix */
    mnp__dense work = {.array = NULL}, vectors = {.array = NULL};
    mnp_array *info = NULL, *values = NULL;
    int64_t found = INT64_MAX;
    mnp_status st;
    MNP_TRY_OR(mnp__dense_read(place, r->a, r->dtype, &work), st, done);
    MNP_TRY_OR(mnp__vectors_new(place, r->general ? wide : mnp__linalg_real(r->dtype), work.n, &values), st, done);
    mnp__eigen_range range = some ? *r->range : (mnp__eigen_range){.by_value = false};
    const int64_t columns = some && !range.by_value ? range.last - range.first + 1 : work.n;
    range.count_p = &found;
    if (apart)
        MNP_TRY_OR(mnp__dense_new(place, r->general ? wide : r->dtype, wants_vectors(r) ? work.n : 0,
                                  wants_vectors(r) ? columns : 0, &vectors),
                   st, done);
    MNP_TRY_OR(mnp__info_new(place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.upper = r->upper;
    job.vectors = wants_vectors(r);
    job.range = &range;
    job.b = vectors.of;
    job.values = values->data;
    job.info = info->data;
    st = mnp__dense_run(place, some ? lapack->heevr : r->general ? lapack->geev : lapack->heevd, &job);
    MNP_TRY_OR(mnp__dense_report(place, info, MNP__VALUES_NOT_FOUND, st), st, done);
    if (some)
        st = give_range(r, place, range.by_value ? found : columns, values, vectors.array);
    else
        st =
            mnp__dense_give_all(place, 2, r->results, (mnp_array *const[]){values, apart ? vectors.array : work.array});
done:
    mnp_free_all(info, values);
    mnp__dense_free(&vectors);
    mnp__dense_free(&work);
    return st;
}

/* The largest magnitude of what is read of the matrices: of Hermitian ones a triangle.  NaN if one element is that. */
static mnp_status find_largest(const request *r, double *largest_p)
{
    mnp_array *triangle = NULL;
    if (!r->general)
        MNP_TRY(r->upper ? mnp_triu(r->a, 0, &triangle) : mnp_tril(r->a, 0, &triangle));
    const mnp_status st = mnp__linalg_largest(triangle ? triangle : r->a, largest_p);
    mnp_array_free(triangle);
    return st;
}

/*
 * Of a matrix that is not finite cuSOLVER gives some eigenvalues and reports nothing, or fails as if it were defective
 * itself.
 */
static mnp_status refuse_infinite(const request *r)
{
    double largest = 0;
    if (mnp_layout_size(r->a->layout) > 0)
        MNP_TRY(find_largest(r, &largest));
    return isfinite(largest)
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_LINALG,
                          "%s: the matrix has eigenvalues that were not found: not all of its elements are finite",
                          r->function);
}

static mnp_status find(request *r)
{
    mnp__place place;
    bool found = false;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__linalg_begin(r->function, r->a, true, 2, r->results, &r->dtype, &place));
    if (!r->general && mnp__rows(r->a) >= mnp__spread_worth(r->a->ctx, false))
        st = find_spread(r, &found);
    if (st == MNP_OK && !found && !r->a->ctx->device->cpu_memory)
        st = refuse_infinite(r);
    if (st == MNP_OK && !found)
        st = find_own(r, &place);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp__linalg_eigh(const char *function, const mnp_array *a, bool upper, const mnp__eigen_range *range,
                            mnp_array **w_p, mnp_array **v_p)
{
    request r = {.function = function,
                 .a = a,
                 .upper = upper,
                 .range = range,
                 .results = {{v_p ? "w" : NULL, w_p, MNP__AS_REAL, range ? NULL : "n"},
                             {"v", v_p, MNP__AS_COMPUTED, range ? NULL : "nn"}}};
    return find(&r);
}

static mnp_status find_general(const char *function, const mnp_array *a, mnp_array **w_p, mnp_array **v_p)
{
    request r = {.function = function,
                 .a = a,
                 .general = true,
                 .results = {{v_p ? "w" : NULL, w_p, MNP__AS_COMPLEX, "n"}, {"v", v_p, MNP__AS_COMPLEX, "nn"}}};
    return find(&r);
}

mnp_status mnp_eigh(const mnp_array *a, bool upper, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    MNP_IN_BLOCKS(a);
    return mnp__linalg_eigh("mnp_eigh", a, upper, NULL, w_p, v_p);
}

mnp_status mnp_eigvalsh(const mnp_array *a, bool upper, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    MNP_IN_BLOCKS(a);
    return mnp__linalg_eigh("mnp_eigvalsh", a, upper, NULL, w_p, NULL);
}

mnp_status mnp_eig(const mnp_array *a, mnp_array **w_p, mnp_array **v_p)
{
    MNP_ENTER(a, w_p, v_p);
    MNP_IN_BLOCKS(a);
    return find_general("mnp_eig", a, w_p, v_p);
}

mnp_status mnp_eigvals(const mnp_array *a, mnp_array **w_p)
{
    MNP_ENTER(a, w_p);
    MNP_IN_BLOCKS(a);
    return find_general("mnp_eigvals", a, w_p, NULL);
}
