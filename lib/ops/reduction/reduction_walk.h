/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What planning knows of a run of a reduction on this rank: reduction_plan.c gathers it, for reduction_plan_cuda.c too.
 */
#ifndef MNP__OPS_REDUCTION_REDUCTION_WALK_H
#define MNP__OPS_REDUCTION_REDUCTION_WALK_H

#include "base/integer.h"
#include "base/nest.h"
#include "device/launch.h"
#include "ops/reduction/reduction_plan.h"

/* A run while it is being planned. */
typedef struct mnp__reduction_walk {
    const mnp__reduction_work *work;
    const mnp__reduction_spec *spec;
    int counter, place; /* operands after the inputs: the flat index; and last, the numbers of results */
    mnp__nest nests[2]; /* the kept and the reduced dimensions */
    int64_t stride[2][MNP__REDUCTION_STRIDES][MNP_MAX_DIMS];
    uint64_t base[MNP__REDUCTION_STRIDES], base_more[MNP__REDUCTION_STRIDES]; /* the latter of scalars */
    int64_t times;             /* by which each element counts, where a reduced dimension is a broadcast one */
    int64_t outputs, elements; /* results, and elements of one of them */
} mnp__reduction_walk;

/* The innermost dimension of a nest, which is MNP__KEPT or MNP__REDUCED; and its extent. */
static inline int mnp__walk_innermost(const mnp__reduction_walk *w, int which)
{
    return w->nests[which].ndim - 1;
}

static inline int64_t mnp__walk_extent(const mnp__reduction_walk *w, int which)
{
    return w->nests[which].extent[mnp__walk_innermost(w, which)];
}

/* The stride of the first input along it. */
static inline int64_t mnp__walk_stride(const mnp__reduction_walk *w, int which)
{
    return w->stride[which][0][mnp__walk_innermost(w, which)];
}

/* The number of parts for which the scratch memory has room, and which are much smaller than their elements. */
static inline int64_t mnp__walk_most_parts(const mnp__reduction_walk *w)
{
    const int64_t accumulator = (int64_t)w->spec->accumulator,
                  bytes = w->elements * (int64_t)mnp_dtype_size(w->spec->operands[0].memory);
    return mnp__clamp(MNP__REDUCTION_SCRATCH / accumulator / w->outputs, 1, mnp__max(bytes / (4 * accumulator), 1));
}

/* A launch of so many blocks of a GPU. */
static inline mnp__launch mnp__reduction_cuda_launch(int64_t blocks)
{
    return (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {MNP__REDUCTION_THREADS, 1, 1}, .early = true};
}

/*
 * reduction_plan_cuda.c: set the way of access and the launch for vectors along the innermost dimension of nest `along`,
 * and the exponents of how many threads share a row, or a line of columns, and of how many of these share a result.
 */
void mnp__reduction_plan_cuda(mnp__reduction_walk *w, int along, mnp__reduction_plan *plan, int64_t *team_p,
                              int64_t *deep_p);

#endif
