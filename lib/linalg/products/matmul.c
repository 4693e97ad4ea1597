/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_matmul: shapes and dtypes, the operands where they are needed, the product of the blocks, and the sum of partial
 * results.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/move/pieces.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "linalg/products/linalg.h"

/* ---- precision ---- */

static mnp_matmul_precision precision_of(const mnp_ctx *ctx)
{
    const mnp_matmul_precision *kept = ctx->attached[MNP__ATTACHED_PRODUCTS].data;
    return kept ? *kept : (mnp_matmul_precision)ctx->config.matmul_precision;
}

static void free_precision(mnp_ctx *ctx, void *data)
{
    (void)ctx;
    free(data);
}

mnp_status mnp_matmul_set_precision(mnp_ctx *ctx, mnp_matmul_precision precision)
{
    MNP_ENTER(ctx);
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_PRODUCTS];
    if (precision < MNP_MATMUL_PLAIN || precision > MNP_MATMUL_EMULATED)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_matmul_set_precision: %d is no precision", (int)precision);
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_matmul_set_precision", (uint64_t)precision));
    mnp_matmul_precision *kept = attached->data;
    if (!kept) {
        const mnp_status st = MNP_AGREE(ctx, mnp__malloc(sizeof *kept, &kept));
        if (st != MNP_OK) {
            free(kept);
            return st;
        }
        *attached = (mnp__attachment){.data = kept, .free = free_precision};
    }
    *kept = precision;
    return MNP_OK;
}

/* ---- the problem ---- */

/* A call: its operands and its result as stacks of matrices. */
typedef struct matmul_call {
    const char *function;
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_matmul_precision precision;
    mnp_array *a, *b; /* views of the operands */
    bool row, column; /* a is a stack of vectors; b is */
    mnp__product product;
    mnp_layout *c; /* of a new result, with rows and columns in any case */
} matmul_call;

mnp_status mnp__matmul_dtype(const char *function, const mnp_array *a, const mnp_array *b, mnp_dtype *dtype_p)
{
    const mnp_array *const operands[] = {a, b};
    MNP_TRY(mnp__inputs_check(function, 2, operands));
    return mnp_result_type(2, operands, dtype_p);
}

/* A view with a new dimension of extent 1 at a place, or all of x if that is negative. */
static mnp_status view_with(const mnp_array *x, int place, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS + 1];
    int ndim = 0;
    for (int d = 0; d <= x->layout->ndim; d++) {
        if (d == place)
            dims[ndim++] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
        if (d < x->layout->ndim)
            dims[ndim++] = mnp__view_whole(x, d);
    }
    return mnp__view_make(x, ndim, dims, NULL, view_p);
}

static mnp_status refuse_shapes(const matmul_call *c, const mnp_array *a, const mnp_array *b, const char *why)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, a->layout->ndim, a->layout->shape);
    mnp__text_add(&text, " and ");
    mnp__text_add_shape(&text, b->layout->ndim, b->layout->shape);
    const mnp_status st =
        MNP_FAIL(MNP_ERR_ARG, "%s: the operands have the shapes %s: %s", c->function, mnp__text_string(&text), why);
    mnp__text_free(&text);
    return st;
}

static mnp_status find_batch(matmul_call *c, const mnp_array *a, const mnp_array *b)
{
    const mnp_layout *la = c->a->layout, *lb = c->b->layout;
    mnp__product *p = &c->product;
    p->nbatch = (la->ndim > lb->ndim ? la->ndim : lb->ndim) - 2;
    for (int d = 0; d < p->nbatch; d++) {
        const int da = d - (p->nbatch - (la->ndim - 2)), db = d - (p->nbatch - (lb->ndim - 2));
        const int64_t na = da < 0 ? 1 : la->shape[da], nb = db < 0 ? 1 : lb->shape[db];
        if (na != nb && na != 1 && nb != 1)
            return refuse_shapes(c, a, b, "the dimensions before rows and columns do not fit");
        p->batch[d] = na == 1 ? nb : na;
    }
    return MNP_OK;
}

static void close_call(matmul_call *c)
{
    mnp_layout_free(c->c);
    mnp_array_free(c->a);
    mnp_array_free(c->b);
}

