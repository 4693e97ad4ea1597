/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applying a loop to arrays of any layouts: operands are brought to one layout, then the loop runs.
 *
 * An input is used as it is if every rank owns all that it needs of it; otherwise it is redistributed.  An input that
 * shares memory with an output, but not element for element, is copied first.  Ranks decide by facts that all of them
 * know, so they need not communicate; only for overlapping views they agree.
 */
#include "ops/elementwise/apply.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/integer.h"
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

/* ---- what one call is about ---- */

typedef struct call {
    mnp_ctx *ctx;
    const mnp__application *application;
    const mnp__loop_spec *spec;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    mnp_layout *layout;                           /* one count */
    const mnp_array *operands[MNP__MAX_OPERANDS]; /* as the loop gets them */
    int ninputs, noutputs, nwindows;              /* how many of these are held */
    mnp__input *inputs;
    mnp__output *outputs;
    mnp_array **windows; /* of the hulls; NULL where copies cost less */
    int *hulls;          /* of each input that has a hull: its number */
} call;

static mnp_array *given(const call *c, int output)
{
    return *c->application->outputs_p[output];
}

/* Describe an output, apart from its layout, which is found later. */
static mnp__output_spec describe_output(const call *c, int o)
{
    const mnp__loop_operand *operand = &c->spec->operands[c->spec->ninputs + o];
    return (mnp__output_spec){.function = c->application->function,
                              .name = c->spec->noutputs > 1 ? operand->name : NULL,
                              .ctx = c->ctx,
                              .dtype = operand->memory};
}

