/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wiener-Hunt deconvolution, with a given balance of data and regularisation, or one that is sampled.
 */
#include <maniple/eval.h>
#include <maniple/fft.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/random.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "array/input.h"
#include "array/output.h"
#include "signal/deconvolution/deconvolution.h"

/* The transform of an impulse response whose middle is at the origin of an array of the image's shape. */
static mnp_status transfer(const mnp_array *response, const mnp_array *image, mnp_dtype dtype, mnp_array **out_p)
{
    const int ndim = image->layout->ndim;
    int64_t widths[2 * MNP_MAX_DIMS] = {0}, shifts[MNP_MAX_DIMS];
    int axes[MNP_MAX_DIMS];
    mnp_array *values = NULL, *padded = NULL, *rolled = NULL;
    mnp_status st;
    for (int d = 0; d < ndim; d++) {
        if (response->layout->shape[d] > image->layout->shape[d])
            return MNP_FAIL(MNP_ERR_ARG,
                            "dimension %d of the psf or regularisation is %" PRId64 ", larger than the image, whose is "
                            "%" PRId64,
                            d, response->layout->shape[d], image->layout->shape[d]);
        widths[2 * d + 1] = image->layout->shape[d] - response->layout->shape[d];
        shifts[d] = -(response->layout->shape[d] / 2);
        axes[d] = d;
    }
    MNP_TRY_OR(mnp_astype(response, dtype, &values), st, done);
    MNP_TRY_OR(mnp_pad(values, widths, MNP_BOUNDARY_FILL, NULL, &padded), st, done);
    MNP_TRY_OR(mnp_roll(padded, ndim, shifts, axes, &rolled), st, done);
    st = mnp_rfftn(rolled, 0, NULL, NULL, NULL, out_p);
done:
    mnp_free_all(values, padded, rolled);
    return st;
}

/* The impulse response of the Laplacian: 2 ndim in the middle of 3 elements along every dimension, -1 beside it. */
static mnp_status laplacian(const mnp_array *image, mnp_dtype dtype, mnp_array **out_p)
{
    const int ndim = image->layout->ndim;
    double values[81] = {0};
    int64_t shape[MNP_MAX_DIMS], stride = 1;
    mnp_array *exact = NULL;
    const int middle = ndim == 1 ? 1 : ndim == 2 ? 4 : ndim == 3 ? 13 : 40;
    values[middle] = 2 * ndim;
    for (int d = 0; d < ndim; d++, stride *= 3) {
        shape[d] = 3;
        values[middle - stride] = values[middle + stride] = -1;
    }
    MNP_TRY(mnp_array_from_host(image->ctx, MNP_FLOAT64, ndim, shape, values, &exact));
    const mnp_status st = mnp_astype(exact, dtype, out_p);
    mnp_array_free(exact);
    return st;
}

/* What both functions begin with. */
typedef struct spectra {
    mnp_array *image, *psf, *reg; /* their transforms; the image's with norm "ortho" */
} spectra;

static void free_spectra(spectra *s)
{
    mnp_free_all(s->image, s->psf, s->reg);
}

static mnp_status transform(const mnp_array *image, const mnp_array *psf, const mnp_array *reg, mnp_dtype dtype,
                            spectra *s)
{
    mnp_array *made = NULL, *values = NULL;
    mnp_status st = MNP_OK;
    if (!reg)
        MNP_TRY_OR(laplacian(image, dtype, &made), st, done);
    MNP_TRY_OR(transfer(reg ? reg : made, image, dtype, &s->reg), st, done);
    MNP_TRY_OR(transfer(psf, image, dtype, &s->psf), st, done);
    MNP_TRY_OR(mnp_astype(image, dtype, &values), st, done);
    st = mnp_rfftn(values, 0, NULL, NULL, "ortho", &s->image);
done:
    mnp_free_all(made, values);
    return st;
}

static mnp_status back(const mnp_array *spectrum, const mnp_array *image, mnp_dtype dtype, mnp_array **out_p)
{
    mnp_array *cut = NULL;
    MNP_TRY(mnp_irfftn(spectrum, image->layout->ndim, image->layout->shape, NULL, "ortho", &cut));
    mnp_status st = mnp_array_new(image->ctx, dtype, image->layout, out_p);
    if (st == MNP_OK)
        st = mnp__array_copy_to(cut, *out_p);
    mnp_array_free(cut);
    return st;
}

static mnp_status check(const char *function, const mnp_array *image, const mnp_array *psf, const mnp_array *reg,
                        mnp_array *given, mnp_dtype *dtype_p)
{
    MNP_TRY(mnp__deconvolution_check(function, image, psf, dtype_p));
    if (reg)
        MNP_TRY(mnp__deconvolution_check(function, image, reg, dtype_p));
    const mnp__output_spec output = {
        .function = function, .ctx = image->ctx, .dtype = *dtype_p, .layout = image->layout};
    return mnp__output_check(&output, given);
}

