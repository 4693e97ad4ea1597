/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows by name.  Each function fills in a symmetric window; a periodic one is a symmetric window with one element
 * more, of which the last is left out, as in scipy.signal.windows.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/windows.h>

#include "array/array.h"
#include "array/output.h"
#include "signal/design/design.h"

/* ---- sums of cosines ---- */

static void cosines(int count, const double *a, int64_t n, double *w)
{
    for (int64_t i = 0; i < n; i++) {
        const double x = -MNP__PI + 2 * MNP__PI * (double)i / (double)(n - 1);
        w[i] = 0;
        for (int k = 0; k < count; k++)
            w[i] += a[k] * cos(k * x);
    }
}

static mnp_status blackman(const double *p, int64_t n, double *w)
{
    (void)p;
    cosines(3, (const double[]){0.42, 0.50, 0.08}, n, w);
    return MNP_OK;
}

static mnp_status nuttall(const double *p, int64_t n, double *w)
{
    (void)p;
    cosines(4, (const double[]){0.3635819, 0.4891775, 0.1365995, 0.0106411}, n, w);
    return MNP_OK;
}

static mnp_status blackmanharris(const double *p, int64_t n, double *w)
{
    (void)p;
    cosines(4, (const double[]){0.35875, 0.48829, 0.14128, 0.01168}, n, w);
    return MNP_OK;
}

static mnp_status flattop(const double *p, int64_t n, double *w)
{
    (void)p;
    cosines(5, (const double[]){0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}, n, w);
    return MNP_OK;
}

static mnp_status general_hamming(const double *p, int64_t n, double *w)
{
    cosines(2, (const double[]){p[0], 1 - p[0]}, n, w);
    return MNP_OK;
}

static mnp_status hann(const double *p, int64_t n, double *w)
{
    (void)p;
    return general_hamming((const double[]){0.5}, n, w);
}

static mnp_status hamming(const double *p, int64_t n, double *w)
{
    (void)p;
    return general_hamming((const double[]){0.54}, n, w);
}

/* ---- simple formulas of the distance from the middle ---- */

static mnp_status boxcar(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        w[i] = 1;
    return MNP_OK;
}

static mnp_status triang(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        const double k = (double)(i < n - 1 - i ? i : n - 1 - i) + 1;
        w[i] = n % 2 ? 2 * k / ((double)n + 1) : (2 * k - 1) / (double)n;
    }
    return MNP_OK;
}

static mnp_status bartlett(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        const double x = 2.0 * (double)i / (double)(n - 1);
        w[i] = 2 * i <= n - 1 ? x : 2 - x;
    }
    return MNP_OK;
}

static mnp_status cosine(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        w[i] = sin(MNP__PI / (double)n * ((double)i + 0.5));
    return MNP_OK;
}

static mnp_status parzen(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        const double x = fabs((double)i - (double)(n - 1) / 2), r = x / ((double)n / 2);
        w[i] = x <= (double)(n - 1) / 4 ? 1 - 6 * r * r + 6 * r * r * r : 2 * (1 - r) * (1 - r) * (1 - r);
    }
    return MNP_OK;
}

static mnp_status bohman(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        const double x = fabs(-1 + 2 * (double)i / (double)(n - 1));
        w[i] = i == 0 || i == n - 1 ? 0 : (1 - x) * cos(MNP__PI * x) + sin(MNP__PI * x) / MNP__PI;
    }
    return MNP_OK;
}

static mnp_status barthann(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        const double x = fabs((double)i / (double)(n - 1) - 0.5);
        w[i] = 0.62 - 0.48 * x + 0.38 * cos(2 * MNP__PI * x);
    }
    return MNP_OK;
}

static mnp_status lanczos(const double *p, int64_t n, double *w)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        w[i] = 2 * i == n - 1 ? 1 : mnp__sinc(2.0 * (double)(i > n - 1 - i ? i : n - 1 - i) / (double)(n - 1) - 1);
    return MNP_OK;
}

