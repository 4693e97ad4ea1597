/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bringing operands together and running a loop on them.
 *
 * An input serves as it is where every rank owns at least what it needs of it; else it is redistributed.  What shares
 * memory with an output, but not element for element, is copied first.  All decisions rest on facts that every rank
 * knows, but for the overlap of views, which is agreed upon.
 */
#include "ops/elementwise/apply.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "layout/layout.h"

/* ---- shapes ---- */

static void append_shape(mnp__text *text, int ndim, const int64_t *shape)
{
    mnp__text_add(text, "(");
    for (int d = 0; d < ndim; d++)
        mnp__text_add(text, "%s%" PRId64, d ? ", " : "", shape[d]);
    mnp__text_add(text, ndim == 1 ? ",)" : ")");
}

static mnp_status shapes_differ(const char *function, int count, const mnp_array *const *arrays,
                                const mnp_array *output)
{
    mnp__text text = MNP__TEXT_EMPTY;
    for (int i = 0; i < count; i++) {
        mnp__text_add(&text, i == 0 ? "" : i < count - 1 ? ", " : " and ");
        append_shape(&text, arrays[i]->layout->ndim, arrays[i]->layout->shape);
    }
    if (output) {
        mnp__text_add(&text, " to the output's ");
        append_shape(&text, output->layout->ndim, output->layout->shape);
    }
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: cannot broadcast shape%s %s%s", function, count > 1 ? "s" : "",
                             mnp__text_string(&text), output ? "" : " to one another");
    mnp__text_free(&text);
    return st;
}

/* Widen `shape` so that an array of `more` broadcasts with it; false if it does not. */
static bool widen(int *ndim, int64_t *shape, int more_ndim, const int64_t *more)
{
    int grow = more_ndim - *ndim;
    if (grow > 0) {
        memmove(shape + grow, shape, (size_t)*ndim * sizeof *shape);
        memcpy(shape, more, (size_t)grow * sizeof *shape);
        *ndim = more_ndim;
    }
    for (int d = 1; d <= more_ndim; d++) {
        int64_t *mine = &shape[*ndim - d], theirs = more[more_ndim - d];
        if (*mine == 1)
            *mine = theirs;
        else if (theirs != 1 && theirs != *mine)
            return false;
    }
    return true;
}

mnp_status mnp__broadcast_shapes(const char *function, int count, const mnp_array *const *arrays, int *ndim_p,
                                 int64_t *shape)
{
    int ndim = 0;
    int64_t wide[MNP_MAX_DIMS];
    for (int i = 0; i < count; i++) {
        if (!widen(&ndim, wide, arrays[i]->layout->ndim, arrays[i]->layout->shape))
            return shapes_differ(function, count, arrays, NULL);
    }
    *ndim_p = ndim;
    memcpy(shape, wide, (size_t)ndim * sizeof *shape);
    return mnp__layout_check_shape(ndim, shape);
}

static bool has_shape(const mnp_layout *layout, int ndim, const int64_t *shape)
{
    return layout->ndim == ndim && memcmp(layout->shape, shape, (size_t)ndim * sizeof *shape) == 0;
}

/* ---- what one call is about ---- */

typedef struct call {
    mnp_ctx *ctx;
    const mnp__application *application;
    const mnp__loop_spec *spec;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;                           /* one count */
    const mnp_array *operands[MNP__MAX_OPERANDS]; /* what the loop gets */
    mnp_array *temporary[MNP__MAX_OPERANDS];      /* those of them that are ours */
} call;

static mnp_array *given(const call *c, int output)
{
    return *c->application->outputs_p[output];
}

static mnp_status check_operands(const call *c)
{
    const mnp__application *a = c->application;
    for (int i = 0; i < c->spec->ninputs; i++) {
        if (!a->inputs[i])
            return MNP_FAIL(MNP_ERR_ARG, "%s: input %d is NULL", a->function, i + 1);
        if (a->inputs[i]->ctx != c->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: input %d belongs to another context", a->function, i + 1);
    }
    for (int o = 0; o < c->spec->noutputs; o++) {
        const mnp_array *output = given(c, o);
        mnp_dtype memory = c->spec->operands[c->spec->ninputs + o].memory;
        if (!output)
            continue;
        if (output->ctx != c->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: output %d belongs to another context", a->function, o + 1);
        if (mnp__array_is_scalar(output) || output->read_only)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the output is %s, which cannot be written", a->function,
                            output->read_only ? "a broadcast view" : "a scalar");
        if (output->dtype != memory)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the output is %s, and the result is %s", a->function,
                            mnp_dtype_name(output->dtype), mnp_dtype_name(memory));
        for (int other = 0; other < o; other++) {
            if (given(c, other) == output)
                return MNP_FAIL(MNP_ERR_ARG, "%s: outputs %d and %d are the same array", a->function, other + 1, o + 1);
        }
    }
    return MNP_OK;
}

