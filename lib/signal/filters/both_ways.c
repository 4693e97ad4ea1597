/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recurrences forward and backward over whole lines on a GPU, in two passes over memory: the first reads x as it goes
 * on beyond its ends, the second reads the first one's results from the end on, and writes what is wanted.
 */
#include "signal/filters/both_ways.h"

#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "signal/filters/constants.h"
#include "signal/filters/fetch.h"
#include "signal/filters/recurrence_tiles.h"

typedef struct run {
    mnp_ctx *ctx;
    const mnp__both_ways *how;
    int axis, reals;
    mnp__input x;
    mnp_array *forward; /* the extended lines, each after `lead` elements that mean nothing */
    int64_t extended, lead;
    mnp__output y;
    mnp__recurrence_tiles first, second;
    const double *steady;
} run;

static mnp_dtype wide_dtype(const mnp_array *x)
{
    return mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
}

static int reals_of(const mnp_array *x)
{
    return mnp_dtype_kind(x->dtype) == 'c' ? 2 : 1;
}

bool mnp__both_ways_fit(const mnp__recurrence *filter, const mnp_array *x, int axis)
{
    return mnp_layout_parts(x->layout, axis) == 1 && mnp__recurrence_tiles_fit(filter, x, axis, reals_of(x));
}

static mnp_status open_output(run *r, const mnp_array *x, int64_t outputs, mnp_array **y_p)
{
    const bool fits = *y_p && mnp_can_cast(wide_dtype(x), (*y_p)->dtype, MNP_CASTING_SAME_KIND);
    mnp_layout *layout;
    MNP_TRY(mnp__lines_layout(x->layout, r->axis, outputs, &layout));
    const mnp__output_spec spec = {
        .function = r->how->function, .ctx = r->ctx, .dtype = fits ? (*y_p)->dtype : wide_dtype(x), .layout = layout};
    const mnp_status st = mnp__output_open(&spec, y_p, &r->y);
    mnp_layout_free(layout);
    return st;
}

/*
 * Make room for the first pass's results, such that an element of x and what it becomes have the same place among the
 * ALIGNED elements that lie in a vector: then both passes can read and write vectors.
 */
static mnp_status open_forward(run *r, const mnp_array *x)
{
    enum { ALIGNED = 4 };
    mnp_layout *layout;
    r->extended = x->layout->shape[r->axis] + 2 * r->how->width;
    r->lead = mnp__divide_up(r->how->width, ALIGNED) * ALIGNED - r->how->width;
    const int64_t room = mnp__divide_up(r->lead + r->extended, ALIGNED) * ALIGNED;
    MNP_TRY(mnp__lines_layout(x->layout, r->axis, room, &layout));
    const mnp_status st = mnp_array_new(r->ctx, wide_dtype(x), layout, &r->forward);
    mnp_layout_free(layout);
    return st;
}

static mnp_status launch_forward(const run *r)
{
    mnp_recurrence_tiles_params p = {.length = r->extended,
                                     .width = r->how->width,
                                     .extension = r->how->extension,
                                     .first = r->lead,
                                     .step = 1,
                                     .places = r->lead + r->extended,
                                     .every = 1,
                                     .start = r->steady,
                                     .scaled = 1};
    mnp__recurrence_lines(r->x.array, r->forward, r->axis, r->reals, &p.over);
    return mnp__recurrence_tiles_launch(&r->first, &p);
}

static mnp_status launch_backward(const run *r)
{
    const int64_t length = r->extended - 2 * r->how->width;
    mnp_recurrence_tiles_params p = {.length = r->extended,
                                     .first = length + r->how->width - 1,
                                     .step = -1,
                                     .places = length,
                                     .every = r->how->every,
                                     .start = r->steady,
                                     .scaled = 1};
    mnp__recurrence_lines(r->forward, r->y.array, r->axis, r->reals, &p.over);
    p.over.in.base = (double *)p.over.in.base + (r->lead + r->extended - 1) * p.over.in.along;
    p.over.in.along = -p.over.in.along;
    return mnp__recurrence_tiles_launch(&r->second, &p);
}

mnp_status mnp__both_ways_run(const mnp__both_ways *how, const mnp_array *x, int axis, mnp_array **y_p)
{
    const int64_t length = x->layout->shape[axis];
    const mnp_dtype in = mnp__dtype_real(x->dtype);
    run r = {.ctx = x->ctx, .how = how, .axis = axis, .reals = reals_of(x)};
    mnp_status st;
    MNP_TRY_OR(open_output(&r, x, mnp__divide_up(length, how->every), y_p), st, done);
    MNP_TRY_OR(mnp__input_open(x, x->layout, MNP_DTYPE_AUTO, 0, &r.x), st, done);
    MNP_TRY_OR(open_forward(&r, x), st, done);
    MNP_TRY_OR(mnp__taps_get(r.ctx, how->filter->order, how->steady, &r.steady), st, done);
    MNP_TRY_OR(mnp__recurrence_tiles_open(r.ctx, how->filter, in, MNP_FLOAT64, r.extended, &r.first), st, done);
    MNP_TRY_OR(mnp__recurrence_tiles_open(r.ctx, how->filter, MNP_FLOAT64, mnp__dtype_real(r.y.array->dtype),
                                          r.extended, &r.second),
               st, done);
    st = launch_forward(&r);
    if (st == MNP_OK)
        st = launch_backward(&r);
    st = MNP_AGREE(r.ctx, st);
done:
    mnp__input_close(&r.x);
    mnp_array_free(r.forward);
    return mnp__output_close(1, &r.y, st);
}