static mnp_status general_gaussian(const double *p, int64_t n, double *w)
{
    for (int64_t i = 0; i < n; i++)
        w[i] = exp(-0.5 * pow(fabs(((double)i - (double)(n - 1) / 2) / p[1]), 2 * p[0]));
    return MNP_OK;
}

static mnp_status gaussian(const double *p, int64_t n, double *w)
{
    return general_gaussian((const double[]){1, p[0]}, n, w);
}

static mnp_status exponential(const double *p, int64_t n, double *w)
{
    const double center = isnan(p[0]) ? (double)(n - 1) / 2 : p[0];
    for (int64_t i = 0; i < n; i++)
        w[i] = exp(-fabs((double)i - center) / p[1]);
    return MNP_OK;
}

static mnp_status tukey(const double *p, int64_t n, double *w)
{
    const double alpha = p[0], last = (double)(n - 1);
    if (alpha <= 0)
        return boxcar(NULL, n, w);
    if (alpha >= 1)
        return hann(NULL, n, w);
    const int64_t width = (int64_t)floor(alpha * last / 2);
    for (int64_t i = 0; i < n; i++) {
        if (i <= width)
            w[i] = 0.5 * (1 + cos(MNP__PI * (-1 + 2.0 * (double)i / alpha / last)));
        else if (i < n - width - 1)
            w[i] = 1;
        else
            w[i] = 0.5 * (1 + cos(MNP__PI * (-2.0 / alpha + 1 + 2.0 * (double)i / alpha / last)));
    }
    return MNP_OK;
}

/* ---- windows of special functions ---- */

/* The modified Bessel function of order 0, times exp(-|x|): by its series, or for large x the asymptotic one. */
static double bessel_i0e(double x)
{
    long double sum = 1, term = 1, q = (long double)x * x / 4;
    x = fabs(x);
    if (x < 40) {
        for (int k = 1; term > sum * 1e-22L; k++)
            sum += term *= q / ((long double)k * k);
        return (double)(sum * expl(-(long double)x));
    }
    for (int k = 1; k < 60; k++) {
        const long double next = term * (2 * k - 1) * (2 * k - 1) / (8.0L * k * x);
        if (next > term || next < 1e-22L)
            break;
        sum += term = next;
    }
    return (double)(sum / sqrtl(2 * 3.14159265358979323846264338327950288L * x));
}

static mnp_status kaiser(const double *p, int64_t n, double *w)
{
    for (int64_t i = 0; i < n; i++) {
        const double x = ((double)i - (double)(n - 1) / 2) / ((double)(n - 1) / 2), inner = 1 - x * x;
        const double arg = p[0] * sqrt(inner > 0 ? inner : 0);
        w[i] = bessel_i0e(arg) / bessel_i0e(p[0]) * exp(fabs(arg) - fabs(p[0]));
    }
    return MNP_OK;
}

