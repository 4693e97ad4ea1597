/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The factorisation of Bunch and Kaufman (Some stable methods for calculating inertia and solving symmetric linear
 * systems, 1977), in the form of scipy.linalg.ldl.
 *
 * LAPACK's sytrf and hetrf leave A = P1 L1 P2 L2 ... D (P1 L1 P2 L2 ...)^H in one triangle, where each Pi interchanges
 * two rows and each Li has the multipliers of one or two columns.  The CPU puts the outer factor together from them:
 * its columns are the multipliers, whose rows are interchanged as the blocks before theirs were.
 *
 * Cost for n x n: n^3 / 3 operations, and n^2 for putting together.
 */
#include <stdlib.h>
#include <string.h>

#include <maniple/decompositions.h>

#include "array/input.h"
#include "linalg/cpu/on_cpu.h"

/* One matrix on the CPU, n x n numbers in column-major order, of so many bytes each. */
typedef struct shape {
    int64_t n;
    size_t element;
    bool upper, conjugates; /* which triangle LAPACK has used; whether the matrix is complex and Hermitian */
    bool is_double;
} shape;

static inline char *at(const shape *s, char *matrix, int64_t row, int64_t column)
{
    return matrix + (size_t)(column * s->n + row) * s->element;
}

/* Negate an imaginary part, or set it to 0. */
static void change_imaginary(const shape *s, char *number, bool negate)
{
    char *part = number + s->element / 2;
    double d;
    float f;
    if (s->is_double) {
        memcpy(&d, part, sizeof d);
        d = negate ? -d : 0;
        memcpy(part, &d, sizeof d);
    } else {
        memcpy(&f, part, sizeof f);
        f = negate ? -f : 0;
        memcpy(part, &f, sizeof f);
    }
}

static void set_one(const shape *s, char *number)
{
    const double d = 1;
    const float f = 1;
    memcpy(number, s->is_double ? (const void *)&d : &f, s->is_double ? sizeof d : sizeof f);
}

/* The columns of one block of D, k and with `two` k + 1: its multipliers to `outer`, and the block itself to d. */
static void copy_block(const shape *s, char *a, int64_t k, bool two, char *outer, char *d)
{
    const int64_t end = k + (two ? 2 : 1), first = s->upper ? 0 : end, count = s->upper ? k : s->n - end;
    for (int64_t c = k; c < end; c++) {
        memcpy(at(s, outer, first, c), at(s, a, first, c), (size_t)count * s->element);
        set_one(s, at(s, outer, c, c));
        memcpy(at(s, d, c, c), at(s, a, c, c), s->element);
        if (s->conjugates)
            change_imaginary(s, at(s, d, c, c), false);
    }
    if (!two)
        return;
    const int64_t row = s->upper ? k : k + 1, column = s->upper ? k + 1 : k;
    memcpy(at(s, d, row, column), at(s, a, row, column), s->element);
    memcpy(at(s, d, column, row), at(s, a, row, column), s->element);
    if (s->conjugates)
        change_imaginary(s, at(s, d, column, row), true);
}

/* Interchange two rows of columns [first, end) of the outer factor, and in the list of what is where. */
static void interchange(const shape *s, char *outer, int64_t row, int64_t other, int64_t first, int64_t end,
                        int64_t *from)
{
    char kept[2 * sizeof(double)];
    const int64_t moved = from[row];
    if (row == other)
        return;
    from[row] = from[other];
    from[other] = moved;
    for (int64_t c = first; c < end; c++) {
        memcpy(kept, at(s, outer, row, c), s->element);
        memcpy(at(s, outer, row, c), at(s, outer, other, c), s->element);
        memcpy(at(s, outer, other, c), kept, s->element);
    }
}

/*
 * The outer factor, D and the permutation of one matrix from LAPACK's result; `from` has room for n.  Pivots are
 * counted from 1, and negative for both columns of a block of 2 x 2, whose row away from the diagonal was interchanged.
 */
static void put_together(const shape *s, char *a, const int32_t *pivots, char *outer, char *d, int64_t *permutation,
                         int64_t *from)
{
    const int64_t n = s->n;
    memset(outer, 0, (size_t)(n * n) * s->element);
    memset(d, 0, (size_t)(n * n) * s->element);
    for (int64_t i = 0; i < n; i++)
        from[i] = i;
    for (int64_t k = 0; k < n; k += pivots[k] < 0 ? 2 : 1)
        copy_block(s, a, k, pivots[k] < 0, outer, d);
    if (s->upper) {
        for (int64_t k = 0; k < n; k += pivots[k] < 0 ? 2 : 1)
            interchange(s, outer, k, llabs(pivots[k]) - 1, 0, pivots[k] < 0 ? k + 2 : k + 1, from);
    } else {
        for (int64_t k = n - 1; k >= 0; k -= pivots[k] < 0 ? 2 : 1)
            interchange(s, outer, k, llabs(pivots[k]) - 1, pivots[k] < 0 ? k - 1 : k, n, from);
    }
    for (int64_t i = 0; i < n; i++)
        permutation[from[i]] = i;
}

