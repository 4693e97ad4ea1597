/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Analog prototypes, as scipy.signal.buttap, cheb1ap, cheb2ap, ellipap and besselap have them: their poles and zeros,
 * for an edge of the passband at 1 (of Chebyshev II: of the stopband).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signal/design/design.h"

/* The product of -x. */
static mnp__root product_of_negatives(int64_t count, const mnp__root *x)
{
    mnp__root product = 1;
    for (int64_t i = 0; i < count; i++)
        product *= -x[i];
    return product;
}

static double power_less_one(double decibels)
{
    return expm1(log(10) * 0.1 * decibels);
}

static void butterworth(const mnp__prototype *t, mnp__zpk *zpk)
{
    zpk->np = t->n;
    for (int i = 0; i < t->n; i++)
        zpk->p[i] = -cexp(I * MNP__PI * (2 * i - t->n + 1) / (2 * t->n));
    zpk->k = 1;
}

static void chebyshev1(const mnp__prototype *t, mnp__zpk *zpk)
{
    const double eps = sqrt(pow(10, 0.1 * t->rp) - 1), mu = asinh(1 / eps) / t->n;
    zpk->np = t->n;
    for (int i = 0; i < t->n; i++)
        zpk->p[i] = -csinh(mu + I * MNP__PI * (2 * i - t->n + 1) / (2 * t->n));
    zpk->k = creal(product_of_negatives(zpk->np, zpk->p));
    if (t->n % 2 == 0)
        zpk->k /= sqrt(1 + eps * eps);
}

static void chebyshev2(const mnp__prototype *t, mnp__zpk *zpk)
{
    const double de = 1 / sqrt(pow(10, 0.1 * t->rs) - 1), mu = asinh(1 / de) / t->n;
    zpk->np = t->n;
    for (int i = 0; i < t->n; i++) {
        const int m = 2 * i - t->n + 1;
        const mnp__root circle = -cexp(I * MNP__PI * m / (2 * t->n));
        zpk->p[i] = 1 / (sinh(mu) * creal(circle) + I * (cosh(mu) * cimag(circle)));
        if (m != 0)
            zpk->z[zpk->nz++] = I / sin(m * MNP__PI / (2.0 * t->n));
    }
    zpk->k = creal(product_of_negatives(zpk->np, zpk->p) / product_of_negatives(zpk->nz, zpk->z));
}

/* ---- elliptic filters: S. J. Orfanidis, Lecture Notes on Elliptic Filter Design, 2006 ---- */

/* The complete elliptic integral of the first kind whose complementary parameter is m1, by the mean of Gauss. */
static double elliptic_integral(double m1)
{
    double a = 1, b = sqrt(m1);
    for (int i = 0; i < 60 && fabs(a - b) > 1e-17 * a; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return MNP__PI / (a + b);
}

/* Jacobi's sn, cn and dn of parameter m, by descending transformations of Landen. */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    double a[32], c[32], b = sqrt(1 - m), phi;
    int n = 0;
    a[0] = 1;
    c[0] = sqrt(m);
    while (n < 30 && fabs(c[n] / a[n]) > 1e-17) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    phi = ldexp(a[n] * u, n);
    double before = phi;
    for (; n > 0; n--) {
        before = phi;
        phi = (asin(c[n] * sin(phi) / a[n]) + phi) / 2;
    }
    *sn = sin(phi);
    *cn = cos(phi);
    const double difference = cos(phi - before);
    *dn = fabs(difference) < 0.1 ? sqrt(1 - m * *sn * *sn) : *cn / difference;
    if (m < 1e-300)
        *dn = 1;
}

/* The parameter of the filter's elliptic functions from that of its ripple (the degree equation, by nomes). */
static double solve_degree(int n, double m1)
{
    const double q = pow(exp(-MNP__PI * elliptic_integral(m1) / elliptic_integral(1 - m1)), 1.0 / n);
    double numerator = 0, denominator = 1;
    for (int i = 0; i < 8; i++) {
        numerator += pow(q, i * (i + 1));
        denominator += 2 * pow(q, (i + 1) * (i + 1));
    }
    return 16 * q * pow(numerator / denominator, 4);
}

/* z with w = sc(z, 1 - m): i times the inverse of sn at i w, by ascending transformations of Landen. */
static double inverse_sc(double w, double m)
{
    double k[16] = {sqrt(m)}, integral = MNP__PI / 2;
    mnp__root wn = I * w;
    for (int i = 0; i < 12; i++) {
        const double complement = sqrt((1 - k[i]) * (1 + k[i]));
        k[i + 1] = (1 - complement) / (1 + complement);
        integral *= 1 + k[i + 1];
        wn = 2 * wn / ((1 + k[i + 1]) * (1 + csqrt((1 - k[i] * wn) * (1 + k[i] * wn))));
        if (k[i + 1] == 0)
            break;
    }
    return cimag(integral * 2 / MNP__PI * casin(wn));
}

