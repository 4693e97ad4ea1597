/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the blocks of a product come together: which rank multiplies what, chosen by a model of the cost.
 *
 * The ranks form a mesh, and each of its axes cuts one of the dimensions of the product, the rows m, the columns n, the
 * summed k or one of the batch, or makes replicas.  So a rank has a box (batch, m, n, k): it needs the part of A that
 * belongs to it, and the part of B, and has then a partial sum of C.  The methods of the literature are such choices:
 *
 *   stationary A       the mesh and the cuts of A; B comes, and partial sums of C go
 *   stationary B       the same with B
 *   stationary C       the mesh and the cuts of C; of a mesh with two axes this is SUMMA without panels (R. van de
 *                      Geijn and J. Watts, 1997)
 *   one operand whole  m or n cut over all ranks: all of the other operand is gathered
 *   k in parts         k cut over all ranks: only partial sums move
 *   a new mesh         any two dimensions
 *
 * The cost of a way is that of the rank for which it is the largest: bytes that come to it, operations at so many for a
 * byte, and something for each array that moves at all.  A sum over parts goes to the rank that wants it, which adds
 * up; that moves as much as a reduce-scatter.
 */
#include <string.h>

#include "base/integer.h"
#include "linalg/products/linalg.h"

/*
 * What a byte from another rank costs, in operations: of GPUs about 60 TFLOP/s beside 400 GB/s, of a core about 50
 * GFLOP/s beside 5 GB/s; float32 is twice as fast.  What it costs that an array moves, in bytes.
 */
static const double operations_per_byte = 30, bytes_per_move = 1 << 16;

/* ---- layouts of a way ---- */

/* How each dimension of the product is cut, all on the mesh of `mesh`. */
typedef struct cut_product {
    const char *method;
    const mnp_layout *mesh;
    mnp__layout_dim batch[MNP_MAX_DIMS], m, n, k;
} cut_product;

static bool is_cut(const mnp_layout *layout, int dim)
{
    return layout->axes[dim] != MNP_NO_AXIS && layout->mesh[layout->axes[dim]] > 1;
}

/* Dimension d of the batch in an operand, or -1 if it is missing or broadcast. */
static int batch_dim(const mnp__product *p, const mnp_layout *layout, int d)
{
    const int dim = d - (p->nbatch - (layout->ndim - 2));
    return dim >= 0 && layout->shape[dim] == p->batch[d] ? dim : -1;
}

static mnp_status derive_operand(const mnp__product *p, const cut_product *cut, const mnp_layout *own,
                                 const mnp__layout_dim *rows, const mnp__layout_dim *columns, mnp_layout **layout_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < own->ndim - 2; d++)
        dims[d] = mnp__layout_dim_whole(own->shape[d]);
    for (int d = 0; d < p->nbatch; d++)
        if (batch_dim(p, own, d) >= 0)
            dims[batch_dim(p, own, d)] = cut->batch[d];
    dims[own->ndim - 2] = *rows;
    dims[own->ndim - 1] = *columns;
    return mnp__layout_derive(cut->mesh, own->ndim, dims, layout_p);
}

static mnp_status derive_result(const mnp__product *p, const cut_product *cut, mnp__way *way)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    int ndim = 0;
    if (way->parts > 1)
        dims[ndim++] = (mnp__layout_dim){.extent = way->parts, .axis = cut->k.axis};
    for (int d = 0; d < p->nbatch; d++)
        dims[ndim++] = cut->batch[d];
    dims[ndim++] = cut->m;
    dims[ndim++] = cut->n;
    return mnp__layout_derive(cut->mesh, ndim, dims, &way->c);
}

void mnp__way_free(mnp__way *way)
{
    mnp_layout_free(way->a);
    mnp_layout_free(way->b);
    mnp_layout_free(way->c);
    memset(way, 0, sizeof *way);
}

