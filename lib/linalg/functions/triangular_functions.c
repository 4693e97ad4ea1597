/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of upper triangular matrices, on the CPU.
 *
 * The square root by the recurrence over columns of Bjorck and Hammarling (A Schur method for the square root of a
 * matrix, 1983).  The logarithm by inverse scaling and squaring (Higham: Functions of matrices, 2008, section 11.5):
 * square roots until T^(1/2^s) - I is small, and Pade's approximation of degree 7 of log(1 + x), as the sum of
 * fractions which Gauss's quadrature of 7 points gives.  What T^(1/2^s) - I and the logarithm have on their diagonals
 * is computed from the eigenvalues themselves, where the subtraction would cost digits (Al-Mohy and Higham: Improved
 * inverse scaling and squaring algorithms for the matrix logarithm, 2012).
 *
 * Any function by Parlett's recurrence (A recurrence among the elements of functions of triangular matrices, 1976): as
 * T and f(T) commute, a column of f(T) is the solution of a triangular system, whose diagonal are differences of
 * eigenvalues.
 *
 * Cost for n x n: n^3 / 3 complex operations for each square root, 7 n^3 / 3 for the approximation, 2 n^3 / 3 for
 * Parlett's recurrence.
 */
#include "linalg/functions/triangular_functions.h"

#include <math.h>
#include <string.h>

enum { MOST_ROOTS = 64, POINTS = 7 };
static const double SMALL = 0.25; /* the norm up to which degree 7 is as good as float64: 0.264 in theory */
static const double NODES[POINTS] = {0.025446043828620757, 0.12923440720030277, 0.2970774243113014, 0.5,
                                     0.7029225756886985,   0.8707655927996972,  0.9745539561713792};
static const double WEIGHTS[POINTS] = {0.06474248308443532, 0.1398526957446383,  0.19091502525255916,
                                       0.20897959183673448, 0.19091502525255916, 0.1398526957446383,
                                       0.06474248308443532};

typedef double _Complex number;

/* y -= s x, of so many elements; real arithmetic, as that of C's complex numbers looks for NaN in every product. */
static void subtract(int64_t count, number s, const number *x, number *y)
{
    const double a = creal(s), b = cimag(s), *from = (const double *)x;
    double *to = (double *)y;
    for (int64_t i = 0; i < count; i++) {
        to[2 * i] -= a * from[2 * i] - b * from[2 * i + 1];
        to[2 * i + 1] -= a * from[2 * i + 1] + b * from[2 * i];
    }
}

int mnp__triangular_sqrt(int64_t n, number *t, number *work)
{
    (void)work;
    for (int64_t j = 0; j < n; j++) {
        number *column = t + j * n;
        column[j] = csqrt(column[j]);
        for (int64_t i = j - 1; i >= 0; i--) {
            const number sum = t[i * n + i] + column[j];
            column[i] = sum == 0 && column[i] == 0 ? 0 : column[i] / sum;
            subtract(i, column[i], t + i * n, column);
        }
    }
    return 0;
}

/* exp(z) - 1 */
static number expm1_of(number z)
{
    const double x = creal(z), y = cimag(z), half = sin(y / 2);
    return expm1(x) * cos(y) - 2 * half * half + I * (exp(x) * sin(y));
}

/* The largest sum of moduli in a column of the upper triangle of T - I. */
static double distance_from_identity(int64_t n, const number *t)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i <= j; i++)
            sum += cabs(t[j * n + i] - (i == j ? 1 : 0));
        most = sum > most ? sum : most;
    }
    return most;
}

/* sum += weight (I + node X)^-1 X, column by column */
static void add_fraction(int64_t n, const number *x, double node, double weight, number *column, number *sum)
{
    for (int64_t j = 0; j < n; j++) {
        memcpy(column, x + j * n, (size_t)(j + 1) * sizeof *column);
        for (int64_t i = j; i >= 0; i--) {
            column[i] /= 1 + node * x[i * n + i];
            subtract(i, node * column[i], x + i * n, column);
            sum[j * n + i] += weight * column[i];
        }
    }
}

/* The diagonal is kept in the first column of the work memory, and the sum of fractions is behind it. */
int mnp__triangular_log(int64_t n, number *t, number *work)
{
    number *logarithms = work, *column = work + n, *sum = work + 2 * n;
    int roots = 0;
    for (int64_t i = 0; i < n; i++) {
        if (t[i * n + i] == 0)
            return (int)(i + 1);
        logarithms[i] = clog(t[i * n + i]);
    }
    for (; roots < MOST_ROOTS && distance_from_identity(n, t) > SMALL; roots++)
        (void)mnp__triangular_sqrt(n, t, NULL);
    for (int64_t i = 0; i < n; i++)
        t[i * n + i] = expm1_of(ldexp(1, -roots) * logarithms[i]);
    for (int64_t i = 0; i < n * n; i++)
        sum[i] = 0;
    for (int k = 0; k < POINTS; k++)
        add_fraction(n, t, NODES[k], WEIGHTS[k], column, sum);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i <= j; i++)
            t[j * n + i] = i == j ? logarithms[i] : ldexp(1, roots) * sum[j * n + i];
    }
    return 0;
}

/* Column j of F, where x has t_ij of the column above the diagonal: (T - t_jj I) f = F t - f_jj t.  See above. */
static double next_column(int64_t n, int64_t j, const number *t, number *f)
{
    const number *x = t + j * n;
    number *column = f + j * n;
    double nearest = INFINITY;
    for (int64_t i = 0; i < j; i++)
        column[i] = 0;
    for (int64_t k = 0; k < j; k++) {
        subtract(k, -x[k], f + k * n, column);
        column[k] += (f[k * n + k] - column[j]) * x[k];
    }
    for (int64_t i = j - 1; i >= 0; i--) {
        const number difference = t[i * n + i] - x[j];
        const double distance = cabs(difference);
        if (distance < nearest && (distance > 0 || column[i] != 0 || x[i] != 0))
            nearest = distance;
        if (distance > 0)
            column[i] /= difference;
        subtract(i, column[i], t + i * n, column);
    }
    return nearest;
}

double mnp__triangular_parlett(int64_t n, const number *t, const number *values, number *f)
{
    double nearest = INFINITY, most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        f[j * n + j] = values[j];
        for (int64_t i = 0; i < n; i++) {
            if (i > j)
                f[j * n + i] = 0;
            sum += i < j ? cabs(t[j * n + i]) : 0;
        }
        most = sum > most ? sum : most;
        const double distance = next_column(n, j, t, f);
        nearest = distance < nearest ? distance : nearest;
    }
    return most > 0 ? most / nearest : 0;
}
