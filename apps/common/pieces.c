/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cutting a shape into pieces.
 */
#include "common/pieces.h"

#include <string.h>

bool pieces_plan(int ndim, const int64_t *shape, int whole, int64_t limit, pieces *plan)
{
    int64_t size = whole < 0 ? 1 : shape[whole]; /* elements of one index of dimensions 0 to d */
    bool fits = size <= limit;
    *plan = (pieces){.ndim = ndim, .whole = whole, .cut = -1, .along = 1, .count = 1};
    for (int d = 0; d < ndim; d++) {
        plan->shape[d] = shape[d];
        plan->count = shape[d] == 0 ? 0 : plan->count;
    }
    int d = ndim - 1;
    for (; d >= 0 && plan->count > 0; d--) {
        if (d == whole)
            continue;
        if (shape[d] > limit / size)
            break;
        size *= shape[d];
    }
    plan->largest = plan->count > 0 ? size : 0;
    if (d < 0 || plan->count == 0)
        return fits;
    int64_t most = limit / size > 0 ? limit / size : 1;
    plan->cut = d;
    plan->along = (shape[d] - 1) / most + 1;
    plan->rows = (shape[d] - 1) / plan->along + 1; /* as equal as possible */
    plan->along = (shape[d] - 1) / plan->rows + 1;
    plan->largest = size * plan->rows;
    plan->count = plan->along;
    for (int before = 0; before < d; before++)
        plan->count *= before == whole ? 1 : shape[before];
    return fits;
}

void pieces_get(const pieces *plan, int64_t index, int64_t *start, int64_t *extent)
{
    memset(start, 0, (size_t)plan->ndim * sizeof *start);
    memcpy(extent, plan->shape, (size_t)plan->ndim * sizeof *extent);
    if (plan->cut < 0)
        return;
    start[plan->cut] = index % plan->along * plan->rows;
    if (extent[plan->cut] - start[plan->cut] > plan->rows)
        extent[plan->cut] = plan->rows;
    else
        extent[plan->cut] -= start[plan->cut];
    index /= plan->along;
    for (int d = plan->cut - 1; d >= 0; d--) {
        if (d == plan->whole)
            continue;
        start[d] = index % plan->shape[d];
        extent[d] = 1;
        index /= plan->shape[d];
    }
}