unsigned mnp__vectors_of(const mnp_array *a, const mnp_array *b)
{
    return (a->layout->ndim == 1 ? MNP__VECTORS_LEFT : 0) | (b->layout->ndim == 1 ? MNP__VECTORS_RIGHT : 0);
}

/* MNP_ERR_ARG if an operand has too few dimensions for what it is to be, or too many for one more. */
static mnp_status check_dims(const matmul_call *c, int number, const mnp_array *x, bool vectors)
{
    const int ndim = x->layout->ndim;
    if (ndim < (vectors ? 1 : 2))
        return MNP_FAIL(MNP_ERR_ARG, "%s: operand %d has %s", c->function, number,
                        ndim == 0 ? "no dimension" : "one dimension, and is to have two");
    if (vectors && ndim == MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: operand %d has %d dimensions; a stack of vectors has at most %d", c->function,
                        number, ndim, MNP_MAX_DIMS - 1);
    return MNP_OK;
}

/* A product with a vector takes as long as to read the matrix, which is not to be read more often. */
static mnp_matmul_precision call_precision(const matmul_call *c)
{
    const mnp_matmul_precision precision = precision_of(c->ctx);
    const bool can = mnp__emulated_moduli(c->dtype) > 0 && c->product.m > 1 && c->product.n > 1;
    return precision == MNP_MATMUL_EMULATED && !can ? MNP_MATMUL_PLAIN : precision;
}

static mnp_status open_call(const char *function, const mnp_array *a, const mnp_array *b, unsigned vectors,
                            matmul_call *c)
{
    *c = (matmul_call){.function = function, .ctx = a->ctx};
    MNP_TRY(mnp__matmul_dtype(function, a, b, &c->dtype));
    c->row = vectors & MNP__VECTORS_LEFT;
    c->column = vectors & MNP__VECTORS_RIGHT;
    MNP_TRY(check_dims(c, 0, a, c->row));
    MNP_TRY(check_dims(c, 1, b, c->column));
    mnp_status st = MNP_OK;
    mnp__product *p = &c->product;
    MNP_TRY_OR(view_with(a, c->row ? a->layout->ndim - 1 : -1, &c->a), st, fail);
    MNP_TRY_OR(view_with(b, c->column ? b->layout->ndim : -1, &c->b), st, fail);
    const mnp_layout *la = c->a->layout, *lb = c->b->layout;
    if (la->shape[la->ndim - 1] != lb->shape[lb->ndim - 2])
        MNP_TRY_OR(refuse_shapes(c, a, b, "the last dimension of the first one and the rows of the second differ"), st,
                   fail);
    p->m = la->shape[la->ndim - 2];
    p->k = la->shape[la->ndim - 1];
    p->n = lb->shape[lb->ndim - 1];
    p->a = la;
    p->b = lb;
    c->precision = call_precision(c);
    p->is_double = mnp_dtype_size(c->dtype) >= 8 && c->dtype != MNP_COMPLEX64;
    p->size = (int64_t)mnp_dtype_size(mnp__block_dtype(c->ctx, c->dtype));
    p->result_size = p->size < 4 && mnp_dtype_kind(c->dtype) == 'f' ? 4 : p->size;
    MNP_TRY_OR(find_batch(c, a, b), st, fail);
    MNP_TRY_OR(mnp__way_result(p, &c->c), st, fail);
    return MNP_OK;
fail:
    close_call(c);
    return st;
}

/* Which dimensions of the stack of matrices the user's result has. */
static int result_dims(const matmul_call *c, int *dims)
{
    int ndim = 0;
    for (int d = 0; d < c->c->ndim; d++)
        if (!(c->row && d == c->c->ndim - 2) && !(c->column && d == c->c->ndim - 1))
            dims[ndim++] = d;
    return ndim;
}

static mnp_status result_layout(const matmul_call *c, mnp_layout **layout_p)
{
    mnp__layout_dim kept[MNP_MAX_DIMS];
    int dims[MNP_MAX_DIMS];
    const int ndim = result_dims(c, dims);
    for (int d = 0; d < ndim; d++)
        kept[d] = mnp__layout_dim_of(c->c, dims[d]);
    return mnp__layout_derive(c->c, ndim, kept, layout_p);
}

