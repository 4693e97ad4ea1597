/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple filter --plan: what ranks exchange, keep and compute.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter/filter.h"

static void plan_text(const void *run)
{
    const filtering *j = run;
    printf("filter    %s\n", j->filter->name);
    print_operand("input", &j->job.input);
}

static void plan_json(const void *run, json_writer *out)
{
    const filtering *j = run;
    json_text(out, "filter", j->filter->name);
    json_text(out, "input", j->job.input.text);
    json_integers(out, "shape", j->job.input.ndim, j->job.input.shape);
}

/* The place of dimension d among those that are filtered; -1: it is not. */
static int place_of(const filtering *j, int d)
{
    const value *axes = &j->values[AXES];
    for (int i = 0; i < axes->count; i++)
        if (((int)axes->numbers[i] + j->job.input.ndim) % j->job.input.ndim == d)
            return i;
    return axes->count > 0 ? -1 : d;
}

int64_t filter_window(const filtering *j, int d, int64_t *first)
{
    const unsigned takes = j->filter->takes;
    const int i = place_of(j, d);
    int64_t count = 3, origin = 0;
    *first = 0;
    if (i < 0)
        return 1;
    if (takes & BIT(SIGMA))
        count = 2 * (int64_t)(filter_number(j, TRUNCATE, 0, 4) * filter_number(j, SIGMA, i, 1) + 0.5) + 1;
    else if (takes & BIT(SIZE))
        count = (int64_t)filter_number(j, SIZE, i, 3), origin = (int64_t)filter_number(j, ORIGIN, i, 0);
    *first = -(count / 2) - origin;
    return count;
}

/* What ranks exchange: for a window all at once, for passes along the axes one after the other. */
static plan_sent exchange_of(const filtering *j, const plan *p, bool passes)
{
    const operand *input = &j->job.input;
    plan_sent all = {.bytes = 0};
    for (int pass = 0; pass < (passes ? input->ndim : 1); pass++) {
        plan_window w = {.ndim = input->ndim,
                         .shape = input->shape,
                         .boundary = j->mode == MNP_NDIMAGE_WRAP ? MNP_BOUNDARY_WRAP : MNP_BOUNDARY_FILL,
                         .size = (double)mnp_dtype_size(input->dtype)};
        for (int d = 0; d < input->ndim; d++)
            if (!passes || d == pass)
                w.last[d] = filter_window(j, d, &w.first[d]) - 1 + w.first[d];
        const plan_sent sent = plan_around(p, &w);
        all.bytes += sent.bytes;
        all.messages += sent.messages;
        all.received += sent.received;
    }
    return all;
}

/* How far windows reach over the ends of a block along dimension d; nothing if it is not cut. */
static void find_reach(const filtering *j, int d, int parts, double *before, double *after)
{
    int64_t first;
    const int64_t count = filter_window(j, d, &first);
    *before = parts > 1 && first < 0 ? (double)-first : 0;
    *after = parts > 1 && first + count > 1 ? (double)(first + count - 1) : 0;
}

/*
 * Elements that the windows of outputs at the borders of a block reach, which are brought to memory of their own: for
 * the border at either end of each dimension that is cut; in passes along axes they are not wider along others.
 */
static double border_elements(const filtering *j, double block, const int *parts, bool passes)
{
    const operand *input = &j->job.input;
    double all = 0;
    for (int d = 0; d < input->ndim; d++) {
        double before, after, others = block / ceil((double)input->shape[d] / parts[d]);
        for (int e = 0; e < input->ndim && !passes; e++) {
            find_reach(j, e, parts[e], &before, &after);
            others *= e == d ? 1 : 1 + (before + after) / ceil((double)input->shape[e] / parts[e]);
        }
        find_reach(j, d, parts[d], &before, &after);
        all += others * ((before > 0 ? 2 * before + after : 0) + (after > 0 ? before + 2 * after : 0));
    }
    return all;
}

/*
 * A rank needs what lies around its block, from the ranks beside it.  Filters that take one axis after the other pass
 * over memory for each; what the arithmetic of sorted windows and of labels takes was not measured.
 */
mnp_status filter_plan(job *base, plan *p)
{
    const filtering *j = (const filtering *)base;
    const operand *input = &base->input;
    const unsigned takes = j->filter->takes;
    int parts[MNP_MAX_DIMS];
    if (takes & NO_PLAN)
        return mnp_fail(MNP_ERR_ARG, "there is no plan of %s", j->filter->name);
    const double block = plan_block(p, input->ndim, input->shape, parts), size = (double)mnp_dtype_size(input->dtype),
                 bytes = block * size;
    const bool sorts = strstr(j->filter->name, "med") || (takes & (BIT(RANK) | BIT(PERCENTILE))) != 0,
               repeats = (takes & (BIT(CONNECTIVITY) | BIT(ITERATIONS))) != 0, passes = !(takes & BIT(SIZE));
    const plan_sent sent = exchange_of(j, p, passes);
    double taps = 0;
    for (int d = 0; d < input->ndim; d++) {
        int64_t first;
        taps += (double)filter_window(j, d, &first);
    }
    const mnp_dtype result = j->dtype == MNP_DTYPE_AUTO ? input->dtype : j->dtype;
    plan_by(p, "%s",
            sorts     ? "the sorted window of every element, in one pass"
            : repeats ? "steps to neighbours, in passes until nothing changes"
                      : "one axis after the other");
    plan_keep(p, "input", bytes);
    int cut = 0;
    for (int d = 0; d < input->ndim; d++)
        cut += parts[d] > 1;
    const double out = block * (double)mnp_dtype_size(result), between = passes ? (cut > 1 ? 2 : 1) * out : 0,
                 work = between + border_elements(j, block, parts, passes) * size + sent.received;
    plan_keep(p, "output", out);
    plan_keep(p, "work", work);
    if (p->ranks > 1) {
        plan_step border = {.what = "what lies around a block",
                            .bytes = sent.bytes + sent.received,
                            .launches = passes ? input->ndim : 1};
        plan_neighbours(p, &border, sent.bytes, sent.messages);
        plan_add(p, border);
    }
    plan_add(p, (plan_step){.what = "filter",
                            .at_least = true,
                            /* passes reach half the rate of direct sums */
                            .operations = sorts || repeats ? 0 : block * taps * (passes ? 2 : 1),
                            .work = WORK_WINDOWS,
                            .dtype = size > 4 ? MNP_FLOAT64 : MNP_FLOAT32,
                            .bytes = 2 * bytes * (passes ? input->ndim : 1),
                            .fresh = out + work,
                            .launches = sorts ? 1 : input->ndim});
    plan_note(p, "filters were not measured on the machine: rates are those of convolutions along one axis");
    p->run = j;
    p->text = plan_text;
    p->json = plan_json;
    return MNP_OK;
}
