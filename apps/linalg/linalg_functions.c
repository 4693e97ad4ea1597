/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of maniple linalg: what each computes, and by which residual it says how good that is. */
#include "linalg/linalg_functions.h"

/* ---- measures ---- */

static void note(linalg_job *j, const char *name, double value)
{
    j->measures[j->count].name = name;
    j->measures[j->count++].value = value;
}

/* Frobenius' norm, on all ranks. */
static mnp_status size_of(const mnp_array *x, double *size_p)
{
    mnp_array *norm = NULL;
    mnp_status st = mnp_norm(x, NULL, MNP_ALL_AXES, &norm);
    if (st == MNP_OK)
        st = mnp_array_item(norm, MNP_FLOAT64, size_p);
    mnp_array_free(norm);
    return st;
}

static double quotient(double above, double below)
{
    return below > 0 ? above / below : above;
}

/* The norm of x y - z. */
static mnp_status difference(const mnp_array *x, const mnp_array *y, const mnp_array *z, mnp_array **difference_p,
                             double *size_p)
{
    mnp_array *product = NULL;
    mnp_status st = mnp_matmul(x, y, &product);
    if (st == MNP_OK)
        st = mnp_subtract(product, z, difference_p);
    if (st == MNP_OK)
        st = size_of(*difference_p, size_p);
    mnp_array_free(product);
    return st;
}

/* ---- functions ---- */

static mnp_status run_solve(linalg_job *j)
{
    double rest = 0, of_a = 0, of_x = 0, of_b = 0;
    mnp_array *r = NULL;
    mnp_status st = mnp_linalg_solve(j->a, j->b, (mnp_assume)j->assume, &j->results[0]);
    if (st == MNP_OK && j->assume == MNP_ASSUME_GENERAL)
        st = difference(j->a, j->results[0], j->b, &r, &rest);
    st = st == MNP_OK ? size_of(j->a, &of_a) : st;
    st = st == MNP_OK ? size_of(j->results[0], &of_x) : st;
    st = st == MNP_OK ? size_of(j->b, &of_b) : st;
    if (st == MNP_OK && r)
        note(j, "|Ax - b| / (|A| |x| + |b|)", quotient(rest, of_a * of_x + of_b));
    mnp_array_free(r);
    return st;
}

static mnp_status run_matmul(linalg_job *j)
{
    return mnp_matmul(j->a, j->b, &j->results[0]);
}

static mnp_status run_norm(linalg_job *j)
{
    double value = 0;
    mnp_status st = mnp_matrix_norm(j->a, j->ord, false, &j->results[0]);
    if (st == MNP_OK && mnp_array_ndim(j->a) == 2)
        st = mnp_array_item(j->results[0], MNP_FLOAT64, &value);
    if (st == MNP_OK && mnp_array_ndim(j->a) == 2)
        note(j, "norm", value);
    return st;
}

static mnp_status run_lstsq(linalg_job *j)
{
    int64_t rank = 0;
    double rest = 0, normal = 0, of_a = 0, of_b = 0;
    mnp_array *r = NULL, *turned = NULL, *conjugate = NULL, *product = NULL;
    mnp_status st = mnp_lstsq(j->a, j->b, j->rcond, &j->results[0], NULL, &rank, &j->spectrum);
    st = st == MNP_OK ? difference(j->a, j->results[0], j->b, &r, &rest) : st;
    st = st == MNP_OK ? mnp_conjugate(j->a, &conjugate) : st;
    st = st == MNP_OK ? mnp_swapaxes(conjugate, 0, 1, &turned) : st;
    st = st == MNP_OK ? mnp_matmul(turned, r, &product) : st;
    st = st == MNP_OK ? size_of(product, &normal) : st;
    st = st == MNP_OK ? size_of(j->a, &of_a) : st;
    st = st == MNP_OK ? size_of(j->b, &of_b) : st;
    if (st == MNP_OK) {
        note(j, "rank", (double)rank);
        note(j, "|Ax - b|", rest);
        note(j, "|A^H (Ax - b)| / (|A| |b|)", quotient(normal, of_a * of_b));
    }
    mnp_free_all(product, turned, conjugate, r);
    return st;
}

/* |left diag(values) right - a| / |a|, or without `right` |a left - left diag(values)| / |a|. */
static mnp_status measure_spectrum(linalg_job *j, const mnp_array *left, const mnp_array *values,
                                   const mnp_array *right)
{
    double rest = 0, of_a = 0;
    mnp_array *row = NULL, *scaled = NULL, *r = NULL;
    mnp_status st = mnp_expand_dims(values, 1, (const int[]){mnp_array_ndim(values) - 1}, &row);
    st = st == MNP_OK ? mnp_multiply(left, row, &scaled) : st;
    st = st == MNP_OK ? (right ? difference(scaled, right, j->a, &r, &rest) : difference(j->a, left, scaled, &r, &rest))
                      : st;
    st = st == MNP_OK ? size_of(j->a, &of_a) : st;
    if (st == MNP_OK)
        note(j, right ? "|U S V^H - A| / |A|" : "|A V - V W| / |A|", quotient(rest, of_a));
    mnp_free_all(r, scaled, row);
    return st;
}

