/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a scan: how a run chooses the kernel that suits its operands' strides, and that kernel's parameter.
 */
#ifndef MNP__OPS_SCAN_SCAN_PLAN_H
#define MNP__OPS_SCAN_SCAN_PLAN_H

#include "kernels/scan/scan_params.h"
#include "ops/scan/scan.h"

enum {
    /* 64-bit numbers of the parameter, as kernels/scan/scan_params.h has them */
    MNP__SCAN_TASK = 0,
    MNP__SCAN_LINES,
    MNP__SCAN_LENGTH,
    MNP__SCAN_PARTS,
    MNP__SCAN_TEAM,
    MNP__SCAN_COLUMNS,
    MNP__SCAN_STRIP,
    MNP__SCAN_RUN,
    MNP__SCAN_KNOWN,
    MNP__SCAN_FIRST,
    MNP__SCAN_BY,
    MNP__SCAN_COUNT,
    MNP__SCAN_PART_TOTALS,
    MNP__SCAN_STATE,
    MNP__SCAN_RUN_NUMBER,
    MNP__SCAN_BLOCKS_BEFORE,
    MNP__SCAN_EXTENTS,
    MNP__SCAN_SLOTS = MNP__SCAN_EXTENTS + 2 * MNP_MAX_DIMS + 2 * (3 + MNP_MAX_DIMS),
    MNP__SCAN_SHORT_BYTES = 22 << 10, /* of the elements, or the results, of short lines in shared memory */
    MNP__SCAN_BAND_BYTES = 31 << 10,  /* the same of a band */
    MNP__SCAN_GROUPS = 512,           /* groups of short lines of a block, unless they are dense in memory */
    MNP__SCAN_BAND_COLUMNS = 128,     /* at most */
    MNP__SCAN_THREADS = 256           /* of a block; a multiple of 32 */
};

/* Bytes of shared memory for short lines whose elements and results have these sizes; of the same size they share it. */
static inline int64_t mnp__scan_short_bytes(int64_t in, int64_t out)
{
    return MNP__SCAN_SHORT_BYTES / (in > out ? in : out) * (in == out ? in : in + out);
}

/* What a kernel is compiled for.  Signatures are compared by their bytes. */
typedef struct mnp__scan_signature {
    unsigned char way, kept, vector, unroll, unit_in, unit_out, beside, shifted;
} mnp__scan_signature;

/* One run on this rank: a kernel's signature, how wide it runs, and its parameter. */
typedef struct mnp__scan_plan {
    mnp__scan_signature signature;
    mnp__launch launch, totals; /* computes the values; computes the totals of parts, if there are several */
    int64_t lines, parts;
    int64_t gap[2]; /* of the elements, and of the results, of short lines */
    size_t state;   /* bytes of the state of tiles or bands */
    bool small;     /* so the general kernel is fast enough */
    int nslots;
    uint64_t slots[MNP__SCAN_SLOTS];
} mnp__scan_plan;

/*
 * Plan a run, if `general` with the kernel for any strides.  Along the dimensions of `repeated`, bits, only the lines at
 * index 0 are scanned.  `threads`: of a rank on the host; 0 on a GPU.
 */
void mnp__scan_plan_make(const mnp__reduction_spec *spec, const mnp_array *x, const mnp_array *out, int axis,
                         unsigned repeated, int threads, bool general, mnp__scan_plan *plan);

#endif