static mnp_status kaiser_bessel_derived(const double *p, int64_t n, double *w)
{
    if (n % 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: kaiser_bessel_derived has %" PRId64 " elements, an odd number", n);
    const int64_t half = n / 2;
    double *wide, sum = 0;
    MNP_TRY(mnp__malloc((size_t)(half + 1) * sizeof *wide, &wide));
    kaiser(p, half + 1, wide);
    for (int64_t i = 0; i <= half; i++)
        wide[i] = sum += wide[i];
    for (int64_t i = 0; i < half; i++)
        w[i] = w[n - 1 - i] = sqrt(wide[i] / sum);
    free(wide);
    return MNP_OK;
}

static mnp_status taylor(const double *p, int64_t n, double *w)
{
    const int64_t nbar = (int64_t)p[0];
    const double b = pow(10, p[1] / 20), a = acosh(b) / MNP__PI;
    const double s2 = p[0] * p[0] / (a * a + (p[0] - 0.5) * (p[0] - 0.5));
    double *f, top = 1;
    if (nbar < 1 || p[0] != (double)nbar)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: nbar of taylor is %g, and must be a whole number above 0", p[0]);
    MNP_TRY(mnp__malloc((size_t)nbar * sizeof *f, &f));
    for (int64_t m = 1; m < nbar; m++) {
        double numerator = m % 2 ? 1 : -1, denominator = 2;
        for (int64_t k = 1; k < nbar; k++) {
            const double square = (double)(m * m);
            numerator *= 1 - square / s2 / (a * a + ((double)k - 0.5) * ((double)k - 0.5));
            denominator *= k == m ? 1 : 1 - square / (double)(k * k);
        }
        f[m] = numerator / denominator;
        top += 2 * f[m]; /* in the middle of the window */
    }
    for (int64_t i = 0; i < n; i++) {
        w[i] = 1;
        for (int64_t m = 1; m < nbar; m++)
            w[i] += 2 * f[m] * cos(2 * MNP__PI * (double)m * ((double)i - (double)n / 2 + 0.5) / (double)n);
        w[i] /= p[2] != 0 ? top : 1;
    }
    free(f);
    return MNP_OK;
}

/* The Dolph-Chebyshev window: the inverse transform of a Chebyshev polynomial, summed term by term. */
static mnp_status chebwin(const double *p, int64_t n, double *w)
{
    const double order = (double)(n - 1), beta = cosh(acosh(pow(10, fabs(p[0]) / 20)) / order);
    double *spectrum, largest = 0;
    MNP_TRY(mnp__malloc((size_t)n * sizeof *spectrum, &spectrum));
    for (int64_t k = 0; k < n; k++) {
        const double x = beta * cos(MNP__PI * (double)k / (double)n);
        spectrum[k] = x > 1    ? cosh(order * acosh(x))
                      : x < -1 ? (n % 2 ? 1 : -1) * cosh(order * acosh(-x))
                               : cos(order * acos(x));
    }
    for (int64_t i = 0; i < n; i++) {
        w[i] = 0;
        for (int64_t k = 0; k < n; k++) { /* by the distance from the middle, in units of half an element */
            const int64_t turn = (2 * i - (n - 1)) * k % (2 * n);
            w[i] += spectrum[k] * cos(MNP__PI * (double)turn / (double)n);
        }
        largest = w[i] > largest ? w[i] : largest;
    }
    for (int64_t i = 0; i < n; i++)
        w[i] /= largest;
    free(spectrum);
    return MNP_OK;
}

/* How many eigenvalues of a symmetric tridiagonal matrix are above `value` (Sturm's sequence). */
static int64_t count_above(int64_t n, const double *d, const double *e, double value)
{
    int64_t count = 0;
    double q = 1;
    for (int64_t i = 0; i < n; i++) {
        q = d[i] - value - (i ? e[i] * e[i] / q : 0);
        q = q == 0 ? 1e-300 : q;
        count += q > 0;
    }
    return count;
}

/* Solve (T - value) x = w for a tridiagonal matrix by elimination with exchanges of rows; `room` has 3 n numbers. */
static void solve_shifted(int64_t n, const double *d, const double *e, double value, double *room, double *w)
{
    double *a = room, *b = room + n, *c = room + 2 * n; /* of the rows: diagonal, next, the one after */
    double row[2] = {d[0] - value, n > 1 ? e[1] : 0};
    for (int64_t i = 0; i < n; i++) {
        const bool more = i + 1 < n;
        const double low = more ? e[i + 1] : 0, diagonal = more ? d[i + 1] - value : 0, next = i + 2 < n ? e[i + 2] : 0;
        if (more && fabs(low) > fabs(row[0])) {
            const double factor = row[0] / low, old = row[1], right = w[i];
            a[i] = low, b[i] = diagonal, c[i] = next;
            row[0] = old - factor * diagonal, row[1] = -factor * next;
            w[i] = w[i + 1], w[i + 1] = right - factor * w[i];
        } else {
            a[i] = row[0] != 0 ? row[0] : 1e-300, b[i] = row[1], c[i] = 0;
            const double factor = low / a[i];
            if (more)
                w[i + 1] -= factor * w[i];
            row[0] = diagonal - factor * row[1], row[1] = next;
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        const double known = (i + 1 < n ? b[i] * w[i + 1] : 0) + (i + 2 < n ? c[i] * w[i + 2] : 0);
        w[i] = (w[i] - known) / a[i];
    }
}

/* The sequence that has most of its energy within NW / n: the first eigenvector of a tridiagonal matrix. */
static mnp_status dpss(const double *p, int64_t n, double *w)
{
    double *room, low = 0, high = 0, largest = 0;
    MNP_TRY(mnp__malloc((size_t)(5 * n) * sizeof *room, &room));
    double *d = room + 3 * n, *e = room + 4 * n;
    for (int64_t i = 0; i < n; i++) {
        const double t = (double)(n - 1 - 2 * i) / 2;
        d[i] = t * t * cos(2 * MNP__PI * p[0] / (double)n);
        e[i] = (double)i * (double)(n - i) / 2;
        const double reach = fabs(d[i]) + 2 * e[i] + (double)n;
        high = reach > high ? reach : high;
        w[i] = 1;
    }
    low = -high;
    for (int step = 0; step < 200 && low < high; step++) {
        const double middle = low + (high - low) / 2;
        if (count_above(n, d, e, middle) > 0)
            low = middle;
        else
            high = middle;
        if (middle == low && middle == high)
            break;
    }
    for (int step = 0; step < 4; step++) {
        double size = 0;
        solve_shifted(n, d, e, low, room, w);
        for (int64_t i = 0; i < n; i++)
            size = fabs(w[i]) > fabs(size) ? w[i] : size;
        for (int64_t i = 0; i < n; i++)
            w[i] /= size;
    }
    for (int64_t i = 0; i < n; i++)
        largest = w[i] > largest ? w[i] : largest;
    const double correction = n % 2 ? 1 : (double)n * (double)n / ((double)n * (double)n + p[0]);
    for (int64_t i = 0; i < n; i++)
        w[i] *= correction / largest;
    free(room);
    return MNP_OK;
}

/* ---- by name ---- */

/* Parameters that may be left out have values; those that must be given have none. */
static const struct window {
    const char *name;
    mnp_status (*fill)(const double *parameters, int64_t n, double *w);
    int needed, known;
    double usual[3];
} windows[] = {
    {"barthann", barthann, 0, 0, {0}},
    {"bartlett", bartlett, 0, 0, {0}},
    {"blackman", blackman, 0, 0, {0}},
    {"blackmanharris", blackmanharris, 0, 0, {0}},
    {"bohman", bohman, 0, 0, {0}},
    {"boxcar", boxcar, 0, 0, {0}},
    {"chebwin", chebwin, 1, 1, {0}},
    {"cosine", cosine, 0, 0, {0}},
    {"dpss", dpss, 1, 1, {0}},
    {"exponential", exponential, 0, 2, {NAN, 1}},
    {"flattop", flattop, 0, 0, {0}},
    {"gaussian", gaussian, 1, 1, {0}},
    {"general_gaussian", general_gaussian, 2, 2, {0}},
    {"general_hamming", general_hamming, 1, 1, {0}},
    {"hamming", hamming, 0, 0, {0}},
    {"hann", hann, 0, 0, {0}},
    {"kaiser", kaiser, 1, 1, {0}},
    {"kaiser_bessel_derived", kaiser_bessel_derived, 1, 1, {0}},
    {"lanczos", lanczos, 0, 0, {0}},
    {"nuttall", nuttall, 0, 0, {0}},
    {"parzen", parzen, 0, 0, {0}},
    {"taylor", taylor, 0, 3, {4, 30, 1}},
    {"triang", triang, 0, 0, {0}},
    {"tukey", tukey, 0, 1, {0.5}},
};

/* Check a call and fill in the parameters that are left out. */
static mnp_status resolve(const struct window *window, int count, const double *given, int64_t n, bool sym,
                          double *parameters)
{
    if (count < window->needed || count > window->known)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: %s takes %d parameters, and has %d", window->name,
                        count < window->needed ? window->needed : window->known, count);
    memcpy(parameters, window->usual, sizeof window->usual);
    for (int i = 0; i < count; i++)
        parameters[i] = given[i];
    if (window->fill == kaiser_bessel_derived && !sym)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: kaiser_bessel_derived is symmetric only");
    if (window->fill == exponential && sym && !isnan(parameters[0]))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: a symmetric exponential window has its middle as center, not %g",
                        parameters[0]);
    if (window->fill == dpss && !(parameters[0] > 0 && parameters[0] < (double)n / 2))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: NW is %g, and must be above 0 and below %g", parameters[0],
                        (double)n / 2);
    return MNP_OK;
}

