/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A preconditioner: what every kind provides.
 */
#ifndef MNP__SPARSE_PRECOND_PRECOND_H
#define MNP__SPARSE_PRECOND_PRECOND_H

#include <maniple/solve.h>

#include "array/array.h"

/* A kind: how it is applied, described (after its name, in a line), and freed. */
typedef struct mnp__precond_ops {
    /* y = M x, or M^H x, if the preconditioner has an adjoint; enqueued, alike on all ranks */
    mnp_status (*apply)(void *data, bool adjoint, const mnp_array *x, mnp_array *y);
    void (*describe)(const void *data, FILE *file);
    void (*free)(mnp_ctx *ctx, void *data); /* collective; NULL: nothing to free */
    bool any_dtype;                         /* apply takes vectors of any dtype, and computes in it */
} mnp__precond_ops;

struct mnp_precond {
    unsigned tag; /* MNP__TAG_precond: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *layout;
    const char *name;
    const mnp__precond_ops *ops;
    void *data;
    bool enqueues; /* apply only enqueues, so it can be recorded in a graph */
    bool has_adjoint;
};

/*
 * The preconditioner for vectors of that dtype, which is complex where the preconditioner's is; *made_p is NULL where it
 * is its own.  It must not outlive the preconditioner.  Collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__precond_in_dtype(const mnp_precond *precond, mnp_dtype dtype, mnp_precond **made_p);

/* What makes each kind; options are complete, without zeros.  Collective, and agreed upon. */
typedef mnp_status (*mnp__precond_maker)(const mnp_sparse *matrix, mnp_precond_kind kind,
                                         const mnp_precond_options *options, const mnp__precond_ops **ops_p,
                                         void **data_p);
mnp_status mnp__precond_jacobi(const mnp_sparse *, mnp_precond_kind, const mnp_precond_options *,
                               const mnp__precond_ops **, void **); /* jacobi, block-jacobi */
mnp_status mnp__precond_ilu0_ic0(const mnp_sparse *, mnp_precond_kind, const mnp_precond_options *,
                                 const mnp__precond_ops **, void **); /* ilu0, ic0 */
mnp_status mnp__precond_sor(const mnp_sparse *, mnp_precond_kind, const mnp_precond_options *,
                            const mnp__precond_ops **, void **); /* sor, ssor */
mnp_status mnp__precond_polynomial(const mnp_sparse *, mnp_precond_kind, const mnp_precond_options *,
                                   const mnp__precond_ops **, void **); /* chebyshev, polynomial */

/* y = M x or M^H x, vectors in the preconditioner's dtype and layout; y is not x.  Collective. */
static inline mnp_status mnp__precond_apply(const mnp_precond *precond, bool adjoint, const mnp_array *x, mnp_array *y)
{
    return precond->ops->apply(precond->data, adjoint, x, y);
}

#endif