static mnp_status make(const mnp__product *p, const cut_product *cut, mnp__way *way)
{
    mnp_status st;
    *way = (mnp__way){.method = cut->method, .parts = cut->k.axis == MNP_NO_AXIS ? 1 : cut->mesh->mesh[cut->k.axis]};
    MNP_TRY_OR(derive_operand(p, cut, p->a, &cut->m, &cut->k, &way->a), st, fail);
    MNP_TRY_OR(derive_operand(p, cut, p->b, &cut->k, &cut->n, &way->b), st, fail);
    MNP_TRY_OR(derive_result(p, cut, way), st, fail);
    return MNP_OK;
fail:
    mnp__way_free(way);
    return st;
}

/* ---- costs ---- */

/* The elements of a box, and those that it shares with another one. */
static int64_t size_of(int ndim, const int64_t *extent)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= extent[d];
    return size;
}

static int64_t shared(int ndim, const int64_t *lo, const int64_t *extent, const int64_t *other_lo,
                      const int64_t *other_extent)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) {
        const int64_t first = mnp__max(lo[d], other_lo[d]);
        const int64_t end = lo[d] + extent[d], other_end = other_lo[d] + other_extent[d];
        const int64_t count = mnp__min(end, other_end) - first;
        size *= mnp__max(count, 0);
    }
    return size;
}

int64_t mnp__way_missing(const mnp_layout *own, const mnp_layout *needed, int rank)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], own_lo[MNP_MAX_DIMS], own_extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(needed, rank, lo, extent))
        return 0;
    const int64_t size = size_of(needed->ndim, extent);
    if (!mnp__layout_box(own, rank, own_lo, own_extent))
        return size;
    return size - shared(needed->ndim, lo, extent, own_lo, own_extent);
}

/* The elements of partial sums that a rank receives; the first dimension of the sums counts the parts. */
int64_t mnp__way_missing_sums(const mnp__way *way, const mnp_layout *result, int rank)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], own_lo[MNP_MAX_DIMS], own_extent[MNP_MAX_DIMS];
    if (way->parts == 1)
        return mnp__way_missing(way->c, result, rank);
    if (!mnp__layout_box(result, rank, lo, extent))
        return 0;
    const int64_t size = way->parts * size_of(result->ndim, extent);
    if (!mnp__layout_box(way->c, rank, own_lo, own_extent))
        return size;
    return size - shared(result->ndim, lo, extent, own_lo + 1, own_extent + 1);
}

/* Twice the products that a rank adds up. */
static double operations(const mnp__product *p, const mnp__way *way, int rank)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(way->c, rank, lo, extent))
        return 0;
    const double outputs = (double)size_of(way->c->ndim, extent);
    if (!mnp__layout_box(way->a, rank, lo, extent))
        return 0;
    return 2 * outputs * (double)extent[p->a->ndim - 1];
}

static void evaluate(const mnp__product *p, mnp__way *way)
{
    int64_t a_most = 0, b_most = 0, c_most = 0;
    double most = 0;
    for (int rank = 0; rank < p->a->nranks; rank++) {
        const int64_t a = mnp__way_missing(p->a, way->a, rank), b = mnp__way_missing(p->b, way->b, rank);
        const int64_t c = mnp__way_missing_sums(way, p->c, rank);
        const double rate = operations_per_byte * (p->is_double ? 1 : 2);
        const double cost = (double)((a + b) * p->size + c * p->result_size) + operations(p, way, rank) / rate;
        a_most = mnp__max(a, a_most);
        b_most = mnp__max(b, b_most);
        c_most = mnp__max(c, c_most);
        most = cost > most ? cost : most;
    }
    way->moves_a = a_most > 0;
    way->moves_b = b_most > 0;
    way->moves_c = c_most > 0;
    way->cost = most + bytes_per_move * ((a_most > 0) + (b_most > 0) + (c_most > 0));
}

/* ---- the choice ---- */

/* Evaluate one way, and keep it if it is better than the best so far. */
static mnp_status consider(const mnp__product *p, const cut_product *cut, mnp__way *best)
{
    mnp__way way;
    if (cut->k.axis != MNP_NO_AXIS && p->nbatch + 3 > MNP_MAX_DIMS)
        return MNP_OK; /* there is no room for the parts */
    MNP_TRY(make(p, cut, &way));
    evaluate(p, &way);
    if (!best->method || way.cost < best->cost) {
        mnp__way_free(best);
        *best = way;
    } else {
        mnp__way_free(&way);
    }
    return MNP_OK;
}

