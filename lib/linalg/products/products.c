/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The products of NumPy that are not plain products of matrices: each is one, of other views.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "linalg/products/linalg.h"

/* ---- vectors ---- */

/* x, or where it is complex its conjugate in an array that the caller releases. */
static mnp_status conjugate(const mnp_array *x, mnp_array **made_p)
{
    return mnp_dtype_kind(x->dtype) == 'c' ? mnp_conjugate(x, made_p) : MNP_OK;
}

/* A product whose first operand is conjugated. */
static mnp_status multiply_conjugate(const char *function, const mnp_array *a, const mnp_array *b, unsigned vectors,
                                     mnp_array **out_p)
{
    mnp_array *conjugated = NULL;
    mnp_dtype dtype;
    MNP_TRY(mnp__matmul_dtype(function, a, b, &dtype));
    mnp_status st = conjugate(a, &conjugated);
    if (st == MNP_OK)
        st = mnp__matmul(function, conjugated ? conjugated : a, b, vectors, out_p);
    mnp_array_free(conjugated);
    return st;
}

mnp_status mnp_vdot(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *flat_a = NULL, *flat_b = NULL;
    mnp_dtype dtype;
    MNP_TRY(mnp__matmul_dtype("mnp_vdot", a, b, &dtype));
    if (a->layout->size != b->layout->size)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_vdot: the operands have %" PRId64 " and %" PRId64 " elements",
                        a->layout->size, b->layout->size);
    mnp_status st = mnp_ravel(a, &flat_a);
    if (st == MNP_OK)
        st = mnp_ravel(b, &flat_b);
    if (st == MNP_OK)
        st = multiply_conjugate("mnp_vdot", flat_a, flat_b, MNP__VECTORS_LEFT | MNP__VECTORS_RIGHT, out_p);
    mnp_array_free(flat_a);
    mnp_array_free(flat_b);
    return st;
}

mnp_status mnp_vecdot(const mnp_array *a, const mnp_array *b, int axis, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *last_a = NULL, *last_b = NULL;
    mnp_dtype dtype;
    MNP_TRY(mnp__matmul_dtype("mnp_vecdot", a, b, &dtype));
    mnp_status st = mnp_moveaxis(a, axis, -1, &last_a);
    if (st == MNP_OK)
        st = mnp_moveaxis(b, axis, -1, &last_b);
    if (st == MNP_OK)
        st = multiply_conjugate("mnp_vecdot", last_a, last_b, MNP__VECTORS_LEFT | MNP__VECTORS_RIGHT, out_p);
    mnp_array_free(last_a);
    mnp_array_free(last_b);
    return st;
}