/* The user's result as a stack of matrices. */
static mnp_status view_result(const matmul_call *c, const mnp_array *result, mnp_array **view_p)
{
    mnp__view_dim dims[MNP_MAX_DIMS];
    int given[MNP_MAX_DIMS];
    const int ndim = result_dims(c, given);
    for (int d = 0; d < c->c->ndim; d++)
        dims[d] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
    for (int d = 0; d < ndim; d++)
        dims[given[d]] = mnp__view_whole(result, d);
    return mnp__view_make(result, c->c->ndim, dims, NULL, view_p);
}

/* ---- the product of the blocks ---- */

/* Where an operand lies; its dimensions of the batch are the last ones of the product's. */
static void set_operand(mnp__block_product *block, int o, const mnp_array *x, int nbatch, int leading)
{
    const int ndim = x->layout->ndim;
    block->data[o] = x->data;
    block->row[o] = x->local_strides[ndim - 2];
    block->column[o] = x->local_strides[ndim - 1];
    for (int d = 0; d < nbatch; d++) {
        const int dim = d - (nbatch - (ndim - 2 - leading)) + leading;
        block->batch[o][d] = dim < leading || x->local_shape[dim] == 1 ? 0 : x->local_strides[dim];
    }
}

/* c: perhaps with the dimension of the parts before all others, of which a rank has one. */
static mnp__block_product block_of(const matmul_call *call, const mnp_array *a, const mnp_array *b, const mnp_array *c)
{
    const int nbatch = call->product.nbatch, leading = c->layout->ndim - 2 - nbatch;
    /*
     * an empty block may be empty in another dimension than the way's, as equal layouts give a rank the same elements
     */
    const bool nothing = a->local_size == 0 || b->local_size == 0;
    mnp__block_product block = {.dtype = a->dtype,
                                .result = c->dtype,
                                .precision = call->precision,
                                .m = c->local_shape[leading + nbatch],
                                .n = c->local_shape[leading + nbatch + 1],
                                .k = nothing ? 0 : a->local_shape[a->layout->ndim - 1],
                                .nbatch = nbatch};
    memcpy(block.extent, c->local_shape + leading, (size_t)nbatch * sizeof *block.extent);
    set_operand(&block, MNP__LEFT, a, nbatch, 0);
    set_operand(&block, MNP__RIGHT, b, nbatch, 0);
    set_operand(&block, MNP__RESULT, c, nbatch, leading);
    return block;
}

/* Whether all ranks know alike that BLAS takes the blocks as they lie. */
static bool is_known_to_fit(const mnp_array *x)
{
    return x->dense & MNP__DENSE_C || (x->layout->ndim == 2 && x->dense & MNP__DENSE_F);
}

/* Which operands have to be copied on any rank, as a bit set. */
static mnp_status find_misfits(const matmul_call *call, const mnp_array *const *arrays, int *misfits_p)
{
    const mnp__block_product block = block_of(call, arrays[MNP__LEFT], arrays[MNP__RIGHT], arrays[MNP__RESULT]);
    const bool empty = arrays[MNP__RESULT]->local_size == 0;
    int misfits[MNP__OPERANDS] = {0};
    bool asks = false;
    *misfits_p = 0;
    for (int o = 0; o < MNP__OPERANDS; o++) {
        misfits[o] = !is_known_to_fit(arrays[o]) && !empty && !mnp__block_fits(&block, o);
        asks |= !is_known_to_fit(arrays[o]);
    }
    if (asks && call->ctx->comm.size > 1)
        MNP_TRY(mnp__all_reduce(&call->ctx->comm, misfits, MNP__OPERANDS, MPI_INT, MPI_MAX));
    for (int o = 0; o < MNP__OPERANDS; o++)
        *misfits_p |= misfits[o] << o;
    return MNP_OK;
}

/* Replace what was opened by a copy that is dense in C order. */
static mnp_status make_dense(mnp__input *input)
{
    mnp__input copy;
    MNP_TRY(mnp__input_open(input->array, NULL, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &copy));
    mnp__input_close(input);
    *input = copy;
    return MNP_OK;
}