static cut_product whole(const mnp__product *p, const mnp_layout *mesh, const char *method)
{
    cut_product cut = {.method = method, .mesh = mesh};
    for (int d = 0; d < p->nbatch; d++)
        cut.batch[d] = mnp__layout_dim_whole(p->batch[d]);
    cut.m = mnp__layout_dim_whole(p->m);
    cut.n = mnp__layout_dim_whole(p->n);
    cut.k = mnp__layout_dim_whole(p->k);
    return cut;
}

/* The dimensions of an operand as it is cut; false: no axis of its mesh is left, otherwise *free_p is one. */
static bool as_cut(const mnp__product *p, const mnp_layout *layout, mnp__layout_dim *rows, mnp__layout_dim *columns,
                   cut_product *cut, int *free_p)
{
    unsigned used = 0;
    for (int d = 0; d < layout->ndim; d++)
        if (layout->axes[d] != MNP_NO_AXIS)
            used |= 1u << layout->axes[d];
    for (int d = 0; d < p->nbatch; d++)
        if (batch_dim(p, layout, d) >= 0)
            cut->batch[d] = mnp__layout_dim_of(layout, batch_dim(p, layout, d));
    *rows = mnp__layout_dim_of(layout, layout->ndim - 2);
    *columns = mnp__layout_dim_of(layout, layout->ndim - 1);
    for (int axis = 0; axis < layout->mesh_ndim; axis++)
        if (!(used >> axis & 1) && layout->mesh[axis] > 1 && layout->pin[axis] == MNP__REPLICAS) {
            *free_p = axis;
            return true;
        }
    return false;
}

/* The layouts that are there: without the axis that is left, and with it along the dimension that the array has not. */
static mnp_status consider_own(const mnp__product *p, mnp__way *best)
{
    int axis = MNP_NO_AXIS;
    cut_product cut = whole(p, p->c, "stationary C");
    const bool c_left = as_cut(p, p->c, &cut.m, &cut.n, &cut, &axis);
    MNP_TRY(consider(p, &cut, best));
    if (c_left) {
        cut.k.axis = axis;
        MNP_TRY(consider(p, &cut, best));
    }
    cut = whole(p, p->a, "stationary A");
    const bool a_left = as_cut(p, p->a, &cut.m, &cut.k, &cut, &axis);
    MNP_TRY(consider(p, &cut, best));
    if (a_left) {
        cut.n.axis = axis;
        MNP_TRY(consider(p, &cut, best));
    }
    cut = whole(p, p->b, "stationary B");
    const bool b_left = as_cut(p, p->b, &cut.k, &cut.n, &cut, &axis);
    MNP_TRY(consider(p, &cut, best));
    if (b_left) {
        cut.m.axis = axis;
        MNP_TRY(consider(p, &cut, best));
    }
    return MNP_OK;
}

/* Dimensions of the product by number: m, n, k, and the longest of the batch. */
enum { DIM_M, DIM_N, DIM_K, DIM_BATCH, DIMS };

static mnp__layout_dim *dim_of(cut_product *cut, int dim, int longest)
{
    return dim == DIM_M ? &cut->m : dim == DIM_N ? &cut->n : dim == DIM_K ? &cut->k : &cut->batch[longest];
}

/* New meshes of two axes, of which the first may have one rank. */
static mnp_status consider_new(const mnp__product *p, mnp__way *best)
{
    static const char *const methods[] = {"A's rows, all of B", "B's columns, all of A", "k in parts",
                                          "the batch in parts"};
    const int nranks = p->a->nranks;
    int longest = 0;
    for (int d = 1; d < p->nbatch; d++)
        if (p->batch[d] > p->batch[longest])
            longest = d;
    const int dims = p->nbatch > 0 ? DIMS : DIM_BATCH;
    for (int first = 1; first < nranks; first++) {
        const int mesh[2] = {first, nranks / first};
        mnp_layout *layout;
        mnp_status st = MNP_OK;
        if (nranks % first != 0)
            continue;
        MNP_TRY(mnp_layout_new(2, mesh, 0, NULL, NULL, NULL, &layout));
        for (int pair = 0; pair < dims * dims && st == MNP_OK; pair++) {
            const int one = pair / dims, other = pair % dims;
            cut_product cut = whole(p, layout, first == 1 ? methods[other] : "a mesh");
            if (one == other || (first == 1 && one != (other + 1) % dims))
                continue;
            dim_of(&cut, one, longest)->axis = first == 1 ? MNP_NO_AXIS : 0;
            dim_of(&cut, other, longest)->axis = 1;
            st = consider(p, &cut, best);
        }
        mnp_layout_free(layout);
        MNP_TRY(st);
    }
    return MNP_OK;
}

