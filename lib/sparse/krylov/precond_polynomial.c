/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chebyshev and polynomial: a polynomial of D^-1 A, D the diagonal, times D^-1, by as many products with A as its
 * degree.
 *
 * chebyshev: the iteration of chebyshev.c from 0 on, for the upper nine tenths of the spectrum (M. Adams and others,
 * "Parallel multigrid smoothing: polynomial versus Gauss-Seidel", J. Comput. Phys. 188, 2003).  polynomial: the Neumann
 * series sum of (I - w D^-1 A)^k w D^-1, w the inverse of the largest eigenvalue (P. F. Dubois, A. Greenbaum, G. H.
 * Rodrigue, "Approximating the inverse of a matrix for use in iterative algorithms on vector processors", Computing 22,
 * 1979).  That eigenvalue is estimated by a few iterations of Lanczos' method, which assumes that A is Hermitian and
 * positive definite; where it finds that A is not, the largest row sum of D^-1 A is used.
 */
#include <complex.h>
#include <stdlib.h>

#include "sparse/krylov/method.h"
#include "sparse/precond/own_block.h"

enum { ESTIMATE = 12, PARAMETER_MIDDLE = 0, PARAMETER_HALF = 1 };

typedef struct polynomial {
    mnp_ctx *ctx;
    mnp_operator *matrix;
    mnp_precond *jacobi;
    mnp__steps *steps;
    mnp_array *r, *z, *d, *q;
    int degree;
    double largest, middle, half;
    bool is_series;
} polynomial;

static const mnp__scalars scalars = {.reals = "rho, weight, momentum"};

static const mnp__step begin = {.name = "polynomial_begin",
                                .vectors = "y d r z x",
                                .before = "weight = 1 / parameter[0]; rho = parameter[1] / parameter[0];",
                                .body = "d = weight * z; y = d; r = x;"};

static const mnp__step lose = {.name = "polynomial_lose", .vectors = "r q", .body = "r -= q;"};

static const mnp__step advance = {.name = "polynomial_advance",
                                  .vectors = "y d z",
                                  .before = "if (parameter[1] == 0) {\n"
                                            "    momentum = 0;\n"
                                            "    weight = 1 / parameter[0];\n"
                                            "} else {\n"
                                            "    const double before = rho;\n"
                                            "    rho = 1 / (2 * parameter[0] / parameter[1] - before);\n"
                                            "    momentum = rho * before;\n"
                                            "    weight = 2 * rho / parameter[1];\n"
                                            "}",
                                  .body = "d = momentum * d + weight * z; y += d;"};

static mnp_status polynomial_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    polynomial *p = data;
    (void)adjoint;                                /* there is none */
    mnp_array *right = (mnp_array *)(uintptr_t)x; /* steps only read it */
    MNP_TRY(mnp__precond_apply(p->jacobi, false, x, p->z));
    MNP_TRY(mnp__steps_run(p->steps, &begin, (mnp_array *const[]){y, p->d, p->r, p->z, right}));
    for (int k = 0; k < p->degree; k++) {
        MNP_TRY(mnp__operator_apply(p->matrix, false, p->d, p->q));
        MNP_TRY(mnp__steps_run(p->steps, &lose, (mnp_array *const[]){p->r, p->q}));
        MNP_TRY(mnp__precond_apply(p->jacobi, false, p->r, p->z));
        MNP_TRY(mnp__steps_run(p->steps, &advance, (mnp_array *const[]){y, p->d, p->z}));
    }
    return MNP_OK;
}

static void polynomial_describe(const void *data, FILE *file)
{
    const polynomial *p = data;
    fprintf(file, "degree %d, so %d product%s with the matrix an application; largest eigenvalue about %.3g", p->degree,
            p->degree, p->degree == 1 ? "" : "s", p->largest);
}

static void polynomial_free(mnp_ctx *ctx, void *data)
{
    polynomial *p = data;
    (void)ctx;
    if (!p)
        return;
    mnp_array_free(p->r);
    mnp_array_free(p->z);
    mnp_array_free(p->d);
    mnp_array_free(p->q);
    mnp__steps_free(p->steps);
    mnp_precond_free(p->jacobi);
    mnp_operator_free(p->matrix);
    free(p);
}

/* The largest row sum of |D^-1 A| over all ranks, which no eigenvalue exceeds. */
static mnp_status largest_row_sum(const mnp_sparse *matrix, double *largest_p)
{
    mnp__csr csr = {.rows = 0};
    double largest = 0;
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__sparse_to_csr(matrix, &csr));
    for (int64_t i = 0; i < csr.rows && st == MNP_OK; i++) {
        double sum = 0, diagonal = 0;
        for (int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; e++) {
            double parts[2];
            mnp__value_get(csr.dtype, csr.values, e, parts);
            const double size = cabs(CMPLX(parts[0], parts[1]));
            sum += size;
            diagonal = csr.indices[e] == matrix->row_lo + i ? size : diagonal;
        }
        sum /= diagonal > 0 ? diagonal : 1;
        largest = sum > largest ? sum : largest;
    }
    mnp__csr_free(&csr);
    if (st == MNP_OK)
        st = mnp__all_reduce(&matrix->ctx->comm, &largest, 1, MPI_DOUBLE, MPI_MAX);
    *largest_p = largest;
    return st;
}

static mnp_status estimate(polynomial *p, const mnp_sparse *matrix)
{
    double bounds[2], row_sum;
    MNP_TRY(mnp__estimate_bounds(p->matrix, p->jacobi, ESTIMATE, bounds));
    MNP_TRY(largest_row_sum(matrix, &row_sum));
    p->largest = bounds[0] > 0 && 1.1 * bounds[1] < row_sum ? 1.1 * bounds[1] : row_sum;
    p->largest = p->largest > 0 ? p->largest : 1; /* there are no entries */
    p->middle = p->is_series ? p->largest : 0.55 * p->largest;
    p->half = p->is_series ? 0 : 0.45 * p->largest;
    return MNP_OK;
}

static mnp_status allocate(polynomial *p, const mnp_sparse *matrix)
{
    mnp_array **const vectors[] = {&p->r, &p->z, &p->d, &p->q};
    struct mnp_step_control control = {.parameter = {[PARAMETER_MIDDLE] = p->middle, [PARAMETER_HALF] = p->half}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        MNP_TRY(mnp__vector_zeros(matrix->ctx, matrix->dtype, matrix->row_layout, vectors[i]));
    MNP_TRY(mnp__steps_new(matrix->ctx, matrix->dtype, &scalars, 0, 0, 0, &p->steps));
    return mnp__steps_begin(p->steps, &control);
}

mnp_status mnp__precond_polynomial(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                                   const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {
        .apply = polynomial_apply, .describe = polynomial_describe, .free = polynomial_free};
    polynomial *p = NULL;
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__calloc(1, sizeof *p, &p));
    if (st == MNP_OK) {
        *p = (polynomial){.ctx = matrix->ctx, .degree = options->degree, .is_series = kind == MNP_PRECOND_POLYNOMIAL};
        st = mnp_operator_from_sparse(matrix, &p->matrix);
    }
    if (st == MNP_OK)
        st = mnp_precond_new(matrix, MNP_PRECOND_JACOBI, NULL, &p->jacobi);
    if (st == MNP_OK)
        st = estimate(p, matrix);
    if (st == MNP_OK)
        st = allocate(p, matrix);
    if (st == MNP_OK) {
        *ops_p = &ops;
        *data_p = p;
    } else {
        polynomial_free(matrix->ctx, p);
    }
    return st;
}