mnp_status mnp_matvec(const mnp_array *a, const mnp_array *x, mnp_array **out_p)
{
    MNP_ENTER(a, x, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(x);
    return mnp__matmul("mnp_matvec", a, x, MNP__VECTORS_RIGHT, out_p);
}

mnp_status mnp_vecmat(const mnp_array *x, const mnp_array *a, mnp_array **out_p)
{
    MNP_ENTER(x, a, out_p);
    MNP_IN_BLOCKS(x);
    MNP_IN_BLOCKS(a);
    return multiply_conjugate("mnp_vecmat", x, a, MNP__VECTORS_LEFT, out_p);
}

/* ---- tensors ---- */

/* The dimensions of an operand: those that are kept in their order, and those that are summed. */
typedef struct split_dims {
    int kept[MNP_MAX_DIMS], summed[MNP_MAX_DIMS], nkept, nsummed;
} split_dims;

static mnp_status split(const char *function, const mnp_array *x, int naxes, const int *axes, split_dims *dims)
{
    const int ndim = x->layout->ndim;
    unsigned seen = 0;
    *dims = (split_dims){.nsummed = naxes};
    for (int i = 0; i < naxes; i++) {
        MNP_TRY(mnp__view_axis(function, ndim, axes[i], &dims->summed[i]));
        if (seen >> dims->summed[i] & 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: axis %d is given twice", function, axes[i]);
        seen |= 1u << dims->summed[i];
    }
    for (int d = 0; d < ndim; d++)
        if (!(seen >> d & 1))
            dims->kept[dims->nkept++] = d;
    return MNP_OK;
}

/* x as a matrix: kept dimensions as rows and summed ones as columns, or the other way round. */
static mnp_status as_matrix(const mnp_array *x, const split_dims *dims, bool summed_last, mnp_array **matrix_p)
{
    int order[MNP_MAX_DIMS];
    int64_t shape[2], kept = 1, summed = 1;
    mnp_array *turned = NULL;
    for (int i = 0; i < dims->nkept; i++) {
        order[i + (summed_last ? 0 : dims->nsummed)] = dims->kept[i];
        kept *= x->layout->shape[dims->kept[i]];
    }
    for (int i = 0; i < dims->nsummed; i++) {
        order[i + (summed_last ? dims->nkept : 0)] = dims->summed[i];
        summed *= x->layout->shape[dims->summed[i]];
    }
    shape[0] = summed_last ? kept : summed;
    shape[1] = summed_last ? summed : kept;
    MNP_TRY(mnp_transpose(x, order, &turned));
    const mnp_status st = mnp_reshape(turned, 2, shape, matrix_p);
    mnp_array_free(turned);
    return st;
}

static mnp_status contract(const char *function, const mnp_array *a, const split_dims *da, const mnp_array *b,
                           const split_dims *db, mnp_array **out_p)
{
    mnp_array *left = NULL, *right = NULL, *product = NULL, *result = NULL;
    int64_t shape[2 * MNP_MAX_DIMS];
    int ndim = 0;
    for (int i = 0; i < da->nkept; i++)
        shape[ndim++] = a->layout->shape[da->kept[i]];
    for (int i = 0; i < db->nkept; i++)
        shape[ndim++] = b->layout->shape[db->kept[i]];
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result has %d dimensions, and an array has at most %d", function, ndim,
                        MNP_MAX_DIMS);
    mnp_status st;
    MNP_TRY_OR(as_matrix(a, da, true, &left), st, done);
    MNP_TRY_OR(as_matrix(b, db, false, &right), st, done);
    if (da->nkept == 1 && db->nkept == 1) {
        st = mnp__matmul(function, left, right, 0, out_p);
        goto done;
    }
    MNP_TRY_OR(mnp__matmul(function, left, right, 0, &product), st, done);
    MNP_TRY_OR(mnp_reshape(product, ndim, shape, &result), st, done);
    st = mnp__output_give(result, MNP_OK, out_p);
done:
    mnp_array_free(product);
    mnp_array_free(right);
    mnp_array_free(left);
    return st;
}

static mnp_status tensordot(const char *function, const mnp_array *a, const mnp_array *b, int naxes, const int *axes_a,
                            const int *axes_b, mnp_array **out_p)
{
    split_dims da, db;
    mnp_dtype dtype;
    MNP_TRY(mnp__matmul_dtype(function, a, b, &dtype));
    MNP_TRY(split(function, a, naxes, axes_a, &da));
    MNP_TRY(split(function, b, naxes, axes_b, &db));
    for (int i = 0; i < naxes; i++) {
        const int64_t na = a->layout->shape[da.summed[i]], nb = b->layout->shape[db.summed[i]];
        if (na != nb)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: axis %d of the first operand has %" PRId64 " elements, and axis %d of the second has "
                            "%" PRId64,
                            function, axes_a[i], na, axes_b[i], nb);
    }
    const mnp__output_spec spec = {.function = function, .ctx = a->ctx, .dtype = dtype};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    return contract(function, a, &da, b, &db, out_p);
}

mnp_status mnp_tensordot(const mnp_array *a, const mnp_array *b, int naxes, const int *axes_a, const int *axes_b,
                         mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    int last[MNP_MAX_DIMS], first[MNP_MAX_DIMS];
    if (naxes < 0 || naxes > a->layout->ndim || naxes > b->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_tensordot: %d axes of operands with %d and %d dimensions", naxes,
                        a->layout->ndim, b->layout->ndim);
    for (int i = 0; i < naxes; i++) {
        last[i] = i - naxes;
        first[i] = i;
    }
    return tensordot("mnp_tensordot", a, b, naxes, axes_a ? axes_a : last, axes_b ? axes_b : first, out_p);
}

/* ---- dot, inner, outer, kron ---- */

/* The element-wise product where an operand has no dimension: dot and inner take numbers too. */
static bool has_number(const mnp_array *a, const mnp_array *b)
{
    return a->layout->ndim == 0 || b->layout->ndim == 0;
}

mnp_status mnp_dot(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_dtype dtype;
    if (has_number(a, b))
        return mnp_multiply(a, b, out_p);
    MNP_TRY(mnp__matmul_dtype("mnp_dot", a, b, &dtype));
    if (b->layout->ndim <= 2 && (a->layout->ndim <= 2 || b->layout->ndim == 1))
        return mnp__matmul("mnp_dot", a, b, mnp__vectors_of(a, b), out_p);
    return tensordot("mnp_dot", a, b, 1, (const int[]){-1}, (const int[]){b->layout->ndim == 1 ? -1 : -2}, out_p);
}

