/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forms of a filter: zeros, poles and a gain; polynomials; sections of second order; and the changes between them.
 *
 * Sections are paired as scipy.signal.zpk2sos does it with pairing="nearest": the pole nearest to the unit circle goes
 * with the zero nearest to it, into the last section that is free.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "signal/design/design.h"

mnp_status mnp__zpk_new(mnp__zpk *zpk)
{
    *zpk = (mnp__zpk){.k = 1};
    MNP_TRY(mnp__malloc(2 * MNP__MOST_ROOTS * sizeof *zpk->z, &zpk->z));
    zpk->p = zpk->z + MNP__MOST_ROOTS;
    return MNP_OK;
}

void mnp__zpk_free(mnp__zpk *zpk)
{
    free(zpk->z);
    *zpk = (mnp__zpk){.k = 0};
}

void mnp_filter_clear(mnp_filter *filter)
{
    if (!filter)
        return;
    free(filter->z);
    free(filter->p);
    free(filter->b);
    free(filter->a);
    free(filter->sos);
    *filter = (mnp_filter){.k = 0};
}

/* ---- edges ---- */

static mnp__root product(int64_t count, const mnp__root *x, mnp__root from)
{
    mnp__root result = 1;
    for (int64_t i = 0; i < count; i++)
        result *= from - x[i];
    return result;
}

void mnp__zpk_lowpass(mnp__zpk *zpk, double wo)
{
    for (int64_t i = 0; i < zpk->nz; i++)
        zpk->z[i] *= wo;
    for (int64_t i = 0; i < zpk->np; i++)
        zpk->p[i] *= wo;
    zpk->k *= pow(wo, (double)(zpk->np - zpk->nz));
}

void mnp__zpk_highpass(mnp__zpk *zpk, double wo)
{
    zpk->k *= creal(product(zpk->nz, zpk->z, 0) / product(zpk->np, zpk->p, 0));
    for (int64_t i = 0; i < zpk->nz; i++)
        zpk->z[i] = wo / zpk->z[i];
    for (int64_t i = 0; i < zpk->np; i++)
        zpk->p[i] = wo / zpk->p[i];
    while (zpk->nz < zpk->np)
        zpk->z[zpk->nz++] = 0;
}

/* Each root r of a narrow filter becomes two: r +- sqrt(r^2 - wo^2). */
static int64_t split(int64_t count, mnp__root *x, double wo)
{
    for (int64_t i = 0; i < count; i++) {
        const mnp__root root = csqrt(x[i] * x[i] - wo * wo), middle = x[i];
        x[i] = middle + root;
        x[count + i] = middle - root;
    }
    return 2 * count;
}

void mnp__zpk_bandpass(mnp__zpk *zpk, double wo, double bw)
{
    const int64_t degree = zpk->np - zpk->nz;
    for (int64_t i = 0; i < zpk->nz; i++)
        zpk->z[i] *= bw / 2;
    for (int64_t i = 0; i < zpk->np; i++)
        zpk->p[i] *= bw / 2;
    zpk->nz = split(zpk->nz, zpk->z, wo);
    zpk->np = split(zpk->np, zpk->p, wo);
    for (int64_t i = 0; i < degree; i++)
        zpk->z[zpk->nz++] = 0;
    zpk->k *= pow(bw, (double)degree);
}

void mnp__zpk_bandstop(mnp__zpk *zpk, double wo, double bw)
{
    const int64_t degree = zpk->np - zpk->nz;
    zpk->k *= creal(product(zpk->nz, zpk->z, 0) / product(zpk->np, zpk->p, 0));
    for (int64_t i = 0; i < zpk->nz; i++)
        zpk->z[i] = bw / 2 / zpk->z[i];
    for (int64_t i = 0; i < zpk->np; i++)
        zpk->p[i] = bw / 2 / zpk->p[i];
    zpk->nz = split(zpk->nz, zpk->z, wo);
    zpk->np = split(zpk->np, zpk->p, wo);
    for (int64_t i = 0; i < 2 * degree; i++)
        zpk->z[zpk->nz++] = i < degree ? I * wo : -I * wo;
}

void mnp__zpk_bilinear(mnp__zpk *zpk, double fs)
{
    const double fs2 = 2 * fs;
    zpk->k *= creal(product(zpk->nz, zpk->z, fs2) / product(zpk->np, zpk->p, fs2));
    for (int64_t i = 0; i < zpk->nz; i++)
        zpk->z[i] = (fs2 + zpk->z[i]) / (fs2 - zpk->z[i]);
    for (int64_t i = 0; i < zpk->np; i++)
        zpk->p[i] = (fs2 + zpk->p[i]) / (fs2 - zpk->p[i]);
    while (zpk->nz < zpk->np)
        zpk->z[zpk->nz++] = -1;
}

