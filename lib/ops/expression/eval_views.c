/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arrays that a stage reads: views are made for it, and those that are shifted against each other are found, so
 * that a loop can bring what it needs of their array once (array/move/window.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "layout/layout.h"
#include "ops/expression/eval_program.h"

const mnp_array *mnp__run_array(const mnp__run *r, mnp__operand root)
{
    return root < MNP__MAX_NAMES ? r->request->inputs[root] : r->values[root - MNP__MAX_NAMES];
}

/* Show where in the text a mistake is that was found when it ran. */
mnp_status mnp__run_show(const mnp__run *r, ptrdiff_t at, mnp_status st)
{
    const char *message = mnp_error_message();
    size_t length = strlen(r->request->function);
    char sentence[512];
    if (st != MNP_ERR_ARG)
        return st;
    if (strncmp(message, r->request->function, length) == 0 && message[length] == ':')
        message += length + 2;
    else if (strncmp(message, "mnp_", 4) == 0) /* of a function that the text calls by its other name */
        message += 4;
    snprintf(sentence, sizeof sentence, "%s", message);
    return mnp__text_fail_at(r->request->text, r->request->text + at, sentence);
}

/* ---- views ---- */

/* Add a scalar's value to a subscript. */
static mnp_status add_bound(const mnp__run *r, const mnp__bound *bound, int64_t *field)
{
    int64_t value;
    if (bound->input < 0)
        return MNP_OK;
    memcpy(&value, mnp__scalar_value(r->request->inputs[bound->input]), sizeof value);
    if (__builtin_mul_overflow(value, bound->sign, &value) || __builtin_add_overflow(*field, value, field))
        return MNP_FAIL(MNP_ERR_ARG, "a subscript does not fit 64 bits");
    return MNP_OK;
}

/* What subscripts mean for an array. */
static mnp_status resolve(const mnp__run *r, const mnp__eval_view *view, const mnp_array *of, mnp__part *part)
{
    mnp__subscripts s = view->subscripts;
    MNP_TRY(mnp__array_check_blocks(r->request->function, of));
    for (int i = 0; i < s.count; i++) {
        MNP_TRY(add_bound(r, &s.bounds[i][0], &s.items[i].start));
        MNP_TRY(add_bound(r, &s.bounds[i][1], &s.items[i].stop));
        MNP_TRY(add_bound(r, &s.bounds[i][2], &s.items[i].step));
    }
    memset(part->at, 0, sizeof part->at);
    return mnp__subscripts_resolve(of->layout->ndim, of->layout->shape, s.count, s.items, &part->ndim, part->dims,
                                   part->at);
}

mnp_status mnp__run_view(const mnp__run *r, const mnp__eval_view *view, const mnp_array *of, mnp_array **view_p)
{
    mnp__part part;
    mnp_status st = resolve(r, view, of, &part);
    if (st == MNP_OK)
        st = mnp__view_make(of, part.ndim, part.dims, part.at, view_p);
    return st == MNP_OK ? st : mnp__run_show(r, view->at - r->program->text, st);
}

mnp_status mnp__run_open_view(const mnp__run *r, mnp__operand operand, mnp_array **view_p)
{
    const mnp__program *program = r->program;
    int chain[MNP__MAX_NESTED_VIEWS], count = 0;
    mnp_array *view = NULL;
    for (; operand < 0; operand = program->views[-1 - operand].of)
        chain[count++] = -1 - operand;
    while (count > 0) {
        mnp_array *of = view;
        view = NULL;
        mnp_status st = mnp__run_view(r, &program->views[chain[--count]], of ? of : mnp__run_array(r, operand), &view);
        mnp_array_free(of);
        MNP_TRY(st);
    }
    *view_p = view;
    return MNP_OK;
}

/* ---- inputs of a stage ---- */

void mnp__run_close_inputs(mnp__reading *in)
{
    for (int i = 0; i < in->count; i++) {
        mnp_array_free(in->views[i]);
        mnp_array_free(in->hulls[i]);
    }
    in->count = 0;
}

mnp_status mnp__run_open_inputs(const mnp__run *r, const mnp__stage *stage, mnp__reading *in)
{
    in->count = 0;
    for (int i = 0; i < stage->ninputs; i++) {
        in->views[i] = in->hulls[i] = NULL;
        if (stage->inputs[i] < 0) {
            mnp_status st = mnp__run_open_view(r, stage->inputs[i], &in->views[i]);
            if (st != MNP_OK) {
                mnp__run_close_inputs(in);
                return st;
            }
        }
        in->inputs[i] = in->views[i] ? in->views[i] : mnp__run_array(r, stage->inputs[i]);
        in->count = i + 1;
    }
    return MNP_OK;
}

/* ---- inputs that are shifted against each other ---- */

/* Whether two parts of one array are shifted against each other; their distances in indices of the parts. */
static bool find_distance(const mnp__part *a, const mnp__part *b, int64_t *distance)
{
    if (a->ndim != b->ndim || memcmp(a->at, b->at, sizeof a->at) != 0)
        return false;
    for (int d = 0; d < a->ndim; d++) {
        const mnp__view_dim *x = &a->dims[d], *y = &b->dims[d];
        distance[d] = 0;
        if (x->from != y->from || x->extent != y->extent || x->step != y->step || x->extent == 0)
            return false;
        if (x->from == MNP__NEW_DIM || x->start == y->start)
            continue;
        if ((y->start - x->start) % x->step != 0)
            return false;
        distance[d] = (y->start - x->start) / x->step;
    }
    return true;
}

/* The inputs that are shifted against input `first`, and where they lie. */
typedef struct group {
    int count, members[MNP__MAX_OPERANDS];
    mnp__part first;
    int64_t distances[MNP__MAX_OPERANDS][MNP_MAX_DIMS];
    int64_t least[MNP_MAX_DIMS], most[MNP_MAX_DIMS];
} group;

/* Find the group of an input that is a part of array `of`. */
static mnp_status find_group(const mnp__run *r, const mnp__stage *stage, const mnp__reading *in, int first,
                             const mnp_array *of, group *g)
{
    const mnp__eval_view *views = r->program->views;
    *g = (group){.count = 0};
    MNP_TRY(resolve(r, &views[-1 - stage->inputs[first]], of, &g->first));
    for (int i = first; i < stage->ninputs; i++) {
        int64_t *distance = g->distances[g->count];
        mnp__part part;
        if (stage->inputs[i] >= 0 || in->shifts[i].hull ||
            views[-1 - stage->inputs[i]].of != views[-1 - stage->inputs[first]].of)
            continue;
        MNP_TRY(resolve(r, &views[-1 - stage->inputs[i]], of, &part));
        if (!find_distance(&g->first, &part, distance))
            continue;
        for (int d = 0; d < part.ndim; d++) {
            g->least[d] = mnp__min(distance[d], g->least[d]);
            g->most[d] = mnp__max(distance[d], g->most[d]);
        }
        g->members[g->count++] = i;
    }
    return MNP_OK;
}

/* Make the hull of a group: the part of the array from the least distance to the greatest. */
static mnp_status make_hull(const mnp_array *of, const group *g, mnp__reading *in)
{
    mnp__part hull = g->first;
    mnp_array *array;
    for (int d = 0; d < hull.ndim; d++) {
        hull.dims[d].start += g->least[d] * hull.dims[d].step;
        hull.dims[d].extent += g->most[d] - g->least[d];
    }
    MNP_TRY(mnp__view_make(of, hull.ndim, hull.dims, hull.at, &array));
    in->hulls[g->members[0]] = array;
    for (int m = 0; m < g->count; m++) {
        mnp__shift *shift = &in->shifts[g->members[m]];
        shift->hull = array;
        for (int d = 0; d < hull.ndim; d++)
            shift->offset[d] = g->distances[m][d] - g->least[d];
    }
    return MNP_OK;
}

mnp_status mnp__run_find_shifts(const mnp__run *r, const mnp__stage *stage, mnp__reading *in)
{
    group g;
    memset(in->shifts, 0, (size_t)stage->ninputs * sizeof *in->shifts);
    for (int i = 0; i < stage->ninputs; i++) {
        mnp__operand of = stage->inputs[i] < 0 ? r->program->views[-1 - stage->inputs[i]].of : -1;
        if (of < 0 || in->shifts[i].hull || mnp_layout_is_cyclic(mnp__run_array(r, of)->layout))
            continue;
        MNP_TRY(find_group(r, stage, in, i, mnp__run_array(r, of), &g));
        if (g.count > 1)
            MNP_TRY(make_hull(mnp__run_array(r, of), &g, in));
    }
    return MNP_OK;
}