/* Multiply the blocks of opened operands into c, or into a copy of it if it does not lie as BLAS takes it. */
static mnp_status multiply_blocks(const matmul_call *call, mnp__input *a, mnp__input *b, mnp_array *c)
{
    const mnp_array *const arrays[MNP__OPERANDS] = {a->array, b->array, c};
    mnp_array *copy = NULL;
    int misfits;
    mnp_status st = MNP_OK;
    MNP_TRY(find_misfits(call, arrays, &misfits));
    if (misfits >> MNP__LEFT & 1)
        MNP_TRY(make_dense(a));
    if (misfits >> MNP__RIGHT & 1)
        MNP_TRY(make_dense(b));
    if (misfits >> MNP__RESULT & 1)
        MNP_TRY(mnp_array_new_order(call->ctx, c->dtype, c->layout, MNP_ORDER_C, &copy));
    const mnp__block_product block = block_of(call, a->array, b->array, copy ? copy : c);
    if (c->local_size > 0)
        st = mnp__block_multiply(call->ctx, &block);
    if (copy && st == MNP_OK)
        st = mnp__array_assign(copy, c);
    mnp_array_free(copy);
    return st;
}

/* ---- over ranks ---- */

/* The sum over the first dimension of partial results, to c. */
static mnp_status sum_to(const mnp_array *partial, mnp_array *c)
{
    const int ndim = c->layout->ndim;
    mnp__layout_dim dims[MNP_MAX_DIMS];
    mnp_layout *layout;
    mnp_array *moved = NULL;
    dims[0] = mnp__layout_dim_whole(partial->layout->shape[0]);
    for (int d = 0; d < ndim; d++)
        dims[d + 1] = mnp__layout_dim_of(c->layout, d);
    MNP_TRY(mnp__layout_derive(c->layout, ndim + 1, dims, &layout));
    mnp_status st = mnp_redistribute(partial, layout, &moved);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = c->dtype == MNP_BOOL ? mnp_any(moved, MNP_AXIS(0), &c)
                                  : mnp_sum(moved, MNP_REDUCE(.count = 1, .dtype = mnp_dtype_name(partial->dtype)), &c);
    mnp_array_free(moved);
    return st;
}

/* Where c has replicas every element is summed once, and then goes to all of them. */
static mnp_status sum_parts(const mnp_array *partial, mnp_array *c)
{
    mnp_layout *spread;
    mnp_array *sum = NULL;
    if (mnp__layout_is_spread(c->layout))
        return sum_to(partial, c);
    MNP_TRY(mnp_layout_block(c->layout->nranks, c->layout->ndim, c->layout->shape, &spread));
    mnp_status st = mnp_array_new(c->ctx, c->dtype, spread, &sum);
    mnp_layout_free(spread);
    if (st == MNP_OK)
        st = sum_to(partial, sum);
    if (st == MNP_OK)
        st = mnp__array_copy_to(sum, c);
    mnp_array_free(sum);
    return st;
}

/* Whether partial results of that many parts are kept in c itself, or need memory of their own. */
static bool goes_directly(const mnp__way *way, const mnp_array *c, mnp_dtype dtype)
{
    return way->parts == 1 && c->dtype == dtype && (!way->c || mnp_layout_equal(way->c, c->layout));
}

/* What a sum of products is kept in until it is rounded. */
static mnp_dtype sum_dtype(const matmul_call *call, const mnp__way *way)
{
    const mnp_dtype dtype = mnp__block_dtype(call->ctx, call->dtype);
    return way->parts > 1 && (dtype == MNP_FLOAT16 || dtype == MNP_BFLOAT16) ? MNP_FLOAT32 : dtype;
}

static mnp_status multiply(const matmul_call *call, const mnp__way *way, mnp_array *c)
{
    const mnp_dtype dtype = mnp__block_dtype(call->ctx, call->dtype), sums = sum_dtype(call, way);
    mnp__input a = {NULL, NULL}, b = {NULL, NULL};
    mnp_array *own = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__input_open(call->a, way->a, dtype, 0, &a), st, done);
    MNP_TRY_OR(mnp__input_open(call->b, way->b, dtype, 0, &b), st, done);
    if (!goes_directly(way, c, sums))
        MNP_TRY_OR(mnp_array_new_order(call->ctx, sums, way->c ? way->c : c->layout, MNP_ORDER_C, &own), st, done);
    st = multiply_blocks(call, &a, &b, own ? own : c);
    if (own || call->precision == MNP_MATMUL_EMULATED)
        st = MNP_AGREE(call->ctx, st);
    if (own && st == MNP_OK)
        st = way->parts > 1 ? sum_parts(own, c) : mnp__array_copy_to(own, c);