/* ---- sections ---- */

static bool is_real(mnp__root x)
{
    return fabs(cimag(x)) <= 100 * DBL_EPSILON * cabs(x);
}

/* How many roots have a positive imaginary part, and how many a negative one. */
static void count_sides(int64_t count, const mnp__root *x, int64_t *above_p, int64_t *below_p)
{
    *above_p = *below_p = 0;
    for (int64_t i = 0; i < count; i++) {
        *above_p += !is_real(x[i]) && cimag(x[i]) > 0;
        *below_p += !is_real(x[i]) && cimag(x[i]) < 0;
    }
}

/* One of each pair, and real ones without an imaginary part, in SciPy's order. *count_p has those that are left. */
static mnp_status take_pairs(const char *function, int64_t *count_p, mnp__root *x)
{
    int64_t kept = 0, above, below;
    count_sides(*count_p, x, &above, &below);
    if (above != below)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: %" PRId64 " roots have a positive imaginary part and %" PRId64
                        " a negative one, so they are not conjugated pairs",
                        function, above, below);
    for (int64_t i = 0; i < *count_p; i++) {
        if (is_real(x[i]))
            x[kept++] = creal(x[i]);
        else if (cimag(x[i]) > 0)
            x[kept++] = x[i];
    }
    *count_p = kept;
    return MNP_OK;
}

typedef enum wanted { ANY, REAL, COMPLEX } wanted;

/* The root of that kind that is nearest to a place, which is removed from the list; -1 in *found_p if there is none. */
static mnp__root take_nearest(int64_t *count_p, mnp__root *x, mnp__root to, wanted kind, bool *found_p)
{
    int64_t nearest = -1;
    for (int64_t i = 0; i < *count_p; i++) {
        const bool fits = kind == ANY || (kind == REAL) == (cimag(x[i]) == 0);
        if (fits && (nearest < 0 || cabs(x[i] - to) < cabs(x[nearest] - to)))
            nearest = i;
    }
    *found_p = nearest >= 0;
    if (nearest < 0)
        return 0;
    const mnp__root root = x[nearest];
    memmove(x + nearest, x + nearest + 1, (size_t)(*count_p - nearest - 1) * sizeof *x);
    (*count_p)--;
    return root;
}

/* How far a pole is from the unit circle, or that of an analog filter from the imaginary axis. */
static double distance(mnp__root p, bool analog)
{
    return analog ? fabs(creal(p)) : fabs(1 - cabs(p));
}

/* The nearest pole, among all or the real ones. */
static int64_t worst(int64_t count, const mnp__root *p, bool real, bool analog)
{
    int64_t found = -1;
    for (int64_t i = 0; i < count; i++) {
        if ((!real || cimag(p[i]) == 0) && (found < 0 || distance(p[i], analog) < distance(p[found], analog)))
            found = i;
    }
    return found;
}

static mnp__root take(int64_t *count_p, mnp__root *x, int64_t i)
{
    const mnp__root root = x[i];
    memmove(x + i, x + i + 1, (size_t)(*count_p - i - 1) * sizeof *x);
    (*count_p)--;
    return root;
}

static int64_t count_real(int64_t count, const mnp__root *x)
{
    int64_t real = 0;
    for (int64_t i = 0; i < count; i++)
        real += cimag(x[i]) == 0;
    return real;
}

/* The polynomial of up to two roots, whose last coefficient is that of the power 0. */
static void polynomial(int count, mnp__root first, mnp__root second, double *c)
{
    c[0] = count == 2;
    c[1] = count == 2 ? -creal(first + second) : count;
    c[2] = count == 2 ? creal(first * second) : count == 1 ? -creal(first) : 1;
}

/*
 * Choose two poles and two zeros for a section.  Digital filters have as many zeros as poles, and a root at 0 beside
 * the last real one; analog filters have fewer of both, SciPy's pairing="minimal".
 */
