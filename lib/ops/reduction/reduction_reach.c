/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short axes that are cut, on the host: where peers have mapped each other's blocks (lib/array/reach.h), and each has
 * few elements of every result, parts for all results would be as large as the elements.  So the results are shared
 * out.  A rank reduces its share from the blocks of all ranks, by one launch, and then copies the shares of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "array/boxes.h"
#include "array/reach.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"

enum {
    LEAST_BYTES = 16 << 10, /* of a part of all results; smaller ones are gathered at once */
    MOST_ELEMENTS = 32      /* of a result on each rank, on average */
};

typedef struct sharers {
    const mnp__reduction_work *work;
    const mnp__sharing *sharing;
    int members, narrays;
    const mnp_array *arrays[2 * MNP__MAX_REDUCTION_OPERANDS]; /* those of the work that are in memory */
    mnp__reached *blocks;                                     /* [member][array] */
    mnp__reduction_plan *plans;                               /* of the blocks that have elements */
    char *failed;                                             /* [member]: 1 if it has not reduced its share */
    int dim, place; /* the dimension along which results are shared out, in the layout and in the result's */
    int64_t extent; /* of the block along it */
} sharers;

/* Gather the arrays; false if one is not reached. */
static bool gather_arrays(sharers *s)
{
    const mnp__reduction_spec *spec = &s->work->reduction->spec;
    for (int k = 0; k < spec->ninputs + spec->noutputs; k++) {
        const mnp_array *array = k < spec->ninputs ? s->work->inputs[k] : s->work->outputs[k - spec->ninputs];
        if (mnp__array_is_scalar(array))
            continue;
        if (!mnp__reaches(array))
            return false;
        s->arrays[s->narrays++] = array;
    }
    return true;
}

/*
 * Choose where results are cut, alike on all ranks of the group: along the slowest dimension in memory that has several
 * indices for each rank, else along the longest.
 */
static void choose_cut(sharers *s)
{
    const mnp__reduction_work *work = s->work;
    const mnp_array *first = s->arrays[0];
    const int ndim = work->layout->ndim;
    int64_t lo[MNP_MAX_DIMS], results[MNP_MAX_DIMS];
    mnp__layout_box(work->result, work->rank, lo, results);
    for (int i = 0; i < ndim && s->extent < 4 * s->members; i++) {
        const int d = first->layout->ndim == ndim ? first->stored[i] : i;
        int place = 0;
        for (int e = 0; e < d; e++)
            place += work->keepdims || !(work->axes >> e & 1);
        if (work->axes >> d & 1 || results[place] <= s->extent)
            continue;
        s->dim = d;
        s->place = place;
        s->extent = results[place];
    }
}

static int64_t share_begin(const sharers *s, int member)
{
    return s->extent * member / s->members;
}

/* Plan this rank's share from the block of a member. */
static void plan_block(const sharers *s, int member, mnp__reduction_plan *plan)
{
    const mnp__reached *block = s->blocks + member * s->narrays;
    const int mine = mnp_comm_rank(s->sharing->group);
    mnp_array inputs[MNP__MAX_REDUCTION_OPERANDS];
    mnp__reduction_work work = *s->work;
    work.rank = mnp_comm_world_rank(s->sharing->group, member);
    work.cut = s->dim;
    work.from = share_begin(s, mine);
    work.to = share_begin(s, mine + 1);
    for (int i = 0; i < work.reduction->spec.ninputs; i++) {
        if (mnp__array_is_scalar(work.inputs[i]))
            continue;
        inputs[i] = *work.inputs[i];
        inputs[i].data = block->data;
        memcpy(inputs[i].local_strides, block->strides, sizeof block->strides);
        work.inputs[i] = &inputs[i];
        block++;
    }
    mnp__reduction_plan_make(&work, false, plan);
}

/* Whether a member has elements: it may own some of an input that is broadcast, and none of the others. */
static bool has_elements(const sharers *s, int member)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    return mnp__layout_box(s->work->layout, mnp_comm_world_rank(s->sharing->group, member), lo, extent);
}