static mnp_status check_operands(const call *c)
{
    const mnp__application *a = c->application;
    for (int i = 0; i < c->spec->ninputs; i++) {
        if (a->inputs[i]->ctx != c->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: input %d belongs to another context", a->function, i + 1);
    }
    for (int o = 0; o < c->spec->noutputs; o++) {
        const mnp__output_spec output = describe_output(c, o);
        MNP_TRY(mnp__output_check(&output, given(c, o)));
    }
    return mnp__output_check_distinct(a->function, c->spec->noutputs, a->outputs_p);
}

/*
 * Find the shape of the result.  Outputs or a layout that are given decide it, and inputs must broadcast to it; without
 * them it is the shape that the inputs broadcast to.
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
        if (fixed && !mnp__layout_has_shape(output->layout, fixed->ndim, fixed->shape))
            return shapes_differ(a->function, count, inputs, output);
        fixed = output->layout;
    }
    if (fixed) {
        int64_t wide[MNP_MAX_DIMS];
        int ndim = fixed->ndim;
        memcpy(wide, fixed->shape, sizeof wide);
        if (!widen(&ndim, wide, c->ndim, c->shape) || !mnp__layout_has_shape(fixed, ndim, wide))
            return shapes_differ(a->function, count, inputs, output);
        c->ndim = ndim;
        memcpy(c->shape, wide, sizeof wide);
    }
    return MNP_OK;
}

const mnp_layout *mnp__smallest_layout(int count, const mnp_array *const *arrays, int ndim, const int64_t *shape)
{
    const mnp_layout *best = NULL;
    for (int i = 0; i < count; i++) {
        const mnp_layout *candidate = arrays[i]->layout;
        if (mnp__array_is_scalar(arrays[i]) || !mnp__layout_has_shape(candidate, ndim, shape))
            continue;
        if (!best || (candidate != best && mnp__layout_largest(candidate) < mnp__layout_largest(best)))
            best = candidate;
    }
    return best;
}

mnp_status mnp__layout_as_inputs(const mnp_layout *best, int count, const mnp_array *const *inputs,
                                 mnp_layout **layout_p)
{
    const int *order = best->order;
    const size_t bytes = (size_t)best->ndim * sizeof *order;
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (mnp__array_is_scalar(inputs[i]) || !mnp__layout_has_shape(inputs[i]->layout, best->ndim, best->shape))
            continue;
        if (found && memcmp(order, inputs[i]->stored, bytes) != 0) {
            order = best->order;
            break;
        }
        order = inputs[i]->stored;
        found = true;
    }
    return mnp_layout_with_order(best, order, layout_p);
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
    const bool is_fixed = best != NULL;
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
    if (!is_fixed)
        return mnp__layout_as_inputs(best, count, inputs, &c->layout);
    c->layout = mnp_layout_retain(best);
    return MNP_OK;
}

/* ---- bringing inputs to the layout ---- */

static mnp_status open_input(call *c, int i)
{
    const mnp_array *input = c->application->inputs[i];
    const mnp__shift *shift = c->application->shifts ? &c->application->shifts[i] : NULL;
    if (shift && shift->hull && c->nwindows > 0 && c->windows[c->hulls[i]])
        return mnp__window_open(c->windows[c->hulls[i]], shift->offset, input, c->layout, &c->inputs[i]);
    /* the body indexes raw inputs, so every rank needs all of such an array, dense */
    if (c->spec->operands[i].raw)
        return mnp__input_open_everywhere(input, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &c->inputs[i]);
    return mnp__input_open(input, c->layout, MNP_DTYPE_AUTO, 0, &c->inputs[i]);
}

static mnp_status open_inputs(call *c)
{
    for (int i = 0; i < c->spec->ninputs; i++) {
        MNP_TRY(open_input(c, i));
        c->operands[i] = c->inputs[i].array;
        c->ninputs = i + 1;
    }
    return MNP_OK;
}

/* ---- inputs that are shifted against each other ---- */

/* Whether an output overwrites elements of an array, or may do so. */
static bool is_overwritten(const call *c, const mnp_array *array)
{
    for (int o = 0; o < c->spec->noutputs; o++) {
        if (given(c, o) && given(c, o)->buffer == array->buffer)
            return true;
    }
    return false;
}

/* Make a window for the inputs of number `first`'s hull if it costs less than to copy those that need it. */
static mnp_status open_window(call *c, int first)
{
    const mnp__shift *shifts = c->application->shifts;
    const mnp_array *x = c->application->inputs[first], *hull = shifts[first].hull;
    int64_t span[MNP_MAX_DIMS] = {0};
    int members = 0, away = 0;
    bool pays;
    for (int i = first; i < c->spec->ninputs; i++) {
        mnp_layout *needed;
        if (shifts[i].hull != hull)
            continue;
        MNP_TRY(mnp__input_layout(c->layout, x->layout, &needed));
        members++;
        away += !mnp__input_is_here(c->application->inputs[i]->layout, needed);
        mnp_layout_free(needed);
        c->hulls[i] = c->nwindows;
        for (int d = 0; d < hull->layout->ndim; d++)
            span[d] = mnp__max(shifts[i].offset[d], span[d]);
    }
    c->windows[c->nwindows++] = NULL;
    int copies = is_overwritten(c, hull) ? members - 1 : away; /* one of them is probably the output itself */
    if (copies < 2)
        return MNP_OK;
    MNP_TRY(mnp__window_pays(x, span, c->layout, copies, &pays));
    return pays ? mnp__window_new(x, hull, span, c->layout, &c->windows[c->nwindows - 1]) : MNP_OK;
}

static mnp_status open_windows(call *c)
{
    const mnp__shift *shifts = c->application->shifts;
    for (int i = 0; shifts && i < c->spec->ninputs; i++) {
        bool first = shifts[i].hull != NULL && !mnp_layout_is_cyclic(c->layout);
        for (int before = 0; before < i; before++)
            first = first && shifts[before].hull != shifts[i].hull;
        if (first)
            MNP_TRY(open_window(c, i));
    }
    return MNP_OK;
}

/* ---- inputs that share memory with outputs ---- */

/* Whether this rank's blocks of two arrays of the same layout are the same elements in the same memory. */
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

/* Find the first and the last byte of a block. */
static void memory_range(const mnp_array *a, const char **first, const char **last)
{
    int64_t below = 0, above = 0, size = (int64_t)mnp_dtype_size(a->dtype);
    for (int d = 0; d < a->layout->ndim; d++) {
        int64_t reach = (a->local_shape[d] - 1) * a->local_strides[d];
        below += mnp__min(reach, 0);
        above += mnp__max(reach, 0);
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
            bool raw = c->spec->operands[i].raw; /* the body may read any element at any time */
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
        mnp__input_close(&c->inputs[i]);
        c->inputs[i] = (mnp__input){copy, copy};
        c->operands[i] = copy;
    }
    return MNP_OK;
}

/* ---- outputs ---- */

static mnp_status open_outputs(call *c)
{
    for (int o = 0; o < c->spec->noutputs; o++) {
        mnp__output_spec output = describe_output(c, o);
        output.layout = c->layout;
        MNP_TRY(mnp__output_open(&output, c->application->outputs_p[o], &c->outputs[o]));
        c->operands[c->spec->ninputs + o] = c->outputs[o].array;
        c->noutputs = o + 1;
    }
    return MNP_OK;
}

static mnp_status prepare_and_run(call *c)
{
    MNP_TRY(choose_layout(c));
    MNP_TRY(mnp__check_same(&c->ctx->comm, c->application->function, mnp__layout_hash(c->layout)));
    MNP_TRY(open_windows(c));
    MNP_TRY(open_inputs(c));
    MNP_TRY(resolve_overlap(c));
    MNP_TRY(open_outputs(c));
    return mnp__loop_run(c->application->loop, c->layout, c->operands);
}

mnp_status mnp__apply(mnp_ctx *ctx, const mnp__application *application)
{
    mnp__input inputs[MNP__MAX_OPERANDS];
    mnp__output outputs[MNP__MAX_OPERANDS];
    mnp_array *windows[MNP__MAX_OPERANDS];
    int hulls[MNP__MAX_OPERANDS];
    call c = {.ctx = ctx,
              .application = application,
              .spec = mnp__loop_spec_of(application->loop),
              .inputs = inputs,
              .outputs = outputs,
              .windows = windows,
              .hulls = hulls};
    MNP_TRY(check_operands(&c));
    MNP_TRY(find_shape(&c));
    mnp_status st = prepare_and_run(&c);
    for (int i = 0; i < c.ninputs; i++)
        mnp__input_close(&inputs[i]);
    for (int w = 0; w < c.nwindows; w++)
        mnp_array_free(c.windows[w]);
    mnp_layout_free(c.layout);
    return mnp__output_close(c.noutputs, outputs, st);
}