done:
    mnp_array_free(own);
    mnp__input_close(&a);
    mnp__input_close(&b);
    return st;
}

/* One rank has all; its way has no layouts. */
static mnp_status find_way(matmul_call *c, const mnp_layout *result, mnp__way *way)
{
    *way = (mnp__way){.method = "one rank", .parts = 1};
    c->product.c = result;
    return c->ctx->comm.size > 1 ? mnp__way_find(&c->product, way) : MNP_OK;
}

static mnp_status multiply_to(matmul_call *c, mnp_array *result)
{
    mnp_array *view = NULL;
    mnp__way way = {NULL};
    mnp_status st;
    if (result->layout->size == 0)
        return MNP_OK;
    MNP_TRY_OR(MNP_AGREE(c->ctx, mnp__block_prepare(c->ctx, mnp__block_dtype(c->ctx, c->dtype), c->precision)), st,
               done);
    MNP_TRY_OR(view_result(c, result, &view), st, done);
    MNP_TRY_OR(find_way(c, view->layout, &way), st, done);
    st = multiply(c, &way, view);
done:
    mnp__way_free(&way);
    mnp_array_free(view);
    return st;
}

mnp_status mnp__matmul(const char *function, const mnp_array *a, const mnp_array *b, unsigned vectors,
                       mnp_array **out_p)
{
    const mnp_array *const inputs[] = {a, b};
    mnp_layout *layout = NULL;
    mnp__output output;
    matmul_call c;
    MNP_TRY(open_call(function, a, b, vectors, &c));
    mnp_status st = result_layout(&c, &layout);
    const mnp__output_spec spec = {.function = function,
                                   .ctx = c.ctx,
                                   .dtype = c.dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT,
                                   .ninputs = 2,
                                   .inputs = inputs};
    if (st == MNP_OK)
        st = mnp__check_same(&c.ctx->comm, function, mnp__layout_hash(c.a->layout) + mnp__layout_hash(c.b->layout));
    if (st == MNP_OK)
        st = mnp__output_open(&spec, out_p, &output);
    if (st == MNP_OK)
        st = mnp__output_close(1, &output, multiply_to(&c, output.array));
    mnp_layout_free(layout);
    close_call(&c);
    return st;
}

mnp_status mnp_matmul(const mnp_array *a, const mnp_array *b, mnp_array **out_p)
{
    MNP_ENTER(a, b, out_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    return mnp__matmul("mnp_matmul", a, b, mnp__vectors_of(a, b), out_p);
}

/* ---- what a call does ---- */

static int want_box(const void *argument, int rank, mnp__want *want)
{
    const mnp_layout *layout = argument;
    return mnp__layout_box(layout, rank, want->lo, want->extent) ? 1 : 0;
}

typedef struct sources {
    int rank;
    bool *seen;
    int64_t count;
} sources;

static mnp_status see_source(void *argument, const mnp__piece *piece)
{
    sources *s = argument;
    if (piece->source >= 0 && piece->source != s->rank && !s->seen[piece->source]) {
        s->seen[piece->source] = true;
        s->count++;
    }
    return MNP_OK;
}

/* From how many ranks this one gets what it has not. */
static mnp_status count_sources(const mnp_array *x, const mnp_layout *needed, int64_t *count_p)
{
    const mnp__move_spec spec = {
        .dtype = x->dtype, .layout = x->layout, .strides = x->local_strides, .wants = want_box, .argument = needed};
    sources s = {.rank = x->ctx->comm.rank};
    MNP_TRY(mnp__calloc((size_t)x->ctx->comm.size, sizeof *s.seen, &s.seen));
    const mnp_status st = mnp__pieces_wanted(&spec, s.rank, see_source, &s);
    *count_p += s.count;
    free(s.seen);
    return st;
}

static int64_t block_bytes(const mnp_layout *layout, int rank, int64_t size)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(layout, rank, lo, extent))
        return 0;
    for (int d = 0; d < layout->ndim; d++)
        size *= extent[d];
    return size;
}