/* How many characters of a name stand before an ending, or none if it has not that ending. */
static size_t before(const char *name, const char *ending)
{
    const size_t length = strlen(name), last = strlen(ending);
    return length > last && strcmp(name + length - last, ending) == 0 ? length - last : 0;
}

static bool is_named(const char *window, const char *name, size_t length)
{
    return strncmp(window, name, length) == 0 && window[length] == '\0';
}

mnp_status mnp_window(const char *name, int nparameters, const double *parameters, int64_t n, bool sym, double *w)
{
    MNP_ENTER(name, w);
    MNP_NEED_IF(nparameters > 0, parameters);
    const struct window *window = NULL;
    const size_t symmetric = before(name, "_symmetric"), periodic = before(name, "_periodic");
    const size_t named = symmetric ? symmetric : periodic ? periodic : strlen(name);
    sym = symmetric || (sym && !periodic);
    const int64_t length = sym || n <= 1 ? n : n + 1;
    double resolved[3], *wide;
    if (n < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: the window has %" PRId64 " elements, fewer than 0", n);
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        if (is_named(windows[i].name, name, named))
            window = &windows[i];
    }
    if (!window && !is_named("general_cosine", name, named))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_window: there is no window '%s'", name);
    if (window)
        MNP_TRY(resolve(window, nparameters, parameters, n, sym, resolved));
    if (n <= 1)
        return boxcar(NULL, n, w);
    MNP_TRY(mnp__malloc((size_t)length * sizeof *wide, &wide));
    mnp_status st = MNP_OK;
    if (window)
        st = window->fill(resolved, length, wide);
    else
        cosines(nparameters, parameters, length, wide);
    if (st == MNP_OK)
        memcpy(w, wide, (size_t)n * sizeof *w);
    free(wide);
    return st;
}

mnp_status mnp_get_window(mnp_ctx *ctx, const char *name, int nparameters, const double *parameters, int64_t n,
                          bool fftbins, mnp_array **w_p)
{
    MNP_ENTER(ctx, name, w_p);
    MNP_NEED_IF(nparameters > 0, parameters);
    double *values = NULL;
    mnp_array *made = NULL;
    const mnp__output_spec spec = {
        .function = "mnp_get_window", .ctx = ctx, .dtype = MNP_FLOAT64, .ndim = 1, .shape = &n};
    if (n < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_get_window: the window has %" PRId64 " elements, fewer than 0", n);
    MNP_TRY(mnp__output_check(&spec, *w_p));
    mnp_status st = mnp__malloc((size_t)(n + 1) * sizeof *values, &values);
    if (st == MNP_OK)
        st = mnp_window(name, nparameters, parameters, n, !fftbins, values);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp_array_from_host(ctx, MNP_FLOAT64, 1, &n, values, &made);
    free(values);
    return mnp__output_give(made, st, w_p);
}
