/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a reduction: how a run chooses the kernel that suits its operands' strides, and that kernel's parameter; how
 * ranks that share results exchange their parts; and the scratch memory that all reductions of a context use.
 */
#ifndef MNP__OPS_REDUCTION_REDUCTION_PLAN_H
#define MNP__OPS_REDUCTION_REDUCTION_PLAN_H

#include "base/nest.h"
#include "kernels/reduction/reduce_params.h"
#include "ops/common/kernel_table.h"
#include "ops/elementwise/generated.h"
#include "ops/reduction/reduction.h"

enum {
    MNP__REDUCTION_STRIDES =
        MNP__MAX_REDUCTION_OPERANDS + 2, /* of operands, of the flat index, of the numbers of results */
    /* 64-bit numbers of the parameter, as kernels/reduction/reduce_params.h has them */
    MNP__SLOT_TASK = 0,
    MNP__SLOT_PARTS = 3,
    MNP__SLOT_TEAM,
    MNP__SLOT_DEEP,
    MNP__SLOT_EACH,
    MNP__SLOT_TILES,
    MNP__SLOT_CHUNKS,
    MNP__SLOT_COUNT,
    MNP__SLOT_TIMES,
    MNP__SLOT_DDOF,
    MNP__SLOT_SHARE,
    MNP__SLOT_INITIAL,
    MNP__SLOT_SOURCE = MNP__SLOT_INITIAL + 2,
    MNP__SLOT_TARGET,
    MNP__SLOT_NEXT,
    MNP__SLOT_EXTENTS,
    MNP__REDUCTION_SLOTS = MNP__SLOT_EXTENTS + 2 * MNP_MAX_DIMS + MNP__REDUCTION_STRIDES * (1 + 2 * MNP_MAX_DIMS),
    MNP__REDUCTION_THREADS = 256,     /* of a block; a multiple of 64 */
    MNP__REDUCTION_VECTOR = 16,       /* bytes that a thread of a GPU reads at once */
    MNP__REDUCTION_TILE = 18 << 10,   /* bytes of the tiles that a block of a GPU reduces at a time */
    MNP__REDUCTION_PLACES = 4096,     /* elements of an output in a tile if they are listed */
    MNP__REDUCTION_SCRATCH = 16 << 20 /* bytes for the parts of one run */
};

/* The two nests of dimensions. */
enum { MNP__KEPT, MNP__REDUCED };

/* What a kernel is compiled for.  Signatures are compared by their bytes. */
typedef struct mnp__reduction_signature {
    unsigned char kept, reduced, columns, outs, falls, tiled, tile_kept, tile_reduced, tile_loop, tile_count,
        tile_turns, cut_reduced, vector, along, unroll, reach[MNP__MAX_REDUCTION_OPERANDS];
} mnp__reduction_signature;

struct mnp__reduction {
    mnp_ctx *ctx;
    mnp__reduction_spec spec; /* its texts and operands belong to the reduction */
    mnp__generated generated; /* the text that all of its kernels share */
    mnp__entry *kernels;      /* by mnp__reduction_signature */
    mnp__entry *scans;        /* kernels of scans with it (lib/ops/scan), by mnp__scan_signature */
    bool agreed, scan_agreed; /* all ranks have compiled a kernel of either list */
};

/* One run on this rank: a kernel's signature, how wide it runs, and its parameter. */
typedef struct mnp__reduction_plan {
    mnp__reduction_signature signature;
    mnp__launch launch;
    int64_t outputs, parts;      /* results of this rank, and parts of one result */
    int64_t place;               /* of the result with the first indices */
    int64_t each, tiles, chunks; /* as kernels/reduction/reduce_params.h has them */
    bool small, general;         /* so small that the general kernel is fast enough; it is the general kernel */
    mnp__kernel *kernel;         /* set by mnp__reduction_find_kernel() */
    int nslots;
    uint64_t slots[MNP__REDUCTION_SLOTS];
} mnp__reduction_plan;

/*
 * The arrays of a run: `inputs` have blocks of the layout `layout`, those of `rank`, `outputs` blocks of `result`.
 * With `cut` not below 0, only the results from .. to-1 along that dimension of the layout, counted in the block, are
 * wanted, and the plans for the blocks of several ranks have the same dimensions, so that one kernel goes through all.
 */