/*
 * The shape of the result: that of outputs that are given, or of the layout, to which inputs broadcast; else the
 * inputs'.
 */
static mnp_status find_shape(call *c)
{
    const mnp__application *a = c->application;
    const mnp_array *inputs[MNP__MAX_OPERANDS], *output = NULL;
    const mnp_layout *fixed = a->layout;
    int count = 0;
    for (int i = 0; i < c->spec->ninputs; i++) {
        if (!c->spec->operands[i].raw && !mnp__array_is_scalar(a->inputs[i]))
            inputs[count++] = a->inputs[i];
    }
    MNP_TRY(mnp__broadcast_shapes(a->function, count, inputs, &c->ndim, c->shape));
    for (int o = 0; o < c->spec->noutputs; o++) {
        if (!given(c, o))
            continue;
        output = given(c, o);
        if (fixed && !has_shape(output->layout, fixed->ndim, fixed->shape))
            return shapes_differ(a->function, count, inputs, output);
        fixed = output->layout;
    }
    if (fixed) {
        int64_t wide[MNP_MAX_DIMS];
        int ndim = fixed->ndim;
        memcpy(wide, fixed->shape, sizeof wide);
        if (!widen(&ndim, wide, c->ndim, c->shape) || !has_shape(fixed, ndim, wide))
            return shapes_differ(a->function, count, inputs, output);
        c->ndim = ndim;
        memcpy(c->shape, wide, sizeof wide);
    }
    return MNP_OK;
}

static int64_t largest_block(const mnp_layout *layout)
{
    int64_t size = 1;
    for (int d = 0; d < layout->ndim; d++) {
        int64_t most = 0;
        for (int part = 0; part < mnp_layout_parts(layout, d); part++) {
            int64_t extent = layout->cuts[d][part + 1] - layout->cuts[d][part];
            most = extent > most ? extent : most;
        }
        size *= most;
    }
    return size;
}

const mnp_layout *mnp__smallest_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape)
{
    const mnp_layout *best = NULL;
    for (int i = 0; i < count; i++) {
        const mnp_layout *candidate = arrays[i]->layout;
        if (mnp__array_is_scalar(arrays[i]) || !has_shape(candidate, ndim, shape))
            continue;
        if (!best || (candidate != best && largest_block(candidate) < largest_block(best)))
            best = candidate;
    }
    return best;
}

static mnp_status choose_layout(call *c)
{
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    const mnp_layout *best = c->application->layout;
    int count = 0;
    for (int o = 0; o < c->spec->noutputs && !best; o++) {
        if (given(c, o))
            best = given(c, o)->layout;
    }
    for (int i = 0; i < c->spec->ninputs; i++) {
        if (!c->spec->operands[i].raw)
            inputs[count++] = c->application->inputs[i];
    }
    if (!best)
        best = mnp__smallest_layout(count, inputs, c->ndim, c->shape);
    if (!best)
        return mnp_layout_block(c->ctx->comm.size, c->ndim, c->shape, &c->layout);
    if (c->spec->indices && mnp_layout_is_cyclic(best))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: indices are asked for, and the result is spread block-cyclically; bring "
                        "operands to a layout of blocks first, with mnp_redistribute()",
                        c->application->function);
    c->layout = mnp_layout_retain(best);
    return MNP_OK;
}

/* ---- bringing inputs to the layout ---- */

/* Whether every rank owns what it needs of an input that should have the layout `needed`, in one piece. */
static bool covers(const mnp_layout *owned, const mnp_layout *needed)
{
    if (mnp_layout_is_cyclic(owned) || mnp_layout_is_cyclic(needed))
        return mnp_layout_equal(owned, needed);
    for (int rank = 0; rank < owned->nranks; rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], need_lo[MNP_MAX_DIMS], need_extent[MNP_MAX_DIMS];
        if (!mnp__layout_box(needed, rank, need_lo, need_extent))
            continue;
        if (!mnp__layout_box(owned, rank, lo, extent))
            return false;
        for (int d = 0; d < owned->ndim; d++) {
            if (need_lo[d] < lo[d] || need_lo[d] + need_extent[d] > lo[d] + extent[d])
                return false;
        }
    }
    return true;
}