enum { FACTORED, OUTER, D, PIVOTS, PERMUTATION, INFO, NUM_ARRAYS };

/* Factor this rank's matrices, on the CPU unless the device can, and put the results together there. */
static mnp_status factor(const mnp__place *place, mnp__lapack_job *job, mnp_array *const *arrays)
{
    mnp__device *device = place->ctx->device;
    const mnp__lapack_ops *lapack = device->ops->lapack;
    const bool is_host = lapack == &mnp__host_lapack, is_complex = mnp_dtype_kind(job->dtype) == 'c',
               on_cpu = is_host || (is_complex && !job->symmetric);
    const shape s = {.n = job->n,
                     .element = mnp_dtype_size(job->dtype),
                     .upper = job->upper,
                     .conjugates = is_complex && !job->symmetric,
                     .is_double = mnp__linalg_real(job->dtype) == MNP_FLOAT64};
    void *data[NUM_ARRAYS] = {NULL};
    int64_t *from = NULL;
    mnp_status st = MNP_OK;
    if (job->batch == 0 || job->n == 0)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(device, "factoring a matrix"));
    if (!on_cpu)
        MNP_TRY(lapack->hetrf(device, job, place->ctx->compute));
    for (int i = 0; i < NUM_ARRAYS && st == MNP_OK; i++)
        st = mnp__on_cpu_open(arrays[i], &data[i]);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)job->n * sizeof *from, &from);
    job->a.data = data[FACTORED];
    job->pivots = data[PIVOTS];
    job->info = data[INFO];
    if (st == MNP_OK && on_cpu)
        st = mnp__host_lapack.hetrf(is_host ? device : NULL, job, NULL);
    for (int64_t b = 0; st == MNP_OK && b < job->batch; b++) {
        const size_t matrix = (size_t)(b * job->n * job->n) * s.element;
        put_together(&s, (char *)data[FACTORED] + matrix, job->pivots + b * job->n, (char *)data[OUTER] + matrix,
                     (char *)data[D] + matrix, (int64_t *)data[PERMUTATION] + b * job->n, from);
    }
    for (int i = 0; i < NUM_ARRAYS; i++) {
        const mnp_status closed =
            mnp__on_cpu_close(arrays[i], data[i], st == MNP_OK && (i == OUTER || i == D || i == PERMUTATION));
        st = st == MNP_OK ? closed : st;
    }
    free(from);
    return st;
}

mnp_status mnp_ldl(const mnp_array *a, bool lower, bool hermitian, mnp_array **lu_p, mnp_array **d_p,
                   mnp_array **perm_p)
{
    static const char function[] = "mnp_ldl";
    MNP_ENTER(a, lu_p, d_p, perm_p);
    MNP_IN_BLOCKS(a);
    const mnp__result results[] = {
        {"lu", lu_p, MNP__AS_COMPUTED, "nn"}, {"d", d_p, MNP__AS_COMPUTED, "nn"}, {"perm", perm_p, MNP__AS_INT64, "n"}};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense work = {.array = NULL}, outer = {.array = NULL}, d = {.array = NULL};
    mnp_array *pivots = NULL, *permutation = NULL, *info = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(function, a, true, 3, results, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(function)), st, done);
    MNP_TRY_OR(mnp__dense_read(&place, a, dtype, &work), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, work.n, work.n, &outer), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, dtype, work.n, work.n, &d), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, MNP_INT32, work.n, &pivots), st, done);
    MNP_TRY_OR(mnp__vectors_new(&place, MNP_INT64, work.n, &permutation), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    mnp__lapack_job job = mnp__dense_job(&work);
    job.upper = !lower;
    job.symmetric = !hermitian;
    job.pivots = pivots->data;
    job.info = info->data;
    MNP_TRY_OR(MNP_AGREE(a->ctx, factor(&place, &job,
                                        (mnp_array *const[]){[FACTORED] = work.array,
                                                             [OUTER] = outer.array,
                                                             [D] = d.array,
                                                             [PIVOTS] = pivots,
                                                             [PERMUTATION] = permutation,
                                                             [INFO] = info})),
               st, done);
    st = mnp__dense_give_all(&place, 3, results, (mnp_array *const[]){outer.array, d.array, permutation});
done:
    mnp_free_all(info, permutation, pivots);
    mnp__dense_free(&d);
    mnp__dense_free(&outer);
    mnp__dense_free(&work);
    mnp__place_close(&place);
    return st;
}