typedef struct mnp__reduction_work {
    mnp__reduction *reduction;
    const mnp__reduction_call *call;
    int rank, cut;
    int64_t from, to;
    const mnp_layout *layout, *result;
    unsigned axes;
    unsigned repeated; /* bit d: of kept dimension d of the layout, only the results at index 0 are computed */
    bool keepdims;
    const mnp_array *inputs[MNP__MAX_REDUCTION_OPERANDS];
    mnp_array *outputs[MNP__MAX_REDUCTION_OPERANDS];
} mnp__reduction_work;

/* reduction_plan.c: plan a run, if `general` with the kernel that takes any strides. */
void mnp__reduction_plan_make(const mnp__reduction_work *work, bool general, mnp__reduction_plan *plan);

/*
 * reduction_tiles.c: plan a run by tiles of one input.  `nests` are the kept and the reduced dimensions, whose strides'
 * first row is the input's.  Returns the number of blocks, or 0, with nothing changed, if tiles do not suit.
 */
int64_t mnp__reduction_plan_tiles(const mnp__reduction_spec *spec, const mnp__nest *nests, int64_t most_parts,
                                  mnp__reduction_plan *plan, int64_t *team_p, int64_t *deep_p);

/* Find the size of a launch that joins `parts` parts of every output; this also sets the team in the parameter. */
mnp__launch mnp__reduction_join_launch(const mnp_ctx *ctx, mnp__reduction_plan *plan, int64_t parts);

/*
 * reduction_run.c: find or load the kernel of a plan, and set what the call gives; reduce elements to parts at
 * `target`, or to results if that is NULL.
 */
mnp_status mnp__reduction_find_kernel(const mnp__reduction_work *work, mnp__reduction_plan *plan);
mnp_status mnp__reduction_launch(const mnp__reduction_work *work, mnp__reduction_plan *plan, void *target);

/* reduction_source.c: write a reduction's text from its spec, and load the kernel for a signature. */
mnp_status mnp__reduction_write(mnp__reduction *reduction);
mnp_status mnp__reduction_load(const mnp__reduction *reduction, const mnp__reduction_signature *signature,
                               mnp__kernel **kernel_p);

/*
 * The ranks that share results for one layout, and the memory in which each has the parts of all of them: `bytes` for
 * every rank of the group, in its order.
 */
typedef struct mnp__sharing {
    struct mnp__sharing *next;
    mnp_layout *layout;
    unsigned axes;
    size_t accumulator;
    mnp_comm *group; /* the context owns it */
    size_t bytes;
    char *parts; /* device memory, in the heap where there is one */
} mnp__sharing;

/* Whether ranks share results; and the sharing that was made for that layout before, or NULL. */
bool mnp__is_shared(const mnp_layout *layout, unsigned axes);
mnp__sharing *mnp__sharing_find(mnp_ctx *ctx, const mnp__reduction_work *work);

/* Make a sharing for `outputs` results on this rank.  Collective; all ranks agree.  MNP_ERR_MEMORY, MNP_ERR_COMM. */
mnp_status mnp__sharing_make(mnp_ctx *ctx, const mnp__reduction_work *work, int64_t outputs, mnp__sharing **sharing_p);

/* The memory for this rank's own part; and the collective that gathers the parts of the others. */
char *mnp__sharing_own(const mnp__sharing *sharing);
mnp_status mnp__sharing_gather(const mnp__sharing *sharing);

/*
 * reduction_reach.c: where few elements on each rank make many results, and the CPU reaches the blocks of all ranks,
 * each rank of the group reduces its share of the `outputs` results from all blocks, and they copy the others' shares.
 * *done_p: it was so, on all ranks of the group.  Collective over the group.  MNP_ERR_COMPILE, MNP_ERR_MEMORY,
 * MNP_ERR_COMM.
 */
mnp_status mnp__reduction_reach(const mnp__reduction_work *work, const mnp__sharing *sharing, int64_t outputs,
                                bool *done_p);

/* Device memory of MNP__REDUCTION_SCRATCH bytes for the parts of one run on the compute stream.  MNP_ERR_MEMORY. */
mnp_status mnp__reduction_scratch(mnp_ctx *ctx, void **scratch_p);

#endif