/* Bytes that this rank's product takes if it is emulated. */
static int64_t emulated_bytes(const matmul_call *c, const mnp__way *way)
{
    const mnp__product *p = &c->product;
    const mnp_layout *a = way->a ? way->a : p->a, *b = way->b ? way->b : p->b;
    const mnp_layout *result = way->c ? way->c : p->c;
    const int rank = c->ctx->comm.rank, leading = result->ndim - p->nbatch - 2;
    int64_t lo[MNP_MAX_DIMS + 1], of_a[MNP_MAX_DIMS + 1], of_c[MNP_MAX_DIMS + 1], batch = 1;
    if (!mnp__layout_box(a, rank, lo, of_a) || !mnp__layout_box(b, rank, lo, of_c) ||
        !mnp__layout_box(result, rank, lo, of_c))
        return 0;
    for (int d = leading; d < leading + p->nbatch; d++)
        batch *= of_c[d];
    const int64_t m = of_c[leading + p->nbatch], n = of_c[leading + p->nbatch + 1], k = of_a[a->ndim - 1];
    return mnp__emulated_workspace(c->ctx, c->dtype, batch, m, n, k);
}

static mnp_status describe(const matmul_call *c, const mnp__way *way, mnp_matmul_info *info)
{
    const mnp__product *p = &c->product;
    const int own = c->ctx->comm.rank;
    *info = (mnp_matmul_info){.method = way->method, .parts = way->parts};
    if (c->precision == MNP_MATMUL_EMULATED) {
        info->integer_products = mnp__emulated_moduli(c->dtype);
        info->workspace = emulated_bytes(c, way);
    }
    if (!way->a)
        return MNP_OK;
    for (int rank = 0; rank < c->ctx->comm.size; rank++) {
        const int64_t bytes = (mnp__way_missing(p->a, way->a, rank) + mnp__way_missing(p->b, way->b, rank)) * p->size +
                              mnp__way_missing_sums(way, p->c, rank) * p->result_size;
        info->all_bytes += bytes;
        if (rank == own)
            info->bytes = bytes;
    }
    if (way->moves_a) {
        info->workspace += block_bytes(way->a, own, p->size);
        MNP_TRY(count_sources(c->a, way->a, &info->messages));
    }
    if (way->moves_b) {
        info->workspace += block_bytes(way->b, own, p->size);
        MNP_TRY(count_sources(c->b, way->b, &info->messages));
    }
    if (way->parts > 1 || way->moves_c)
        info->workspace += block_bytes(way->c, own, p->result_size);
    if (way->parts > 1)
        info->workspace += way->parts * block_bytes(p->c, own, p->result_size);
    return MNP_OK;
}

mnp_status mnp_matmul_describe(const mnp_array *a, const mnp_array *b, const mnp_layout *layout, mnp_matmul_info *info)
{
    MNP_ENTER(a, b, info);
    MNP_NEED_IF(layout != NULL, layout);
    static const char function[] = "mnp_matmul_describe";
    mnp__way way = {NULL};
    mnp_layout *result = NULL, *stack = NULL;
    mnp_matmul_info found;
    matmul_call c;
    MNP_TRY(open_call(function, a, b, mnp__vectors_of(a, b), &c));
    mnp_status st = result_layout(&c, &result);
    if (st == MNP_OK && layout &&
        (layout->nranks != result->nranks || mnp_layout_is_cyclic(layout) || !mnp__layout_same_shape(layout, result)))
        st = MNP_FAIL(MNP_ERR_ARG, "%s: the layout is not one of blocks for the result's shape and ranks", function);
    if (st == MNP_OK) {
        mnp__layout_dim dims[MNP_MAX_DIMS];
        int given[MNP_MAX_DIMS];
        const int ndim = result_dims(&c, given);
        for (int d = 0; d < c.c->ndim; d++)
            dims[d] = mnp__layout_dim_whole(1);
        for (int d = 0; d < ndim; d++)
            dims[given[d]] = mnp__layout_dim_of(layout ? layout : result, d);
        st = mnp__layout_derive(layout ? layout : result, c.c->ndim, dims, &stack);
    }
    if (st == MNP_OK)
        st = find_way(&c, stack, &way);
    if (st == MNP_OK)
        st = describe(&c, &way, &found);
    if (st == MNP_OK)
        *info = found;
    mnp__way_free(&way);
    mnp_layout_free(stack);
    mnp_layout_free(result);
    close_call(&c);
    return st;
}