static void pair(int64_t *np, mnp__root *p, int64_t *nz, mnp__root *z, bool analog, double *section)
{
    bool has_first = true, has_second = true;
    int poles = 2;
    const mnp__root p1 = take(np, p, worst(*np, p, false, analog));
    mnp__root p2 = conj(p1), z1, z2;
    if (cimag(p1) == 0 && count_real(*np, p) == 0) { /* the last real pole */
        z1 = take_nearest(nz, z, p1, REAL, &has_first);
        p2 = z2 = 0;
        poles = analog ? 1 : 2;
        has_second = !analog;
    } else if (*np + 1 == *nz && cimag(p1) != 0 && count_real(*np, p) == 1 && count_real(*nz, z) == 1) {
        z1 = take_nearest(nz, z, p1, COMPLEX, &has_first); /* the last real zero is left to the last real pole */
        z2 = conj(z1);
    } else {
        if (cimag(p1) == 0)
            p2 = take(np, p, worst(*np, p, true, analog));
        /* the last real zero waits where pairs of zeros, of which one is listed, would be left without two poles */
        const int64_t real = count_real(*np, p), with_two = *np - real + real / 2;
        const bool pairs_first = count_real(*nz, z) == 1 && *nz - 1 > with_two;
        z1 = take_nearest(nz, z, p1, pairs_first ? COMPLEX : ANY, &has_first);
        z2 = cimag(z1) != 0 ? conj(z1) : take_nearest(nz, z, p1, REAL, &has_second);
    }
    polynomial(analog ? has_first + has_second : 2, z1, z2, section);
    polynomial(poles, p1, p2, section + 3);
}

/* Whether there are sections: analog filters with more zeros than poles, or roots that are no pairs, have none. */
static bool has_sections(const mnp__zpk *zpk)
{
    int64_t above[2], below[2];
    count_sides(zpk->nz, zpk->z, &above[0], &below[0]);
    count_sides(zpk->np, zpk->p, &above[1], &below[1]);
    return zpk->nz <= zpk->np && above[0] == below[0] && above[1] == below[1];
}

static mnp_status fill_sections(const char *function, const mnp__zpk *zpk, bool analog, mnp_filter *filter)
{
    int64_t np = mnp__max(zpk->np, zpk->nz), nz;
    mnp__root *room;
    filter->sections = np > 0 ? (np + 1) / 2 : 1;
    np += analog ? 0 : np % 2;
    nz = analog ? zpk->nz : np;
    MNP_TRY(mnp__calloc((size_t)filter->sections, 6 * sizeof *filter->sos, &filter->sos));
    if (np == 0) {
        filter->sos[analog ? 2 : 0] = zpk->k;
        filter->sos[analog ? 5 : 3] = 1;
        return MNP_OK;
    }
    MNP_TRY(mnp__calloc((size_t)(np + nz), sizeof *room, &room)); /* the rest are zeros */
    mnp__root *z = room, *p = room + nz;
    memcpy(z, zpk->z, (size_t)zpk->nz * sizeof *z);
    memcpy(p, zpk->p, (size_t)zpk->np * sizeof *p);
    mnp_status st = take_pairs(function, &nz, z);
    if (st == MNP_OK)
        st = take_pairs(function, &np, p);
    for (int64_t s = filter->sections - 1; s >= 0 && st == MNP_OK; s--)
        pair(&np, p, &nz, z, analog, filter->sos + 6 * s);
    for (int k = 0; k < 3; k++)
        filter->sos[k] *= zpk->k;
    free(room);
    return st;
}

/* ---- all forms ---- */

static mnp_status copy_roots(int64_t count, const mnp__root *roots, double **copy_p)
{
    MNP_TRY(mnp__malloc((size_t)(2 * count) * sizeof **copy_p, copy_p));
    for (int64_t i = 0; i < count; i++) {
        (*copy_p)[2 * i] = creal(roots[i]);
        (*copy_p)[2 * i + 1] = cimag(roots[i]);
    }
    return MNP_OK;
}

mnp_status mnp__filter_fill(const char *function, const mnp__zpk *zpk, bool analog, mnp_filter *filter)
{
    mnp_filter made = {.nz = zpk->nz, .np = zpk->np, .k = zpk->k, .nb = zpk->nz + 1, .na = zpk->np + 1};
    mnp_status st;
    MNP_TRY_OR(copy_roots(zpk->nz, zpk->z, &made.z), st, done);
    MNP_TRY_OR(copy_roots(zpk->np, zpk->p, &made.p), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)made.nb * sizeof *made.b, &made.b), st, done);
    MNP_TRY_OR(mnp__malloc((size_t)made.na * sizeof *made.a, &made.a), st, done);
    MNP_TRY_OR(mnp__expand(zpk->nz, zpk->z, made.b), st, done);
    MNP_TRY_OR(mnp__expand(zpk->np, zpk->p, made.a), st, done);
    for (int64_t i = 0; i < made.nb; i++)
        made.b[i] *= zpk->k;
    if (!analog || has_sections(zpk))
        st = fill_sections(function, zpk, analog, &made);
done:
    if (st != MNP_OK) {
        mnp_filter_clear(&made);
        return st;
    }
    mnp_filter_clear(filter);
    *filter = made;
    return MNP_OK;
}

