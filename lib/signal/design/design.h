/* SPDX-License-Identifier: BSD-3-Clause */
/* Designs within the library: sinc, lists of complex numbers, analog prototypes, and the forms of a filter. */
#ifndef MNP__SIGNAL_DESIGN_H
#define MNP__SIGNAL_DESIGN_H

#include <complex.h>
#include <math.h>

#include <maniple/filter_design.h>

#include "base/status.h"

#define MNP__PI 3.14159265358979323846

/* sin(pi x) / (pi x), which is 1 at 0. */
static inline double mnp__sinc(double x)
{
    return x == 0 ? 1 : sin(MNP__PI * x) / (MNP__PI * x);
}

typedef double complex mnp__root;

enum { MNP__MOST_ROOTS = 1000 }; /* zeros or poles of a filter */

/* Zeros, poles and a gain, of at most MNP__MOST_ROOTS each. */
typedef struct mnp__zpk {
    int64_t nz, np;
    mnp__root *z, *p; /* room for MNP__MOST_ROOTS */
    double k;
} mnp__zpk;

mnp_status mnp__zpk_new(mnp__zpk *zpk); /* no zeros, no poles, gain 1 */
void mnp__zpk_free(mnp__zpk *zpk);      /* zeros are accepted */

/* A prototype of order n with its edge at 1. */
typedef struct mnp__prototype {
    const char *function; /* that was called: "mnp_butter" */
    char kind;            /* b, 1, 2, e, or s of bessel */
    int n;
    double rp, rs;
    char norm; /* of bessel: p, d, m */
} mnp__prototype;

/* MNP_ERR_ARG for values that are out of range. */
mnp_status mnp__prototype_make(const mnp__prototype *prototype, mnp__zpk *zpk);

/* Changes of the edges, and to digital filters. */
void mnp__zpk_lowpass(mnp__zpk *zpk, double wo);
void mnp__zpk_highpass(mnp__zpk *zpk, double wo);
void mnp__zpk_bandpass(mnp__zpk *zpk, double wo, double bw);
void mnp__zpk_bandstop(mnp__zpk *zpk, double wo, double bw);
void mnp__zpk_bilinear(mnp__zpk *zpk, double fs);

/* The polynomial with these roots, which come in pairs: degree + 1 numbers. */
mnp_status mnp__expand(int64_t degree, const mnp__root *roots, double *polynomial);

/* All roots of a polynomial of that degree, the highest power first, which is not 0; pairs are conjugated exactly. */
mnp_status mnp__roots(int64_t degree, const double *polynomial, mnp__root *roots);

/* Fill in all forms from zeros, poles and gain; what `filter` holds is released. */
mnp_status mnp__filter_fill(const char *function, const mnp__zpk *zpk, bool analog, mnp_filter *filter);

#endif