static void elliptic(const mnp__prototype *t, mnp__zpk *zpk)
{
    const int n = t->n;
    const double eps2 = power_less_one(t->rp), eps = sqrt(eps2), m1 = eps2 / power_less_one(t->rs);
    double sv, cv, dv;
    if (n == 1) {
        zpk->np = 1;
        zpk->p[0] = -sqrt(1 / eps2);
        zpk->k = -creal(zpk->p[0]);
        return;
    }
    const double m = solve_degree(n, m1), integral = elliptic_integral(1 - m);
    const double v0 = integral * inverse_sc(1 / eps, m1) / (n * elliptic_integral(1 - m1));
    jacobi(v0, 1 - m, &sv, &cv, &dv);
    int half = 0, zeros = 0;
    for (int j = 1 - n % 2; j < n; j += 2) {
        double s, c, d;
        jacobi(j * integral / n, m, &s, &c, &d);
        if (fabs(s) > 2e-16)
            zpk->z[zeros++] = I / (sqrt(m) * s);
        zpk->p[half++] = -(c * d * sv * cv + I * (s * dv)) / (1 - d * sv * d * sv);
    }
    for (int i = 0; i < zeros; i++)
        zpk->z[zeros + i] = conj(zpk->z[i]);
    zpk->nz = 2 * zeros;
    zpk->np = half;
    for (int i = 0; i < half; i++) {
        if (n % 2 == 0 || i > 0) /* the first pole of an odd order is real */
            zpk->p[zpk->np++] = conj(zpk->p[i]);
    }
    zpk->k = creal(product_of_negatives(zpk->np, zpk->p) / product_of_negatives(zpk->nz, zpk->z));
    if (n % 2 == 0)
        zpk->k /= sqrt(1 + eps2);
}

/* ---- Bessel filters ---- */

/* The magnitude at a frequency. */
static double magnitude(const mnp__zpk *zpk, double w)
{
    mnp__root response = zpk->k;
    for (int64_t i = 0; i < zpk->np; i++)
        response /= I * w - zpk->p[i];
    return cabs(response);
}

static mnp_status bessel(const mnp__prototype *t, mnp__zpk *zpk)
{
    double c[32], scale = 1;
    const int n = t->n;
    if (n > 25)
        return MNP_FAIL(MNP_ERR_ARG, "%s: n is %d, and filters of Bessel have orders up to 25", t->function, n);
    c[0] = 1; /* the reverse Bessel polynomial, the highest power first */
    for (int k = 1; k <= n; k++)
        c[k] = c[k - 1] * (double)(n - k + 1) * (double)(n + k) / (2.0 * k);
    zpk->np = n;
    MNP_TRY(mnp__roots(n, c, zpk->p));
    zpk->k = c[n];
    if (t->norm == 'p')
        scale = pow(10, -log10(c[n]) / n);
    if (t->norm == 'm') {
        double low = 0, high = 100;
        for (int i = 0; i < 200; i++) {
            const double middle = (low + high) / 2;
            if (magnitude(zpk, middle) > sqrt(0.5))
                low = middle;
            else
                high = middle;
        }
        scale = 1 / low;
    }
    for (int i = 0; i < n; i++)
        zpk->p[i] *= scale;
    zpk->k *= pow(scale, n);
    return MNP_OK;
}

mnp_status mnp__prototype_make(const mnp__prototype *t, mnp__zpk *zpk)
{
    if (t->n < 0 || 2 * t->n > MNP__MOST_ROOTS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: n is %d, outside 0..%d", t->function, t->n, MNP__MOST_ROOTS / 2);
    if (strchr("1e", t->kind) && !(t->rp > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: rp is %g, and must be above 0", t->function, t->rp);
    if (strchr("2e", t->kind) && !(t->rs > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: rs is %g, and must be above 0", t->function, t->rs);
    if (t->kind == 'e' && !(t->rs > t->rp))
        return MNP_FAIL(MNP_ERR_ARG, "%s: rs is %g, and must be above rp, which is %g", t->function, t->rs, t->rp);
    if (t->n == 0) {
        const bool ripples = t->kind == '1' || t->kind == 'e';
        zpk->k = ripples ? pow(10, -t->rp / 20) : 1;
        return MNP_OK;
    }
    switch (t->kind) {
    case 'b':
        butterworth(t, zpk);
        return MNP_OK;
    case '1':
        chebyshev1(t, zpk);
        return MNP_OK;
    case '2':
        chebyshev2(t, zpk);
        return MNP_OK;
    case 'e':
        elliptic(t, zpk);
        return MNP_OK;
    default:
        return bessel(t, zpk);
    }
}
