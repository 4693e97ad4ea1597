/*
 * Running a method on one system.
 */
#ifndef MNP__SPARSE_SYSTEM_H
#define MNP__SPARSE_SYSTEM_H

#include "sparse/method.h"

/* Memory for systems with this operator, one after the other.  The options have no zeros any more, and stay.  Collective. */
mnp_status mnp__system_open(mnp__system *s, const mnp__method *method, const mnp_operator *op,
                            const mnp_solve_options *options);
void mnp__system_close(mnp__system *s);

/*
 * Solve A x = b from the guess x on; vectors in the operator's dtype and layouts, dense.  The result but for its seconds.
 * Collective.
 */
mnp_status mnp__system_solve(mnp__system *s, mnp_array *b, mnp_array *x, mnp_solve_result *result);

#endif