/* One kernel goes through the blocks of all members, so it reaches an input as none of them forbids. */
static mnp_status reduce_share(sharers *s)
{
    const mnp__reduction_spec *spec = &s->work->reduction->spec;
    int count = 0;
    for (int member = 0; member < s->members; member++) {
        if (has_elements(s, member))
            plan_block(s, member, &s->plans[count++]);
    }
    mnp__reduction_plan *first = s->plans;
    if (count == 0 || first->outputs == 0)
        return MNP_OK;
    for (int k = 1; k < count; k++) {
        for (int i = 0; i < spec->ninputs; i++) {
            if (s->plans[k].signature.reach[i] != first->signature.reach[i])
                first->signature.reach[i] = MNP_REACH_STRIDED;
        }
        s->plans[k - 1].slots[MNP__SLOT_NEXT] = (uint64_t)(uintptr_t)s->plans[k].slots;
    }
    MNP_TRY(mnp__reduction_find_kernel(s->work, first));
    return mnp__reduction_launch(s->work, first, NULL);
}

/* Copy the share of a member of one output, which is number `number` of the arrays. */
static void copy_share(const sharers *s, int member, int number)
{
    const mnp_array *output = s->arrays[number];
    const mnp__reached *block = &s->blocks[member * s->narrays + number];
    const int64_t from = share_begin(s, member), size = (int64_t)mnp_dtype_size(output->dtype);
    int64_t extent[MNP_MAX_DIMS];
    memcpy(extent, output->local_shape, sizeof extent);
    extent[s->place] = share_begin(s, member + 1) - from;
    mnp__one_box box = mnp__one_box_of(output->layout->ndim, extent, block->strides, output->local_strides);
    mnp__one_box_order(&box);
    mnp__one_box_copy_on_cpu(&box, (size_t)size, block->data + from * block->strides[s->place] * size,
                             (char *)output->data + from * output->local_strides[s->place] * size);
}

static void copy_shares(const sharers *s)
{
    const int outputs = s->work->reduction->spec.noutputs, mine = mnp_comm_rank(s->sharing->group);
    for (int i = 1; i < s->members; i++) {
        const int member = (mine + i) % s->members;
        for (int number = s->narrays - outputs; number < s->narrays; number++) {
            if (share_begin(s, member) < share_begin(s, member + 1))
                copy_share(s, member, number);
        }
    }
}

/* Wait until all ranks of the group have got so far, and fail if one of them has. */
static mnp_status meet(const sharers *s, mnp_status st)
{
    mnp_comm *group = s->sharing->group;
    const int mine = mnp_comm_rank(group);
    s->failed[mine] = st != MNP_OK;
    MNP_TRY(mnp_comm_all_gather(group, s->failed + mine, 1, s->failed, MNP_UINT8));
    for (int member = 0; member < s->members && st == MNP_OK; member++) {
        if (s->failed[member])
            st = MNP_FAIL(MNP_ERR_PEER, "%s: rank %d could not reduce its share", s->work->call->function,
                          mnp_comm_world_rank(group, member));
    }
    return st;
}

/* Every rank of the group waits for the others at the same places, also after it has failed. */
static mnp_status run(sharers *s)
{
    mnp_comm *group = s->sharing->group;
    MNP_TRY(mnp__reach(group, s->narrays, s->arrays, s->blocks));
    MNP_TRY(meet(s, reduce_share(s))); /* the results are there, and the blocks may change */
    copy_shares(s);
    return mnp_comm_barrier(group); /* the results may change */
}

mnp_status mnp__reduction_reach(const mnp__reduction_work *work, const mnp__sharing *sharing, int64_t outputs,
                                bool *done_p)
{
    sharers s = {.work = work, .sharing = sharing, .members = mnp_comm_size(sharing->group)};
    int64_t elements = 1;
    for (int d = 0; d < work->layout->ndim; d++)
        elements *= work->axes >> d & 1 ? work->layout->shape[d] : 1;
    *done_p = outputs * (int64_t)work->reduction->spec.accumulator >= LEAST_BYTES &&
              elements <= MOST_ELEMENTS * (int64_t)s.members && gather_arrays(&s);
    if (!*done_p)
        return MNP_OK;
    choose_cut(&s);
    mnp_status st = mnp__malloc((size_t)s.members * (size_t)s.narrays * sizeof *s.blocks, &s.blocks);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)s.members * sizeof *s.plans, &s.plans);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)s.members, &s.failed);
    if (st == MNP_OK)
        st = run(&s);
    free(s.failed);
    free(s.plans);
    free(s.blocks);
    return st;
}