mnp_status mnp_inner(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *turned = NULL;
    mnp_dtype dtype;
    if (has_number(a, b))
        return mnp_multiply(a, b, out_p);
    MNP_TRY(mnp__matmul_dtype("mnp_inner", a, b, &dtype));
    if (a->layout->ndim > 2 || b->layout->ndim > 2)
        return tensordot("mnp_inner", a, b, 1, (const int[]){-1}, (const int[]){-1}, out_p);
    MNP_TRY(mnp_transpose(b, NULL, &turned));
    const mnp_status st = mnp__matmul("mnp_inner", a, turned, mnp__vectors_of(a, b), out_p);
    mnp_array_free(turned);
    return st;
}

/* A vector as a column or a row. */
static mnp_status flat(const mnp_array *x, bool column, mnp_array **view_p)
{
    mnp_array *vector = NULL;
    MNP_TRY(mnp_ravel(x, &vector));
    const mnp_status st =
        column ? mnp_view(vector, view_p, MNP_ALL, MNP_NEWAXIS) : mnp_view(vector, view_p, MNP_NEWAXIS, MNP_ALL);
    mnp_array_free(vector);
    return st;
}

mnp_status mnp_outer(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *column = NULL, *row = NULL;
    mnp_dtype dtype;
    MNP_TRY(mnp__matmul_dtype("mnp_outer", a, b, &dtype));
    mnp_status st = flat(a, true, &column);
    if (st == MNP_OK)
        st = flat(b, false, &row);
    if (st == MNP_OK)
        st = mnp_multiply(column, row, out_p);
    mnp_array_free(row);
    mnp_array_free(column);
    return st;
}

/* A view in which every second dimension is new: those at even places are x's, or those at odd ones. */
static mnp_status spread_dims(const mnp_array *x, int ndim, bool even, mnp_array **view_p)
{
    mnp__view_dim dims[2 * MNP_MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        const int from = d - (ndim - x->layout->ndim);
        const mnp__view_dim missing = {.from = MNP__NEW_DIM, .extent = 1};
        const mnp__view_dim own = from < 0 ? missing : mnp__view_whole(x, from);
        dims[2 * d] = even ? own : missing;
        dims[2 * d + 1] = even ? missing : own;
    }
    return mnp__view_make(x, 2 * ndim, dims, NULL, view_p);
}

mnp_status mnp_kron(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp_array *outer = NULL, *inner = NULL, *products = NULL, *result = NULL;
    int64_t shape[MNP_MAX_DIMS];
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__matmul_dtype("mnp_kron", a, b, &dtype));
    const int ndim = a->layout->ndim > b->layout->ndim ? a->layout->ndim : b->layout->ndim;
    if (2 * ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_kron: an operand has %d dimensions; at most %d are possible", ndim,
                        MNP_MAX_DIMS / 2);
    const mnp__output_spec spec = {.function = "mnp_kron", .ctx = a->ctx, .dtype = dtype};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    for (int d = 0; d < ndim; d++) {
        const int da = d - (ndim - a->layout->ndim), db = d - (ndim - b->layout->ndim);
        shape[d] = (da < 0 ? 1 : a->layout->shape[da]) * (db < 0 ? 1 : b->layout->shape[db]);
    }
    MNP_TRY_OR(spread_dims(a, ndim, true, &outer), st, done);
    MNP_TRY_OR(spread_dims(b, ndim, false, &inner), st, done);
    MNP_TRY_OR(mnp_multiply(outer, inner, &products), st, done);
    MNP_TRY_OR(mnp_reshape(products, ndim, shape, &result), st, done);
    st = mnp__output_give(result, MNP_OK, out_p);
done:
    mnp_array_free(products);
    mnp_array_free(inner);
    mnp_array_free(outer);
    return st;
}

/* ---- powers and chains ---- */

/* The identity for every matrix of a stack, cut as it is. */
static mnp_status identity_like(const mnp_array *a, mnp_array **result_p)
{
    const mnp_layout *layout = a->layout;
    mnp_array *eye = NULL, *stack = NULL, *result = NULL;
    mnp_status st;
    MNP_TRY(mnp_identity(a->ctx, a->dtype, layout->shape[layout->ndim - 1], &eye));
    MNP_TRY_OR(mnp_broadcast_to(eye, layout->ndim, layout->shape, &stack), st, done);
    MNP_TRY_OR(mnp_array_new_order(a->ctx, a->dtype, layout, MNP_ORDER_C, &result), st, done);
    MNP_TRY_OR(mnp_copyto(result, stack, MNP_CASTING_SAME_KIND), st, done);
    *result_p = result;
    result = NULL;
done:
    mnp_array_free(result);
    mnp_array_free(stack);
    mnp_array_free(eye);
    return st;
}

/* x = x y, where x may be y, or NULL, which stands for one. */
static mnp_status multiply_by(mnp_array **x_p, const mnp_array *y)
{
    mnp_array *product = NULL;
    if (!*x_p)
        return mnp_copy(y, x_p);
    MNP_TRY(mnp__matmul("mnp_matrix_power", *x_p, y, 0, &product));
    mnp_array_free(*x_p);
    *x_p = product;
    return MNP_OK;
}