/* The part of this rank's block that `needed` asks for, as a view. */
static mnp_status restrict_to(const mnp_array *array, const mnp_layout *needed, mnp_array **view_p)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], offset = 0;
    if (mnp__layout_box(needed, array->ctx->comm.rank, lo, extent)) {
        for (int d = 0; d < needed->ndim; d++)
            offset += (lo[d] - array->local_lo[d]) * array->local_strides[d];
    }
    char *data = array->data;
    return mnp__array_view(array, array->dtype, needed,
                           data ? data + offset * (int64_t)mnp_dtype_size(array->dtype) : NULL, array->local_strides,
                           view_p);
}

/* The layout that an input of that shape needs: the result's, but whole where the input is broadcast. */
static mnp_status needed_layout(const mnp_layout *layout, const mnp_layout *own, mnp_layout **needed_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    for (int d = 0; d < own->ndim; d++) {
        int from = layout->ndim - own->ndim + d;
        if (own->shape[d] == layout->shape[from])
            dims[d] = mnp__layout_dim_of(layout, from);
        else
            dims[d] = mnp__layout_dim_whole(own->shape[d]);
    }
    return mnp__layout_derive(layout, own->ndim, dims, needed_p);
}

mnp_status mnp__bring_input(const mnp_array *input, const mnp_layout *layout, const mnp_array **operand_p,
                            mnp_array **temporary_p)
{
    mnp_layout *needed;
    *operand_p = input;
    if (mnp__array_is_scalar(input) || mnp_layout_equal(input->layout, layout))
        return MNP_OK;
    MNP_TRY(needed_layout(layout, input->layout, &needed));
    mnp_status st = covers(input->layout, needed) ? restrict_to(input, needed, temporary_p)
                                                  : mnp_redistribute(input, needed, temporary_p);
    mnp_layout_free(needed);
    if (st == MNP_OK)
        *operand_p = *temporary_p;
    return st;
}

/* An input that the body indexes: every rank has all of it, dense. */
static mnp_status bring_raw(call *c, int i)
{
    const mnp_array *input = c->application->inputs[i];
    mnp_layout *whole;
    MNP_TRY(mnp_layout_replicated(c->ctx->comm.size, input->layout->ndim, input->layout->shape, &whole));
    mnp_status st;
    if (mnp_layout_equal(input->layout, whole)) {
        st = mnp__array_dense(input, &c->operands[i], &c->temporary[i]);
    } else {
        st = mnp_redistribute(input, whole, &c->temporary[i]);
        c->operands[i] = c->temporary[i];
    }
    mnp_layout_free(whole);
    return st;
}

static mnp_status bring_input(call *c, int i)
{
    const mnp_array *input = c->application->inputs[i];
    if (c->spec->operands[i].raw && !mnp__array_is_scalar(input))
        return bring_raw(c, i);
    return mnp__bring_input(input, c->layout, &c->operands[i], &c->temporary[i]);
}

/* ---- inputs that share memory with outputs ---- */

/* Whether two arrays of the same layout are the same elements in the same places, as far as this rank sees. */
static bool same_elements(const mnp_array *a, const mnp_array *b)
{
    if (a->local_size == 0)
        return true;
    if (a->data != b->data || a->dtype != b->dtype || a->layout->ndim != b->layout->ndim)
        return false;
    for (int d = 0; d < a->layout->ndim; d++) {
        if (a->local_shape[d] != b->local_shape[d] ||
            (a->local_shape[d] > 1 && a->local_strides[d] != b->local_strides[d]))
            return false;
    }
    return true;
}

/* First and last byte of a block. */
static void memory_range(const mnp_array *a, const char **first, const char **last)
{
    int64_t below = 0, above = 0, size = (int64_t)mnp_dtype_size(a->dtype);
    for (int d = 0; d < a->layout->ndim; d++) {
        int64_t reach = (a->local_shape[d] - 1) * a->local_strides[d];
        below += reach < 0 ? reach : 0;
        above += reach > 0 ? reach : 0;
    }
    *first = (const char *)a->data + below * size;
    *last = (const char *)a->data + (above + 1) * size - 1;
}