mnp_status mnp__way_find(const mnp__product *p, mnp__way *way)
{
    mnp__way best = {NULL};
    mnp_status st = consider_own(p, &best);
    const double all = 2.0 * (double)p->c->size * (double)p->k / operations_per_byte / (p->is_double ? 1 : 2);
    const bool ideal =
        st == MNP_OK && !best.moves_a && !best.moves_b && !best.moves_c && best.cost <= 1.1 * all / p->a->nranks;
    if (st == MNP_OK && !ideal)
        st = consider_new(p, &best);
    if (st == MNP_OK)
        *way = best;
    else
        mnp__way_free(&best);
    return st;
}

/* ---- the layout of a new result ---- */

static bool same_mesh(const mnp_layout *a, const mnp_layout *b)
{
    const size_t bytes = (size_t)a->mesh_ndim * sizeof *a->mesh;
    return a->mesh_ndim == b->mesh_ndim && memcmp(a->mesh, b->mesh, bytes) == 0 && memcmp(a->pin, b->pin, bytes) == 0;
}

/* Cut a dimension as one of an operand is, if its axis is still free. */
static void take(const mnp_layout *layout, int dim, unsigned *used, mnp__layout_dim *to)
{
    const int axis = dim < 0 ? MNP_NO_AXIS : layout->axes[dim];
    if (axis == MNP_NO_AXIS || *used >> axis & 1)
        return;
    *used |= 1u << axis;
    *to = mnp__layout_dim_of(layout, dim);
}

mnp_status mnp__way_result(const mnp__product *p, mnp_layout **layout_p)
{
    const int rows = p->a->ndim - 2, columns = p->b->ndim - 1;
    bool a_cut = is_cut(p->a, rows), b_cut = is_cut(p->b, columns);
    for (int d = 0; d < p->nbatch; d++) {
        a_cut |= batch_dim(p, p->a, d) >= 0 && is_cut(p->a, batch_dim(p, p->a, d));
        b_cut |= batch_dim(p, p->b, d) >= 0 && is_cut(p->b, batch_dim(p, p->b, d));
    }
    const mnp_layout *mesh = a_cut || !b_cut ? p->a : p->b, *other = mesh == p->a ? p->b : p->a;
    const bool both = same_mesh(p->a, p->b);
    cut_product cut = whole(p, mesh, NULL);
    unsigned used = 0;
    for (int d = 0; d < p->nbatch; d++)
        take(mesh, batch_dim(p, mesh, d), &used, &cut.batch[d]);
    for (int d = 0; d < p->nbatch && both; d++)
        if (cut.batch[d].axis == MNP_NO_AXIS)
            take(other, batch_dim(p, other, d), &used, &cut.batch[d]);
    if (both || mesh == p->a)
        take(p->a, rows, &used, &cut.m);
    if (both || mesh == p->b)
        take(p->b, columns, &used, &cut.n);
    const int k_axis = mesh->axes[mesh == p->a ? rows + 1 : columns - 1];
    if (!a_cut && !b_cut && k_axis != MNP_NO_AXIS && !(used >> k_axis & 1)) {
        if (p->m > 1)
            cut.m = (mnp__layout_dim){.extent = p->m, .axis = k_axis};
        else if (p->n > 1)
            cut.n = (mnp__layout_dim){.extent = p->n, .axis = k_axis};
    }
    mnp__way way = {.parts = 1};
    MNP_TRY(derive_result(p, &cut, &way));
    *layout_p = way.c;
    return MNP_OK;
}
