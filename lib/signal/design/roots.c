/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polynomials with real coefficients, and their roots.
 *
 * O. Aberth's iteration (Iteration methods for finding all zeros of a polynomial simultaneously, 1973) finds each root
 * as well as its polynomial tells it.  Of roots that are close to each other or equal that is a few digits each, and
 * their product is another polynomial.  Where it is, the eigenvalues of the companion matrix are taken, by J. Francis's
 * QR with two shifts (The QR transformation, 1961): their errors belong together, so that the product is the polynomial
 * up to rounding errors.  LAPACK has that in double, where the product is off by some 5 to 40 units of rounding; it is by
 * one or two here.  Aberth's steps from there do not help, as each root then moves by itself.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signal/design/design.h"

typedef long double complex wide;

/* Multiply a polynomial of that degree by t - root; there is room for one coefficient more. */
static void multiply(int64_t degree, wide *c, wide root)
{
    c[degree + 1] = 0;
    for (int64_t k = degree + 1; k > 0; k--)
        c[k] -= root * c[k - 1];
}

mnp_status mnp__expand(int64_t degree, const mnp__root *roots, double *polynomial)
{
    wide *c;
    MNP_TRY(mnp__malloc((size_t)(degree + 1) * sizeof *c, &c));
    c[0] = 1;
    for (int64_t i = 0; i < degree; i++)
        multiply(i, c, roots[i]);
    for (int64_t k = 0; k <= degree; k++)
        polynomial[k] = (double)creall(c[k]);
    free(c);
    return MNP_OK;
}

/* How far the product of all t - x is from a polynomial, beside the coefficients of the product of all t + |x|, which
 * rounding errors are relative to.  room: 2 n + 2 numbers. */
static long double error_of(int64_t n, const double *polynomial, const wide *x, wide *room)
{
    wide *const product = room, *const sizes = room + n + 1;
    long double largest = 0;
    product[0] = sizes[0] = 1;
    for (int64_t i = 0; i < n; i++) {
        multiply(i, product, x[i]);
        multiply(i, sizes, -cabsl(x[i]));
    }
    for (int64_t k = 1; k <= n; k++) {
        const long double wanted = (long double)polynomial[k] / polynomial[0];
        const long double error = fabsl(creall(product[k]) - wanted) / creall(sizes[k]);
        largest = error <= largest ? largest : error; /* NaN is largest */
    }
    return largest;
}

/* ---- Aberth's iteration ---- */

/* One step for root i: returns the size of the change, relative to the root. */
static long double improve(int64_t degree, const double *c, wide *x, int64_t i)
{
    wide value = c[0], slope = 0, others = 0;
    for (int64_t k = 1; k <= degree; k++) {
        slope = slope * x[i] + value;
        value = value * x[i] + c[k];
    }
    for (int64_t j = 0; j < degree; j++) {
        if (j != i && x[i] != x[j])
            others += 1 / (x[i] - x[j]);
    }
    if (value == 0)
        return 0;
    const wide newton = slope / value - others;
    if (newton == 0)
        return 0;
    x[i] -= 1 / newton;
    return cabsl(1 / newton) / (cabsl(x[i]) + 1e-300L);
}

static void swap(wide *x, wide *y)
{
    const wide kept = *x;
    *x = *y;
    *y = kept;
}

/* Make roots real, or pairs that are conjugated exactly. */
static void join_pairs(int64_t n, wide *x)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t farthest = i, nearest = i; /* from the real line; to the conjugate, which may be the root itself */
        for (int64_t j = i + 1; j < n; j++)
            farthest = fabsl(cimagl(x[j])) > fabsl(cimagl(x[farthest])) ? j : farthest;
        swap(x + i, x + farthest);
        for (int64_t j = i + 1; j < n; j++)
            nearest = cabsl(x[j] - conjl(x[i])) < cabsl(x[nearest] - conjl(x[i])) ? j : nearest;
        if (nearest == i) {
            x[i] = creall(x[i]);
            continue;
        }
        swap(x + i + 1, x + nearest);
        x[i] = (x[i] + conjl(x[i + 1])) / 2;
        x[i + 1] = conjl(x[i]);
        i++;
    }
}

/* What the size of the roots is, on an average. */
static long double radius_of(int64_t n, const double *polynomial)
{
    return powl(fabsl((long double)polynomial[n] / polynomial[0]), 1.0L / n);
}

static void iterate(int64_t n, const double *polynomial, wide *x)
{
    const long double radius = radius_of(n, polynomial);
    for (int64_t i = 0; i < n; i++)
        x[i] = radius * cexpl(I * (2 * 3.14159265358979323846L * i / n + 0.4L)) * (1 + 0.01L * i / n);
    for (int step = 0; step < 500; step++) {
        long double largest = 0;
        for (int64_t i = 0; i < n; i++) {
            const long double change = improve(n, polynomial, x, i);
            largest = change > largest ? change : largest;
        }
        if (largest < 1e-18L)
            break;
    }
    join_pairs(n, x);
}

/* ---- QR ---- */

/* The eigenvalues of [[a, b], [c, d]]. */
static void of_two(long double a, long double b, long double c, long double d, wide *x)
{
    const long double half = (a - d) / 2, square = half * half + b * c, root = sqrtl(fabsl(square));
    if (square < 0) {
        x[0] = (a + d) / 2 + I * root;
        x[1] = conjl(x[0]);
    } else {
        const long double far = half + copysignl(root, half);
        x[0] = d + far;
        x[1] = far == 0 ? d : d - b * c / far;
    }
}