static bool ranges_meet(const mnp_array *a, const mnp_array *b)
{
    const char *a_first, *a_last, *b_first, *b_last;
    if (a->local_size == 0 || b->local_size == 0)
        return false;
    memory_range(a, &a_first, &a_last);
    memory_range(b, &b_first, &b_last);
    return a_first <= b_last && b_first <= a_last;
}

/* Copy inputs that an output would overwrite before they are read.  Ranks ask each other only where views meet. */
static mnp_status resolve_overlap(call *c)
{
    uint32_t suspected = 0, met = 0;
    for (int o = 0; o < c->spec->noutputs; o++) {
        const mnp_array *output = given(c, o);
        for (int i = 0; output && i < c->spec->ninputs; i++) {
            const mnp_array *input = c->operands[i];
            bool raw = c->spec->operands[i].raw; /* then any element may be read at any time */
            if (mnp__array_is_scalar(input) || input->buffer != output->buffer || (input == output && !raw))
                continue;
            suspected |= UINT32_C(1) << i;
            if (ranges_meet(input, output) && (raw || !same_elements(input, output)))
                met |= UINT32_C(1) << i;
        }
    }
    if (!suspected)
        return MNP_OK;
    MNP_TRY(mnp__all_reduce(&c->ctx->comm, &met, 1, MPI_UINT32_T, MPI_BOR));
    for (int i = 0; i < c->spec->ninputs; i++) {
        mnp_array *copy = NULL;
        if (!(met >> i & 1))
            continue;
        MNP_TRY(mnp_copy(c->operands[i], &copy));
        mnp_array_free(c->temporary[i]);
        c->operands[i] = c->temporary[i] = copy;
    }
    return MNP_OK;
}

/* ---- outputs ---- */

static mnp_status make_outputs(call *c)
{
    int first = c->spec->ninputs;
    for (int o = 0; o < c->spec->noutputs; o++) {
        mnp_array *output = given(c, o);
        c->operands[first + o] = output;
        if (output && mnp_layout_equal(output->layout, c->layout))
            continue;
        MNP_TRY(mnp_array_new(c->ctx, c->spec->operands[first + o].memory, c->layout, &c->temporary[first + o]));
        c->operands[first + o] = c->temporary[first + o];
    }
    return MNP_OK;
}

/* Whether the values of an output have to travel to where it was given; all ranks know alike. */
static bool outputs_travel(const call *c)
{
    for (int o = 0; o < c->spec->noutputs; o++) {
        if (given(c, o) && c->temporary[c->spec->ninputs + o])
            return true;
    }
    return false;
}

/* Outputs that were given in another layout get their values; then new ones are the user's. */
static mnp_status deliver(call *c)
{
    int first = c->spec->ninputs;
    for (int o = 0; o < c->spec->noutputs; o++) {
        mnp_array *output = given(c, o);
        if (output && c->temporary[first + o])
            MNP_TRY(mnp_redistribute(c->temporary[first + o], output->layout, &output));
    }
    for (int o = 0; o < c->spec->noutputs; o++) {
        if (given(c, o))
            continue;
        *c->application->outputs_p[o] = c->temporary[first + o];
        c->temporary[first + o] = NULL;
    }
    return MNP_OK;
}

static mnp_status prepare_and_run(call *c)
{
    MNP_TRY(choose_layout(c));
    MNP_TRY(mnp__check_same(&c->ctx->comm, c->application->function, mnp__layout_hash(c->layout)));
    for (int i = 0; i < c->spec->ninputs; i++)
        MNP_TRY(bring_input(c, i));
    MNP_TRY(resolve_overlap(c));
    MNP_TRY(make_outputs(c));
    mnp_status st = mnp__loop_run(c->application->loop, c->layout, c->operands);
    /* nobody waits for a rank that failed alone, as by a kernel that it needs for the first time */
    if (outputs_travel(c))
        st = MNP_AGREE(c->ctx, st);
    MNP_TRY(st);
    return deliver(c);
}

mnp_status mnp__apply(mnp_ctx *ctx, const mnp__application *application)
{
    call c = {.ctx = ctx, .application = application, .spec = mnp__loop_spec_of(application->loop)};
    int count = c.spec->ninputs + c.spec->noutputs;
    MNP_TRY(check_operands(&c));
    MNP_TRY(find_shape(&c));
    mnp_status st = prepare_and_run(&c);
    for (int i = 0; i < count; i++)
        mnp_array_free(c.temporary[i]);
    mnp_layout_free(c.layout);
    return st;
}