mnp_status mnp_matrix_power(const mnp_array *a, int64_t n, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    mnp_array *result = NULL, *square = NULL;
    mnp_dtype dtype;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__matmul_dtype("mnp_matrix_power", a, a, &dtype));
    const mnp_layout *layout = a->layout;
    if (layout->ndim < 2 || layout->shape[layout->ndim - 1] != layout->shape[layout->ndim - 2])
        return MNP_FAIL(MNP_ERR_ARG, "mnp_matrix_power: the last two dimensions are not those of a square matrix");
    if (n < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_matrix_power: the power is %" PRId64 "; take a power of the inverse", n);
    const mnp__output_spec spec = {.function = "mnp_matrix_power", .ctx = a->ctx, .dtype = dtype};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    if (n == 0)
        st = identity_like(a, &result);
    for (int64_t left = n; left > 0 && st == MNP_OK; left /= 2) {
        if (left == n)
            st = mnp_copy(a, &square);
        else
            st = multiply_by(&square, square);
        if (st == MNP_OK && left % 2 == 1)
            st = multiply_by(&result, square);
    }
    mnp_array_free(square);
    return mnp__output_give(result, st, out_p);
}

enum { MOST_FACTORS = 64 };

/* The order with the fewest operations: split[i][j] is where the product of factors i to j is divided. */
static void find_order(int count, const int64_t *extents, int (*split)[MOST_FACTORS])
{
    double cost[MOST_FACTORS][MOST_FACTORS] = {{0}};
    for (int length = 2; length <= count; length++)
        for (int i = 0; i + length <= count; i++) {
            const int j = i + length - 1;
            cost[i][j] = -1;
            for (int s = i; s < j; s++) {
                const double found =
                    cost[i][s] + cost[s + 1][j] + (double)extents[i] * (double)extents[s + 1] * (double)extents[j + 1];
                if (cost[i][j] < 0 || found < cost[i][j]) {
                    cost[i][j] = found;
                    split[i][j] = s;
                }
            }
        }
}

static mnp_status multiply_chain(const mnp_array *const *factors, int (*split)[MOST_FACTORS], int i, int j,
                                 mnp_array **out_p)
{
    mnp_array *left = NULL, *right = NULL;
    const int s = split[i][j];
    mnp_status st = s > i ? multiply_chain(factors, split, i, s, &left) : MNP_OK;
    if (st == MNP_OK && s + 1 < j)
        st = multiply_chain(factors, split, s + 1, j, &right);
    const mnp_array *a = left ? left : factors[i], *b = right ? right : factors[j];
    if (st == MNP_OK)
        st = mnp__matmul("mnp_multi_dot", a, b, mnp__vectors_of(a, b), out_p);
    mnp_array_free(right);
    mnp_array_free(left);
    return st;
}

static mnp_status check_chain(const mnp_array *const *arrays, int count, int64_t *extents)
{
    MNP_TRY(mnp__inputs_check("mnp_multi_dot", count, arrays));
    for (int i = 0; i < count; i++) {
        const mnp_layout *layout = arrays[i]->layout;
        const bool end = i == 0 || i == count - 1;
        if (layout->ndim != 2 && !(end && layout->ndim == 1))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_multi_dot: array %d has %d dimensions", i, layout->ndim);
        const int64_t rows = layout->ndim == 1 && i == 0 ? 1 : layout->shape[0];
        const int64_t columns = layout->ndim == 1 ? (i == 0 ? layout->shape[0] : 1) : layout->shape[1];
        if (i > 0 && rows != extents[i])
            return MNP_FAIL(MNP_ERR_ARG,
                            "mnp_multi_dot: array %d has %" PRId64 " columns, and array %d has %" PRId64 " rows", i - 1,
                            extents[i], i, rows);
        extents[i] = rows;
        extents[i + 1] = columns;
    }
    return MNP_OK;
}

mnp_status mnp_multi_dot(const mnp_array *const *arrays, int count, mnp_array **out_p)
{
    MNP_ENTER(out_p);
    MNP_NEED_ALL(count, arrays);
    MNP_ALL_IN_BLOCKS(count, arrays);
    int64_t extents[MOST_FACTORS + 1];
    int split[MOST_FACTORS][MOST_FACTORS];
    if (count < 2 || count > MOST_FACTORS)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_multi_dot: there are %d arrays, outside 2..%d", count, MOST_FACTORS);
    MNP_TRY(check_chain(arrays, count, extents));
    find_order(count, extents, split);
    return multiply_chain(arrays, split, 0, count - 1, out_p);
}