/* Reflect `count` rows and columns from number k on of a matrix of n columns, so that v becomes a multiple of the first
 * unit vector; of the others columns from `left` on and rows from `low` on count, and those up to `high`. */
static void reflect(int64_t n, long double *h, int64_t k, int count, long double *v, const int64_t bounds[3])
{
    const int64_t left = bounds[0], low = bounds[1], high = bounds[2], last = k + 3 < high ? k + 3 : high;
    long double square = 0;
    for (int i = 0; i < count; i++)
        square += v[i] * v[i];
    v[0] += copysignl(sqrtl(square), v[0]);
    square = 0;
    for (int i = 0; i < count; i++)
        square += v[i] * v[i];
    if (square == 0)
        return;
    for (int64_t j = left; j <= high; j++) {
        long double sum = 0;
        for (int i = 0; i < count; i++)
            sum += v[i] * h[(k + i) * n + j];
        for (int i = 0; i < count; i++)
            h[(k + i) * n + j] -= 2 * sum / square * v[i];
    }
    for (int64_t r = low; r <= last; r++) {
        long double sum = 0, *const row = h + r * n + k;
        for (int i = 0; i < count; i++)
            sum += v[i] * row[i];
        for (int i = 0; i < count; i++)
            row[i] -= 2 * sum / square * v[i];
    }
}

/* Two steps of QR, whose shifts have that sum and product, for the rows and columns low .. high of a Hessenberg matrix.
 */
static void two_steps(int64_t n, long double *h, int64_t low, int64_t high, const long double shifts[2])
{
    const long double *const a = h + low * n + low, *const b = a + n, *const c = b + n;
    long double v[3] = {a[0] * a[0] + a[1] * b[0] - shifts[0] * a[0] + shifts[1], b[0] * (a[0] + b[1] - shifts[0]),
                        b[0] * c[1]};
    for (int64_t k = low; k < high; k++) {
        const int count = k + 2 <= high ? 3 : 2;
        reflect(n, h, k, count, v, (const int64_t[]){k > low ? k - 1 : low, low, high});
        for (int i = 1; i < count && k > low; i++)
            h[(k + i) * n + k - 1] = 0;
        for (int i = 0; i < 3; i++)
            v[i] = k + 1 + i <= high ? h[(k + 1 + i) * n + k] : 0;
    }
}

/* The eigenvalues of a real Hessenberg matrix of n columns, which is written over; NaN where they are not found. */
static void eigenvalues(int64_t n, long double *h, wide *x)
{
    int steps = 0;
    for (int64_t high = n - 1; high >= 0;) {
        int64_t low = high;
        while (low > 0 && fabsl(h[low * n + low - 1]) >
                              LDBL_EPSILON * (fabsl(h[low * n + low]) + fabsl(h[(low - 1) * n + low - 1])))
            low--;
        const long double *const d = h + high * n + high;
        if (low + 1 >= high || steps == 100) {
            if (steps == 100)
                x[high] = NAN;
            else if (low == high)
                x[high] = *d;
            else
                of_two(d[-n - 1], d[-n], d[-1], *d, x + low);
            high -= low + 1 == high && steps < 100 ? 2 : 1;
            steps = 0;
            continue;
        }
        const long double away = fabsl(d[-1]) + fabsl(d[-n - 2]);
        const long double usual[] = {d[-n - 1] + *d, d[-n - 1] * *d - d[-n] * d[-1]},
                          other[] = {1.5L * away, away * away};
        two_steps(n, h, low, high, ++steps % 10 ? usual : other);
    }
}

/* The eigenvalues of the companion matrix, of the polynomial of t / radius. */
static mnp_status by_companion(int64_t n, const double *polynomial, wide *x)
{
    long double *h;
    MNP_TRY(mnp__calloc((size_t)(n * n), sizeof *h, &h));
    const long double radius = radius_of(n, polynomial);
    for (int64_t k = 0; k < n; k++) {
        h[k] = -(long double)polynomial[k + 1] / polynomial[0] / powl(radius, k + 1);
        if (k + 1 < n)
            h[(k + 1) * n + k] = 1;
    }
    eigenvalues(n, h, x);
    for (int64_t i = 0; i < n; i++)
        x[i] *= radius;
    free(h);
    return MNP_OK;
}

mnp_status mnp__roots(int64_t degree, const double *polynomial, mnp__root *roots)
{
    wide *x;
    int64_t zeros = 0;
    while (zeros < degree && polynomial[degree - zeros] == 0)
        zeros++; /* roots at the origin */
    const int64_t n = degree - zeros;
    memset(roots, 0, (size_t)degree * sizeof *roots);
    if (n == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)(4 * n + 2) * sizeof *x, &x));
    wide *const room = x + n, *const others = room + 2 * n + 2;
    mnp_status st = MNP_OK;
    if (n == 2)
        of_two(-(long double)polynomial[1] / polynomial[0], -(long double)polynomial[2] / polynomial[0], 1, 0, x);
    else
        iterate(n, polynomial, x);
    const long double error = error_of(n, polynomial, x, room);
    if (!(error <= DBL_EPSILON / 4)) {
        st = by_companion(n, polynomial, others);
        if (st == MNP_OK && (error_of(n, polynomial, others, room) < error || isnan(error)))
            memcpy(x, others, (size_t)n * sizeof *x);
    }
    for (int64_t i = 0; i < n && st == MNP_OK; i++)
        roots[i] = (mnp__root)x[i];
    free(x);
    return st;
}