static mnp_status run_svd(linalg_job *j)
{
    const linalg_largest *some = &j->largest;
    mnp_array **u = &j->results[1], **s = &j->results[0], **vh = &j->results[2];
    mnp_status st = some->count > 0
                        ? mnp_svd_randomised(j->a, some->count, LARGEST_OVERSAMPLING, (int)linalg_iterations(some),
                                             some->seed < 0 ? 0 : (uint64_t)some->seed, u, s, vh)
                        : mnp_svd(j->a, false, u, s, vh);
    return st == MNP_OK ? measure_spectrum(j, j->results[1], j->results[0], j->results[2]) : st;
}

static mnp_status run_eigh(linalg_job *j)
{
    mnp_status st = mnp_eigh(j->a, false, &j->results[0], &j->results[1]);
    return st == MNP_OK ? measure_spectrum(j, j->results[1], j->results[0], NULL) : st;
}

/* The eigenvalues of a general A; the picture has their moduli. */
static mnp_status run_eig(linalg_job *j)
{
    mnp_status st = mnp_eig(j->a, &j->results[0], &j->results[1]);
    st = st == MNP_OK ? mnp_abs(j->results[0], &j->spectrum) : st;
    return st == MNP_OK ? measure_spectrum(j, j->results[1], j->results[0], NULL) : st;
}

/* Say how far x y is from z, divided by `scale`, and by |x| and |y| if that is 0. */
static mnp_status measure_product(linalg_job *j, const char *name, const mnp_array *x, const mnp_array *y,
                                  const mnp_array *z, double scale)
{
    double rest = 0, of_x = 1, of_y = 1;
    mnp_array *r = NULL;
    mnp_status st = difference(x, y, z, &r, &rest);
    if (scale <= 0) {
        st = st == MNP_OK ? size_of(x, &of_x) : st;
        st = st == MNP_OK ? size_of(y, &of_y) : st;
    }
    if (st == MNP_OK)
        note(j, name, quotient(rest, scale > 0 ? scale : of_x * of_y));
    mnp_array_free(r);
    return st;
}

/* The factors of A: the left and the right one, of which the right one is the result of -o. */
static mnp_status measure_factors(linalg_job *j, const char *name)
{
    double of_a = 0;
    const mnp_status st = size_of(j->a, &of_a);
    return st == MNP_OK ? measure_product(j, name, j->results[1], j->results[0], j->a, of_a) : st;
}

static mnp_status run_qr(linalg_job *j)
{
    const mnp_status st = mnp_qr(j->a, "reduced", &j->results[1], &j->results[0]);
    return st == MNP_OK ? measure_factors(j, "|Q R - A| / |A|") : st;
}

static mnp_status run_polar(linalg_job *j)
{
    const mnp_status st = mnp_polar(j->a, false, &j->results[1], &j->results[0]);
    return st == MNP_OK ? measure_factors(j, "|U P - A| / |A|") : st;
}

static mnp_status run_lu(linalg_job *j)
{
    mnp_array *p = NULL, *l = NULL;
    mnp_status st = mnp_lu(j->a, &p, &l, &j->results[0]);
    st = st == MNP_OK ? mnp_matmul(p, l, &j->results[1]) : st;
    mnp_free_all(l, p);
    return st == MNP_OK ? measure_factors(j, "|P L U - A| / |A|") : st;
}

static mnp_status run_schur(linalg_job *j)
{
    mnp_array *turned = NULL;
    double of_a = 0;
    mnp_status st = mnp_schur(j->a, false, &j->results[0], &j->results[1]);
    st = st == MNP_OK ? mnp_matmul(j->results[1], j->results[0], &turned) : st;
    st = st == MNP_OK ? size_of(j->a, &of_a) : st;
    st = st == MNP_OK ? measure_product(j, "|A Z - Z T| / |A|", j->a, j->results[1], turned, of_a) : st;
    mnp_array_free(turned);
    return st;
}

static mnp_status run_cholesky(linalg_job *j)
{
    mnp_array *conjugate = NULL, *turned = NULL;
    double of_a = 0;
    mnp_status st = mnp_cholesky(j->a, false, &j->results[0]);
    st = st == MNP_OK ? mnp_conjugate(j->results[0], &conjugate) : st;
    st = st == MNP_OK ? mnp_swapaxes(conjugate, -2, -1, &turned) : st;
    st = st == MNP_OK ? size_of(j->a, &of_a) : st;
    st = st == MNP_OK ? measure_product(j, "|L L^H - A| / |A|", j->results[0], turned, j->a, of_a) : st;
    mnp_free_all(turned, conjugate);
    return st;
}

static mnp_status run_inv(linalg_job *j)
{
    mnp_array *one = NULL;
    const int64_t n = mnp_array_shape(j->a)[mnp_array_ndim(j->a) - 1];
    mnp_status st = mnp_inv(j->a, &j->results[0]);
    st = st == MNP_OK ? mnp_eye(j->ctx, MNP_FLOAT64, n, n, 0, &one) : st;
    st = st == MNP_OK ? measure_product(j, "|A X - 1| / (|A| |X|)", j->a, j->results[0], one, 0) : st;
    mnp_array_free(one);
    return st;
}

