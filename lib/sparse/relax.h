/*
 * Relaxations: rows of a rank's own block that are solved for their own unknown, in an order.
 *
 * The rows lie in groups, within which none depends on another: levels of a triangular matrix, or colours.  A sweep takes
 * the groups one after the other, a launch each.  Where groups are small, the host takes all rows in their order instead,
 * in one launch by one worker: a launch costs more than it would spread.
 */
#ifndef MNP__SPARSE_RELAX_H
#define MNP__SPARSE_RELAX_H

#include "sparse/own_block.h"

typedef struct mnp__relax mnp__relax;

typedef enum mnp__relax_order {
    MNP__RELAX_LOWER, /* the entries below the diagonal, row by row: rows rise */
    MNP__RELAX_UPPER, /* those above it: rows fall */
    MNP__RELAX_ALL    /* all but the diagonal: by colours */
} mnp__relax_order;

/*
 * What is needed of a block: the entries that the order says, and inverse[i] for every row.  Not collective, and runs only
 * after mnp__relax_load().  MNP_ERR_MEMORY.
 */
mnp_status mnp__relax_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__own_block *block, const double _Complex *inverse,
                          mnp__relax_order order, mnp__relax **relax_p);
void mnp__relax_free(mnp__relax *relax); /* NULL is accepted */

/* Compile the kernel.  Collective. */
mnp_status mnp__relax_load(mnp__relax *relax);

/* One sweep of x for b, backward: groups from the last to the first.  Enqueued.  Not collective. */
mnp_status mnp__relax_run(const mnp__relax *relax, bool backward, double keep, double weight, const void *b, void *x);

int mnp__relax_groups(const mnp__relax *relax);

#endif