mnp_status mnp_wiener_deconvolution(const mnp_array *image, const mnp_array *psf, double balance, const mnp_array *reg,
                                    bool unclipped, mnp_array **out_p)
{
    MNP_ENTER(image, psf, out_p);
    MNP_NEED_OR_NULL(reg);
    mnp_dtype dtype;
    spectra s = {NULL, NULL, NULL};
    mnp_array *result = NULL;
    MNP_TRY(check("mnp_wiener_deconvolution", image, psf, reg, *out_p, &dtype));
    mnp_status st = transform(image, psf, reg, dtype, &s);
    if (st == MNP_OK)
        st = mnp_eval(
            image->ctx, "y = y * conj(h) / (h.real*h.real + h.imag*h.imag + balance * (r.real*r.real + r.imag*r.imag))",
            MNP_IN("h", s.psf, "r", s.reg, "balance", MNP_SCALAR(image->ctx, balance)), MNP_OUT("y", &s.image));
    if (st == MNP_OK)
        st = back(s.image, image, dtype, &result);
    free_spectra(&s);
    return mnp__deconvolution_give(result, unclipped, st, out_p);
}

/* ---- the balance sampled ---- */

typedef struct sampler {
    mnp_ctx *ctx;
    mnp_rng *rng;
    spectra s;
    mnp_array *sample, *sum, *re, *im, *noise_norm, *prior_norm, *change, *size;
    double noise, prior;
    double pixels;
} sampler;

static mnp_status draw_gamma(sampler *g, double shape, double norm, double *value_p)
{
    const int64_t one[] = {1};
    mnp_array *drawn = NULL;
    MNP_TRY(mnp_random_gamma(g->rng, shape, 2 / norm, MNP_FLOAT64, 1, one, &drawn));
    const mnp_status st = mnp_array_item(drawn, MNP_FLOAT64, value_p);
    mnp_array_free(drawn);
    return st;
}

/* The squared norm of a real array from its half spectrum, as skimage's image_quad_norm: twice it but for the first. */
#define NORM(value) "v = " value "; n = sum((v.real*v.real + v.imag*v.imag) * where(last > 0, 2, 1), dtype=float64)"

static mnp_status norm_of(sampler *g, const char *text, mnp_array **norm_p, double *value_p)
{
    MNP_TRY(mnp_eval(g->ctx, text,
                     MNP_IN("x", g->sample, "y", g->s.image, "h", g->s.psf, "r", g->s.reg, "last", g->size),
                     MNP_OUT("n", norm_p)));
    return mnp_array_item(*norm_p, MNP_FLOAT64, value_p);
}

/* A sample of the image's spectrum, and of the two precisions given it. */
static mnp_status draw(sampler *g)
{
    const mnp_layout *layout = g->s.image->layout;
    const mnp_dtype dtype = g->s.image->dtype == MNP_COMPLEX64 ? MNP_FLOAT32 : MNP_FLOAT64;
    double noise_norm, prior_norm;
    MNP_TRY(mnp_random_normal(g->rng, 0, 1, dtype, layout->ndim, layout->shape, &g->re));
    MNP_TRY(mnp_random_normal(g->rng, 0, 1, dtype, layout->ndim, layout->shape, &g->im));
    MNP_TRY(mnp_eval(g->ctx,
                     "p = noise * (h.real*h.real + h.imag*h.imag) + prior * (r.real*r.real + r.imag*r.imag)\n"
                     "x = noise * conj(h) / p * y + (a + 1j * b) * sqrt(0.5 / p)",
                     MNP_IN("h", g->s.psf, "r", g->s.reg, "y", g->s.image, "a", g->re, "b", g->im, "noise",
                            MNP_SCALAR(g->ctx, g->noise), "prior", MNP_SCALAR(g->ctx, g->prior)),
                     MNP_OUT("x", &g->sample)));
    MNP_TRY(norm_of(g, NORM("y - x * h"), &g->noise_norm, &noise_norm));
    MNP_TRY(norm_of(g, NORM("x * r"), &g->prior_norm, &prior_norm));
    MNP_TRY(draw_gamma(g, g->pixels / 2, noise_norm, &g->noise));
    return draw_gamma(g, (g->pixels - 1) / 2, prior_norm, &g->prior);
}

/* Add the sample to the sum of those after the burn-in, of which it is number `count`; the change of their mean. */
static mnp_status add_sample(sampler *g, int count, double *delta_p)
{
    double change, size;
    if (count == 1)
        return mnp_eval(g->ctx, "s = x", MNP_IN("x", g->sample), MNP_OUT("s", &g->sum));
    MNP_TRY(mnp_eval(g->ctx,
                     "c = sum(abs((s + x) / n - s / (n - 1)), dtype=float64); t = sum(abs(s + x), dtype=float64)",
                     MNP_IN("s", g->sum, "x", g->sample, "n", MNP_SCALAR(g->ctx, (double)count)),
                     MNP_OUT("c", &g->change, "t", &g->noise_norm)));
    MNP_TRY(mnp_eval(g->ctx, "s += x", MNP_IN("x", g->sample), MNP_OUT("s", &g->sum)));
    MNP_TRY(mnp_array_item(g->change, MNP_FLOAT64, &change));
    MNP_TRY(mnp_array_item(g->noise_norm, MNP_FLOAT64, &size));
    *delta_p = change / size / count;
    return MNP_OK;
}

