/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sweeps over the rows of a rank's block: each row is solved for its own unknown.  Triangular solves, incomplete
 * factors and successive over-relaxation are all such sweeps.
 *
 * The rows lie in groups in which no row depends on another: the levels of a triangular matrix (E. Anderson, Y. Saad,
 * "Solving sparse triangular linear systems on parallel computers", 1989), or colours.  A sweep takes the groups one
 * after the other.  A large group is one launch by all workers; consecutive small groups share a launch by one worker
 * or block.  Where groups have few rows, the host instead takes all rows in their order, and stores them in that
 * order.
 *
 * On GPUs entries lie in slices of 32 rows in the order of the groups, so that a warp reads them side by side; on the
 * host they lie row by row.  A row's entries are summed from the first to the last, in UPPER and BEHIND from the last
 * to the first, so a triangular solve has the same result for any grouping and any number of ranks.
 */
#ifndef MNP__SPARSE_PRECOND_LEVEL_SWEEP_H
#define MNP__SPARSE_PRECOND_LEVEL_SWEEP_H

#include "kernels/sparse/precond/permute_rows_params.h"
#include "sparse/precond/own_block.h"

typedef struct mnp__level_sweep mnp__level_sweep;

/* Which entries count, and what their rows depend on. */
typedef enum mnp__sweep_kind {
    MNP__SWEEP_LOWER = MNP_PERMUTE_ROWS_LOWER, /* the entries below the diagonal: rows rise */
    MNP__SWEEP_UPPER = MNP_PERMUTE_ROWS_UPPER, /* those above it: rows fall */
    MNP__SWEEP_ALL = MNP_PERMUTE_ROWS_ALL,     /* all but the diagonal: by colours */
    /* entries in columns whose colour comes before the row's colour, or after it: by colours */
    MNP__SWEEP_EARLIER = MNP_PERMUTE_ROWS_EARLIER,
    MNP__SWEEP_LATER = MNP_PERMUTE_ROWS_LATER,
    /* entries in a range of columns that lie outside the block, before it or behind it: all rows at once */
    MNP__SWEEP_BEFORE = MNP_PERMUTE_ROWS_BEFORE,
    MNP__SWEEP_BEHIND = MNP_PERMUTE_ROWS_BEHIND
} mnp__sweep_kind;

/* Find the colours of all rows, which sweeps by colours need.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__level_sweep_colour(mnp__pattern *pattern);

/* What a sweep is made from; all of it is borrowed. */
typedef struct mnp__level_sweep_source {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__kernel *kernel;         /* from mnp__level_sweep_load_permutation() */
    const mnp__part *part;       /* in CSR, in device memory */
    const mnp__pattern *pattern; /* its entries for LOWER and UPPER, its colours for orders by colours */
    int64_t first, end;          /* the range of columns for BEFORE and BEHIND; `from` begins with the first one */
} mnp__level_sweep_source;

/* Compile the kernel that reorders entries.  Collective, and agreed upon.  MNP_ERR_COMPILE. */
mnp_status mnp__level_sweep_load_permutation(mnp__level_sweep_source *source);

/*
 * Check that a matrix is triangular.  *entry_p receives the number of the first entry on the other side of the diagonal
 * that is not 0, or -1 if there is none.  For LOWER, UPPER, BEFORE and BEHIND.  Waits.  Not collective.
 * MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__level_sweep_find_other_side(const mnp__level_sweep_source *source, mnp__sweep_kind kind,
                                            int64_t *entry_p);

/*
 * Make a sweep over the entries of that kind.  `inverse` has a factor for every row, in the CPU's memory and in the
 * source's dtype; NULL stands for ones.  Call one of the load functions before the sweep is run.  Waits.  Not
 * collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__level_sweep_new(const mnp__level_sweep_source *source, const void *inverse, mnp__sweep_kind kind,
                                mnp__level_sweep **plan_p);
void mnp__level_sweep_free(mnp__level_sweep *plan); /* NULL is accepted */

/* Compile the kernel, for one vector or for several side by side; once is enough.  Collective. */
mnp_status mnp__level_sweep_load(mnp__level_sweep *plan);
mnp_status mnp__level_sweep_load_wide(mnp__level_sweep *plan);

/* x[i] = keep * x[i] + inverse[i] * (b[i] - sum of a[i][j] from[j]); any of the vectors may be the same. */
typedef struct mnp__sweep {
    const void *b, *from; /* b NULL: zeros */
    void *x;
    int64_t width; /* vectors side by side, of all three */
    bool backward; /* groups from the last to the first */
    double keep;
} mnp__sweep;

/* Enqueued.  Not collective. */
mnp_status mnp__level_sweep_run(const mnp__level_sweep *plan, const mnp__sweep *sweep);

/* Levels or colours of the rows. */
int mnp__level_sweep_groups(const mnp__level_sweep *plan);

#endif
