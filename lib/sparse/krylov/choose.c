/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which method and preconditioner suit a matrix, and what to try next; sentences for how a solve ended.
 */
#include <maniple/solve.h>

#include "base/integer.h"
#include "base/status.h"
#include "context/context.h"
#include "sparse/matrix/sparse.h"

enum { MOST_ATTEMPTS = 3, SHORT_BASIS = 20, USUAL_BASIS = 50, LONG_BASIS = 200 };
static const double most_bytes = 268435456; /* of a rank's basis, if it has more than SHORT_BASIS vectors */

typedef enum kind { RECTANGULAR, POSITIVE, INDEFINITE, GENERAL, UNPIVOTED } kind;

/* What to try one after the other.  The last of each needs nothing of the matrix but memory or time. */
static const struct {
    int count;
    mnp_solve_choice choices[MOST_ATTEMPTS];
} attempts[] = {
    [RECTANGULAR] = {1, {{MNP_SOLVER_LSQR, MNP_PRECOND_NONE, 0}}},
    [POSITIVE] = {3,
                  {{MNP_SOLVER_CG, MNP_PRECOND_IC0, 0},
                   {MNP_SOLVER_MINRES, MNP_PRECOND_NONE, 0}, /* it was not definite */
                   {MNP_SOLVER_GMRES, MNP_PRECOND_JACOBI, LONG_BASIS}}},
    [INDEFINITE] = {2, {{MNP_SOLVER_MINRES, MNP_PRECOND_NONE, 0}, {MNP_SOLVER_GMRES, MNP_PRECOND_NONE, LONG_BASIS}}},
    [GENERAL] = {3,
                 {{MNP_SOLVER_GMRES, MNP_PRECOND_ILU0, USUAL_BASIS},
                  {MNP_SOLVER_GMRES, MNP_PRECOND_JACOBI, LONG_BASIS},
                  {MNP_SOLVER_LSQR, MNP_PRECOND_NONE, 0}}},
    [UNPIVOTED] = {2, {{MNP_SOLVER_GMRES, MNP_PRECOND_NONE, LONG_BASIS}, {MNP_SOLVER_LSQR, MNP_PRECOND_NONE, 0}}},
};

static kind kind_of(const mnp_solve_system *system)
{
    const mnp_sparse_traits *traits = &system->traits;
    if (system->shape[0] != system->shape[1])
        return RECTANGULAR;
    if (traits->hermitian)
        return traits->positive_diagonal ? POSITIVE : INDEFINITE;
    return traits->full_diagonal ? GENERAL : UNPIVOTED;
}

/* As many vectors as are wanted, or fewer where they take too much memory. */
static int basis_of(const mnp_solve_system *system, int wanted)
{
    const double bytes = (double)system->vector_bytes;
    return wanted * bytes <= most_bytes ? wanted : USUAL_BASIS * bytes <= most_bytes ? USUAL_BASIS : SHORT_BASIS;
}

bool mnp_solve_choose_for(const mnp_solve_system *system, int attempt, mnp_solve_choice *choice)
{
    MNP_NEED_OR(false, system);
    MNP_NEED_OR(false, choice);
    const kind found = kind_of(system);
    if (attempt < 0 || attempt >= attempts[found].count)
        return false;
    *choice = attempts[found].choices[attempt];
    /*
     * The triangles of ic0 wait for their rows, level after level, which costs a GPU more than the iterations that it
     * saves: the Laplacian of 1024 x 1024 points took 50 times as long as with jacobi (docs/guide/sparse-systems.md).
     */
    if (choice->precond == MNP_PRECOND_IC0 && system->on_gpu)
        choice->precond = MNP_PRECOND_JACOBI;
    if (choice->restart > 0)
        choice->restart = basis_of(system, choice->restart);
    return true;
}

bool mnp_solve_choose(const mnp_sparse *matrix, const mnp_sparse_traits *traits, int attempt, mnp_solve_choice *choice)
{
    MNP_NEED_OR(false, matrix);
    MNP_NEED_OR(false, traits);
    MNP_NEED_OR(false, choice);
    const mnp_layout *layout = mnp_sparse_column_layout(matrix);
    const int64_t *shape = mnp_sparse_shape(matrix), *cuts = mnp_layout_cuts(layout, 0);
    mnp_solve_system system = {
        .shape = {shape[0], shape[1]}, .on_gpu = !matrix->ctx->device->cpu_memory, .traits = *traits};
    for (int part = 0; part < mnp_layout_parts(layout, 0); part++)
        system.vector_bytes = mnp__max(system.vector_bytes, cuts[part + 1] - cuts[part]);
    system.vector_bytes *= (int64_t)mnp_dtype_size(mnp_sparse_dtype(matrix));
    return mnp_solve_choose_for(&system, attempt, choice);
}

const char *mnp_solve_reason_text(mnp_solve_reason reason)
{
    switch (reason) {
    case MNP_SOLVE_CONVERGED:
        return "converged";
    case MNP_SOLVE_MAXITER:
        return "stopped at the limit of iterations";
    case MNP_SOLVE_BREAKDOWN:
        return "breakdown: the method cannot continue with this matrix";
    case MNP_SOLVE_DIVERGED:
        return "diverged";
    case MNP_SOLVE_STOPPED:
        return "stopped";
    case MNP_SOLVE_STAGNATED:
        return "rounding keeps the residual above the tolerance";
    }
    return "unknown reason";
}
