/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filtering slab by slab: rows of the result need those of the input that windows along the first dimension reach.
 */
#include <stdlib.h>

#include "filter/filter.h"

/* How many rows of the input before and after it a row of the result depends on; -1: on any number. */
static int64_t reach_of(const filtering *j)
{
    const struct filter *filter = j->filter;
    const int ndim = j->job.input.ndim;
    int64_t first;
    if ((filter->takes & NO_PLAN) && (filter->takes & BIT(AXIS))) { /* lines */
        const int axis = (int)filter_number(j, AXIS, 0, -1);
        if (axis != 0 && axis != -ndim)
            return 0;
        return filter->windows > 0 ? (int64_t)filter_number(j, WINDOW_LENGTH, 0, 3) : -1;
    }
    if (filter->windows == 0)
        return -1;
    if (filter->takes & BIT(ITERATIONS)) {
        const double iterations = filter_number(j, ITERATIONS, 0, 1);
        return iterations >= 1 ? filter->windows * (int64_t)iterations : -1;
    }
    const int64_t count = filter_window(j, 0, &first);
    if (count <= 1 && first == 0)
        return 0;
    return filter->windows * (count / 2 + llabs(first + count / 2)); /* a dilation turns its window round */
}

/* Refuse what surely does not fit. */
static mnp_status refuse(const filtering *j, int64_t elements)
{
    const stream *s = &j->job.stream;
    const int64_t least = elements * (int64_t)(mnp_dtype_size(j->job.input.dtype) + 1) / mnp_ctx_size(j->job.ctx);
    char needed[BYTES_TEXT], limit[BYTES_TEXT];
    if (s->limit == 0 || least <= s->limit || j->job.plan.wanted)
        return MNP_OK;
    return mnp_fail(
        MNP_ERR_MEMORY,
        "%s needs all of INPUT '%s' at once, and cannot go through it in slabs: that is at least %s a rank, "
        "and the memory limit is %s",
        j->filter->name, j->job.input.text, bytes_text(least, needed), bytes_text(s->limit, limit));
}

mnp_status filter_stream_plan(filtering *j)
{
    enum { KEPT = 4 }; /* arrays of the result's size: the result, what is between passes, and wider numbers */
    const operand *input = &j->job.input;
    const int64_t reach = reach_of(j), n = input->shape[0];
    mnp_heap_info heap;
    int64_t width = 1;
    for (int d = 1; d < input->ndim; d++)
        width *= input->shape[d];
    if (reach < 0 || reach >= n) {
        mnp_memory_heap(j->job.ctx, &heap);
        j->job.stream.limit = heap.limit;
        return refuse(j, n * width);
    }
    const mnp_dtype dtype = j->dtype == MNP_DTYPE_AUTO ? input->dtype : j->dtype;
    const int64_t result = (int64_t)mnp_dtype_size(dtype), wide = result > 4 ? result : 4;
    j->job.stream.wraps = (j->filter->takes & BIT(MODE)) && j->mode == MNP_NDIMAGE_WRAP;
    stream_plan(&j->job, &(stream_size){.rows = n,
                                        .row = width * ((int64_t)mnp_dtype_size(input->dtype) + KEPT * wide),
                                        .margin = 2 * reach});
    return MNP_OK;
}

void filter_stream_needs(const job *base, stream_slab *slab)
{
    const int64_t reach = reach_of((const filtering *)base);
    stream_around(&base->stream, base->input.shape[0], reach, reach, slab);
}