static mnp_status read_roots(const char *function, int64_t count, const double *pairs, mnp__root *roots)
{
    if (count < 0 || count > MNP__MOST_ROOTS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " roots, outside 0..%d", function, count,
                        MNP__MOST_ROOTS);
    for (int64_t i = 0; i < count; i++)
        roots[i] = pairs[2 * i] + I * pairs[2 * i + 1];
    return MNP_OK;
}

mnp_status mnp_filter_from_zpk(int64_t nz, const double *z, int64_t np, const double *p, double k, bool analog,
                               mnp_filter *filter)
{
    MNP_ENTER(filter);
    MNP_NEED_IF(nz > 0, z);
    MNP_NEED_IF(np > 0, p);
    static const char function[] = "mnp_filter_from_zpk";
    mnp__zpk zpk;
    MNP_TRY(mnp__zpk_new(&zpk));
    mnp_status st = read_roots(function, nz, z, zpk.z);
    if (st == MNP_OK)
        st = read_roots(function, np, p, zpk.p);
    zpk.nz = nz;
    zpk.np = np;
    zpk.k = k;
    if (st == MNP_OK)
        st = mnp__filter_fill(function, &zpk, analog, filter);
    mnp__zpk_free(&zpk);
    return st;
}

/* Leading zeros of a polynomial are left out, as in scipy.signal.normalize. */
static void trim(int64_t *count_p, const double **c_p)
{
    while (*count_p > 1 && (*c_p)[0] == 0) {
        (*c_p)++;
        (*count_p)--;
    }
}

mnp_status mnp_filter_from_tf(int64_t nb, const double *b, int64_t na, const double *a, bool analog, mnp_filter *filter)
{
    MNP_ENTER(b, a, filter);
    static const char function[] = "mnp_filter_from_tf";
    mnp__zpk zpk;
    if (nb < 1 || na < 1 || nb > MNP__MOST_ROOTS || na > MNP__MOST_ROOTS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: b has %" PRId64 " coefficients and a has %" PRId64 ", and both have 1 to %d",
                        function, nb, na, MNP__MOST_ROOTS);
    trim(&nb, &b);
    trim(&na, &a);
    if (a[0] == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: all coefficients of a are 0", function);
    MNP_TRY(mnp__zpk_new(&zpk));
    zpk.nz = b[0] == 0 ? 0 : nb - 1;
    zpk.np = na - 1;
    zpk.k = b[0] / a[0];
    mnp_status st = mnp__roots(zpk.nz, b, zpk.z);
    if (st == MNP_OK)
        st = mnp__roots(zpk.np, a, zpk.p);
    if (st == MNP_OK)
        st = mnp__filter_fill(function, &zpk, analog, filter);
    mnp__zpk_free(&zpk);
    return st;
}

mnp_status mnp_filter_from_sos(int64_t sections, const double *sos, mnp_filter *filter)
{
    MNP_ENTER(sos, filter);
    static const char function[] = "mnp_filter_from_sos";
    mnp__zpk zpk;
    double *copy;
    if (sections < 1 || 2 * sections > MNP__MOST_ROOTS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " sections, outside 1..%d", function, sections,
                        MNP__MOST_ROOTS / 2);
    MNP_TRY(mnp__zpk_new(&zpk));
    mnp_status st = mnp__malloc((size_t)(6 * sections) * sizeof *copy, &copy);
    for (int64_t k = 0; k < sections && st == MNP_OK; k++) {
        const double *b = sos + 6 * k, *a = b + 3;
        int64_t nb = 3, na = 3;
        trim(&nb, &b);
        trim(&na, &a);
        if (a[0] == 0)
            st = MNP_FAIL(MNP_ERR_ARG, "%s: a of section %" PRId64 " is 0", function, k);
        if (st == MNP_OK && b[0] != 0)
            st = mnp__roots(nb - 1, b, zpk.z + zpk.nz);
        if (st == MNP_OK)
            st = mnp__roots(na - 1, a, zpk.p + zpk.np);
        zpk.nz += b[0] != 0 ? nb - 1 : 0;
        zpk.np += na - 1;
        zpk.k *= st == MNP_OK ? b[0] / a[0] : 1;
    }
    if (st == MNP_OK)
        st = mnp__filter_fill(function, &zpk, false, filter);
    if (st == MNP_OK) { /* the sections stay as they were */
        memcpy(copy, sos, (size_t)(6 * sections) * sizeof *copy);
        free(filter->sos);
        filter->sos = copy;
        filter->sections = sections;
    } else {
        free(copy);
    }
    mnp__zpk_free(&zpk);
    return st;
}
