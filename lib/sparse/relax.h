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
#ifndef MNP__SPARSE_RELAX_H
#define MNP__SPARSE_RELAX_H

#include "sparse/own_block.h"

typedef struct mnp__relax mnp__relax;

/* Which entries count, and what their rows depend on. */
typedef enum mnp__relax_order {
    MNP__RELAX_LOWER,  /* the entries below the diagonal: rows rise */
    MNP__RELAX_UPPER,  /* those above it: rows fall */
    MNP__RELAX_ALL,    /* all but the diagonal: by colours */
    /* By colours, of columns whose colour comes before the row's, and of those whose colour comes after it */
    MNP__RELAX_EARLIER,
    MNP__RELAX_LATER,
    MNP__RELAX_BEFORE, /* all, of columns that are no rows of this block, but before them: all rows at once */
    MNP__RELAX_BEHIND  /* the same, behind them */
} mnp__relax_order;

/* Find the colours of a block's rows, which are needed before relaxations by them.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__relax_colour(mnp__own_block *block);

/*
 * What is needed of a block: the entries that the order says, and inverse[i] for every row (NULL: ones).  Not
 * collective, and runs only after it is loaded.  MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__relax_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__own_block *block, const double _Complex *inverse,
                          mnp__relax_order order, mnp__relax **relax_p);
void mnp__relax_free(mnp__relax *relax); /* NULL is accepted */

/* Compile the kernel, for one vector or for several side by side; once is enough.  Collective. */
mnp_status mnp__relax_load(mnp__relax *relax);
mnp_status mnp__relax_load_wide(mnp__relax *relax);

/* x[i] = keep * x[i] + inverse[i] * (b[i] - sum of a[i][j] from[j]); any of the vectors may be the same. */
typedef struct mnp__sweep {
    const void *b, *from; /* b NULL: zeros */
    void *x;
    int64_t width;  /* vectors side by side, of all three */
    bool backward;  /* groups from the last to the first */
    double keep;
} mnp__sweep;

/* Enqueued.  Not collective. */
mnp_status mnp__relax_run(const mnp__relax *relax, const mnp__sweep *sweep);

/* Levels or colours of the rows. */
int mnp__relax_groups(const mnp__relax *relax);

#endif
