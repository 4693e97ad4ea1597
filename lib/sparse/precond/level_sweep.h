/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relaxations: rows of a rank that are solved for their own unknown, in an order.
 *
 * The rows lie in groups, within which none depends on another: levels of a triangular matrix (E. Anderson, Y. Saad,
 * "Solving sparse triangular linear systems on parallel computers", 1989), or colours.  A sweep takes the groups one
 * after the other.  A large group is a launch by all workers, while groups that follow each other and are small are one
 * launch by a worker or block alone.  Where few rows are in a group, the host takes all rows in their order instead, in
 * which they lie in memory then.
 *
 * On GPUs entries lie in slices of 32 rows in the order of the groups, so that a warp reads them side by side; on the
 * host row by row.  A row's entries are summed from the first to the last, in UPPER and BEHIND from the last to the
 * first, so that a triangular solve has the same result whatever the groups and however the matrix is cut.
 */
#ifndef MNP__SPARSE_PRECOND_LEVEL_SWEEP_H
#define MNP__SPARSE_PRECOND_LEVEL_SWEEP_H

#include "kernels/sparse/precond/permute_rows_params.h"
#include "sparse/precond/own_block.h"

typedef struct mnp__level_sweep mnp__level_sweep;

/* Which entries count, and what their rows depend on. */
typedef enum mnp__level_sweep_order {
    MNP__RELAX_LOWER = MNP_PERMUTE_ROWS_LOWER, /* the entries below the diagonal: rows rise */
    MNP__RELAX_UPPER = MNP_PERMUTE_ROWS_UPPER, /* those above it: rows fall */
    MNP__RELAX_ALL = MNP_PERMUTE_ROWS_ALL,     /* all but the diagonal: by colours */
    /* By colours, of columns whose colour comes before the row's, and of those whose colour comes after it */
    MNP__RELAX_EARLIER = MNP_PERMUTE_ROWS_EARLIER,
    MNP__RELAX_LATER = MNP_PERMUTE_ROWS_LATER,
    /* A range of columns that are no rows of this block, but before them, or behind them: all rows at once */
    MNP__RELAX_BEFORE = MNP_PERMUTE_ROWS_BEFORE,
    MNP__RELAX_BEHIND = MNP_PERMUTE_ROWS_BEHIND
} mnp__level_sweep_order;

/* Find the colours of all rows, which are needed before relaxations by them.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__level_sweep_colour(mnp__pattern *pattern);

/* What relaxations are made of; none of it becomes theirs. */
typedef struct mnp__level_sweep_source {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp__kernel *kernel;         /* mnp__level_sweep_load_arranger() */
    const mnp__part *part;       /* in CSR, in device memory */
    const mnp__pattern *pattern; /* its entries for LOWER and UPPER, its colours for orders by colours */
    int64_t first, end;          /* columns of BEFORE and BEHIND, which these number from 0 on */
} mnp__level_sweep_source;

/* Compile the kernel that arranges entries.  Collective, and agreed upon.  MNP_ERR_COMPILE. */
mnp_status mnp__level_sweep_load_arranger(mnp__level_sweep_source *source);

/*
 * The number of the first entry of a triangle (LOWER, UPPER, BEFORE, BEHIND) that should be 0, but is not, as it is on
 * the other side; -1: none is.  Waits.  Not collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__level_sweep_find_beyond(const mnp__level_sweep_source *source, mnp__level_sweep_order order,
                                        int64_t *entry_p);

/*
 * A relaxation of the entries that the order says, and inverse[i] for every row, on the CPU, in the source's dtype
 * (NULL: ones).  Waits.  Not collective, and runs only after it is loaded.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__level_sweep_new(const mnp__level_sweep_source *source, const void *inverse,
                                mnp__level_sweep_order order, mnp__level_sweep **relax_p);
void mnp__level_sweep_free(mnp__level_sweep *relax); /* NULL is accepted */

/* Compile the kernel, for one vector or for several side by side; once is enough.  Collective. */
mnp_status mnp__level_sweep_load(mnp__level_sweep *relax);
mnp_status mnp__level_sweep_load_wide(mnp__level_sweep *relax);

/* x[i] = keep * x[i] + inverse[i] * (b[i] - sum of a[i][j] from[j]); any of the vectors may be the same. */
typedef struct mnp__sweep {
    const void *b, *from; /* b NULL: zeros */
    void *x;
    int64_t width; /* vectors side by side, of all three */
    bool backward; /* groups from the last to the first */
    double keep;
} mnp__sweep;

/* Enqueued.  Not collective. */
mnp_status mnp__level_sweep_run(const mnp__level_sweep *relax, const mnp__sweep *sweep);

/* Levels or colours of the rows. */
int mnp__level_sweep_groups(const mnp__level_sweep *relax);

#endif