static mnp_status sample(sampler *g, const mnp_unsupervised_wiener_options *o, mnp_unsupervised_wiener_chains *chains,
                         int *count_p)
{
    const int burnin = o->burnin > 0 ? o->burnin : 15, least = o->min_iterations > 0 ? o->min_iterations : 30,
              most = o->iterations > 0 ? o->iterations : 200;
    const double threshold = o->threshold > 0 ? o->threshold : 1e-4;
    double delta = NAN;
    int done = 0;
    for (int i = 0; i < most; i++) {
        MNP_TRY(draw(g));
        if (chains && done + 1 < chains->count) {
            chains->noise[done + 1] = g->noise;
            chains->prior[done + 1] = g->prior;
        }
        done++;
        if (i > burnin)
            MNP_TRY(add_sample(g, i - burnin, &delta));
        if (i > least && delta < threshold)
            break;
    }
    if (chains && chains->count > 0)
        chains->noise[0] = chains->prior[0] = 1;
    if (chains)
        chains->count = done + 1 < chains->count ? done + 1 : chains->count;
    *count_p = done - 1 - burnin;
    return MNP_OK;
}

static mnp_status check_unsupervised(const mnp_unsupervised_wiener_options *o,
                                     const mnp_unsupervised_wiener_chains *chains)
{
    const int burnin = o->burnin > 0 ? o->burnin : 15, most = o->iterations > 0 ? o->iterations : 200;
    if (o->burnin < 0 || o->min_iterations < 0 || o->iterations < 0 || most < burnin + 2)
        return MNP_FAIL(
            MNP_ERR_ARG,
            "mnp_unsupervised_wiener: burnin is %d, min_iterations %d, iterations %d; none may be negative, "
            "and at least two iterations must follow the burn-in",
            o->burnin, o->min_iterations, o->iterations);
    if (chains && (chains->count < 0 || (chains->count > 0 && !(chains->noise && chains->prior))))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_unsupervised_wiener: chains have room for %d numbers; noise is %s, prior %s",
                        chains->count, chains->noise ? "given" : "NULL", chains->prior ? "given" : "NULL");
    return MNP_OK;
}

mnp_status mnp_unsupervised_wiener(const mnp_array *image, const mnp_array *psf,
                                   const mnp_unsupervised_wiener_options *options,
                                   mnp_unsupervised_wiener_chains *chains, mnp_array **out_p)
{
    MNP_ENTER(image, psf, out_p);
    const mnp_unsupervised_wiener_options defaults = {.reg = NULL};
    const mnp_unsupervised_wiener_options *o = options ? options : &defaults;
    sampler g = {.ctx = image->ctx, .noise = 1, .prior = 1, .pixels = (double)mnp_layout_size(image->layout)};
    const int ndim = image->layout->ndim;
    mnp_dtype dtype;
    mnp_array *result = NULL;
    int count = 1;
    MNP_NEED_IF(o->reg, o->reg);
    MNP_TRY(check("mnp_unsupervised_wiener", image, psf, o->reg, *out_p, &dtype));
    MNP_TRY(check_unsupervised(o, chains));
    mnp_status st = transform(image, psf, o->reg, dtype, &g.s);
    if (st == MNP_OK) { /* the index along the last dimension, broadcast along the others */
        int64_t shape[MNP_MAX_DIMS];
        for (int d = 0; d < ndim; d++)
            shape[d] = d == ndim - 1 ? g.s.image->layout->shape[d] : 1;
        st = mnp_fromfunction(g.ctx,
                              ndim == 1   ? "i0"
                              : ndim == 2 ? "i1"
                              : ndim == 3 ? "i2"
                                          : "i3",
                              MNP_DTYPE_AUTO, ndim, shape, &g.size);
    }
    if (st == MNP_OK)
        st = mnp_rng_new(g.ctx, o->seed, &g.rng);
    if (st == MNP_OK)
        st = sample(&g, o, chains, &count);
    if (st == MNP_OK)
        st = mnp_eval(g.ctx, "s = s / n", MNP_IN("n", MNP_SCALAR(g.ctx, (double)count)), MNP_OUT("s", &g.sum));
    if (st == MNP_OK)
        st = back(g.sum, image, dtype, &result);
    free_spectra(&g.s);
    mnp_rng_free(g.rng);
    mnp_free_all(g.sample, g.sum, g.re, g.im, g.noise_norm, g.prior_norm, g.change, g.size);
    return mnp__deconvolution_give(result, o->unclipped, st, out_p);
}