static mnp_status run_pinv(linalg_job *j)
{
    mnp_array *product = NULL;
    mnp_status st = mnp_pinv(j->a, j->rcond, &j->results[0]);
    st = st == MNP_OK ? mnp_matmul(j->a, j->results[0], &product) : st;
    st = st == MNP_OK ? measure_product(j, "|A X A - A| / (|A X| |A|)", product, j->a, j->a, 0) : st;
    mnp_array_free(product);
    return st;
}

static mnp_status run_sqrtm(linalg_job *j)
{
    const mnp_status st = mnp_sqrtm(j->a, &j->results[0]);
    return st == MNP_OK ? measure_product(j, "|X X - A| / |X|^2", j->results[0], j->results[0], j->a, 0) : st;
}

/* Say the number that a function gives for one matrix. */
static mnp_status note_number(linalg_job *j, const char *name, const mnp_array *number)
{
    double value = 0;
    if (mnp_array_ndim(number) > 0)
        return MNP_OK;
    const mnp_status st = mnp_array_item(number, MNP_FLOAT64, &value);
    if (st == MNP_OK)
        note(j, name, value);
    return st;
}

static mnp_status run_det(linalg_job *j)
{
    mnp_array *sign = NULL, *logarithm = NULL;
    mnp_status st = mnp_det(j->a, &j->results[0]);
    if (st == MNP_OK && mnp_dtype_kind(mnp_array_dtype(j->results[0])) != 'c')
        st = note_number(j, "det", j->results[0]);
    st = st == MNP_OK ? mnp_slogdet(j->a, &sign, &logarithm) : st;
    st = st == MNP_OK ? note_number(j, "log |det|", logarithm) : st;
    mnp_free_all(logarithm, sign);
    return st;
}

static mnp_status run_cond(linalg_job *j)
{
    const mnp_status st = mnp_cond(j->a, j->ord, &j->results[0]);
    return st == MNP_OK ? note_number(j, "cond", j->results[0]) : st;
}

static mnp_status run_rank(linalg_job *j)
{
    mnp_status st = mnp_matrix_rank(j->a, j->rcond, &j->results[0]);
    if (st == MNP_OK && j->request.picture.path)
        st = mnp_svdvals(j->a, &j->spectrum);
    return st == MNP_OK ? note_number(j, "rank", j->results[0]) : st;
}

/* A function of a matrix, of which there is no residual. */
static mnp_status run_one(linalg_job *j)
{
    return j->function->one(j->a, &j->results[0]);
}

const function linalg_functions[] = {
    {"solve", "x with A x = b", 2, ASSUME, run_solve, NULL},
    {"lstsq", "the smallest x for which |A x - b| is least", 2, SPECTRUM | RCOND, run_lstsq, NULL},
    {"svd", "the singular values of A, and vectors", 1, SPECTRUM | VECTORS | RIGHT | LARGEST, run_svd, NULL},
    {"eigh", "the eigenvalues of a Hermitian A, whose lower triangle is read", 1, SPECTRUM | VECTORS, run_eigh, NULL},
    {"eig", "the eigenvalues of any square A, which are complex", 1, SPECTRUM | VECTORS, run_eig, NULL},
    {"qr", "the R of A = Q R, with a unitary Q", 1, LEFT, run_qr, NULL},
    {"lu", "the U of A = P L U, with a permutation P", 1, LEFT, run_lu, NULL},
    {"cholesky", "the L of A = L L^H, of which the lower triangle is read", 1, 0, run_cholesky, NULL},
    {"polar", "the P of A = U P, with orthonormal columns or rows of U", 1, LEFT, run_polar, NULL},
    {"schur", "the T of A = Z T Z^H, with a unitary Z", 1, LEFT, run_schur, NULL},
    {"inv", "the inverse of A", 1, 0, run_inv, NULL},
    {"pinv", "the pseudo-inverse of A", 1, RCOND, run_pinv, NULL},
    {"det", "the determinant of A", 1, 0, run_det, NULL},
    {"norm", "a norm of A", 1, ORD, run_norm, NULL},
    {"cond", "the condition of A", 1, ORD, run_cond, NULL},
    {"rank", "the rank of A", 1, SPECTRUM | RCOND, run_rank, NULL},
    {"sqrtm", "the principal square root of A, complex", 1, 0, run_sqrtm, NULL},
    {"expm", "the exponential of A", 1, 0, run_one, mnp_expm},
    {"logm", "the principal logarithm of A, complex", 1, 0, run_one, mnp_logm},
    {"cosm", "the cosine of A", 1, 0, run_one, mnp_cosm},
    {"sinm", "the sine of A", 1, 0, run_one, mnp_sinm},
    {"matmul", "the product A B", 2, 0, run_matmul, NULL},
};
const int linalg_count = sizeof linalg_functions / sizeof *linalg_functions;
