/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deconvolution of images, or volumes, that a point spread function has blurred: the methods of skimage.restoration.
 *
 * image and psf are real, of as many dimensions, 1 to 4; psf has any layout and should have a sum of 1.  Arithmetic and
 * results are float32 for images of float16, bfloat16 and float32, float64 for others.  Results have the image's
 * layout.
 *
 * All functions are collective.  MNP_ERR_ARG for complex, empty and block-cyclic arrays, other numbers of dimensions,
 * and options that are out of range; MNP_ERR_UNSUPPORTED for transforms where FFTW is not installed; MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_DECONVOLUTION_H
#define MANIPLE_DECONVOLUTION_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros, false and NULL are the defaults of skimage.restoration.richardson_lucy. */
typedef struct mnp_richardson_lucy_options {
    int iterations;         /* 0: 50 */
    double filter_epsilon;  /* not 0: where the blurred estimate is less, the image is not compared with it */
    bool unclipped;         /* clip=False: values may leave the range -1 to 1 */
    double total_variation; /* weight of the total variation, such as 0.002, below 1 / (2 ndim); 0: none */
    const mnp_array *mask;  /* NULL, or the weight of each pixel of the image, broadcast: 0 where it is not known */
    bool accelerate;        /* extrapolate from the last two estimates, which takes a fraction of the iterations */
    mnp_boundary boundary;  /* how estimates continue beyond the image: MNP_BOUNDARY_FILL: with zeros */
    mnp_conv_method method; /* of the convolutions */
} mnp_richardson_lucy_options;

/*
 * Richardson-Lucy: skimage.restoration.richardson_lucy, with extensions.  From x = 0.5 everywhere it repeats
 *
 *   b = (x convolved with psf) + 1e-12;   c = image / b correlated with psf;   x = x c
 *
 * With a mask w: c = (w image / b) correlated with psf, over w correlated with psf; where that is below 1e-12, x stays.
 * With total variation: x = x c / (1 - weight div(g / sqrt(|g|^2 + 1e-12))), g the forward differences of x, which are
 * 0 at the border, div their adjoint's negative (N. Dey and others, Microscopy Research and Technique 69, 2006).
 * Accelerated: b and c are of y = max(x + a (x - x'), 0), x' the estimate before, and x = y c; a, 0 to 1, is computed
 * from the last two differences x - y (D. Biggs and M. Andrews, Applied Optics 36, 1997).
 *
 * The two convolutions are planned once; an iteration allocates nothing and does not wait.  It takes two convolutions,
 * and for total variation two passes of two taps along every axis.  options NULL: the defaults.  Waits for the last
 * iteration.
 */
MNP_API mnp_status mnp_richardson_lucy(const mnp_array *image, const mnp_array *psf,
                                       const mnp_richardson_lucy_options *options, mnp_array **out_p);

/*
 * Wiener-Hunt: skimage.restoration.wiener.  With H, R and Y the transforms of psf, of the regularisation and of the
 * image, which is taken as periodic, the result is that of conj(H) Y / (|H|^2 + balance |R|^2).
 *
 *   reg        the impulse response of the regularisation; NULL: the Laplacian
 *   unclipped  clip=False: values may leave the range -1 to 1
 */
MNP_API mnp_status mnp_wiener_deconvolution(const mnp_array *image, const mnp_array *psf, double balance,
                                            const mnp_array *reg, bool unclipped, mnp_array **out_p);

/* Zeros, false and NULL are the defaults of skimage.restoration.unsupervised_wiener. */
typedef struct mnp_unsupervised_wiener_options {
    const mnp_array *reg;                   /* as above */
    double threshold;                       /* 0: 1e-4 */
    int burnin, min_iterations, iterations; /* 0: 15, 30, 200 */
    uint64_t seed;
    bool unclipped;
} mnp_unsupervised_wiener_options;

/* The precisions of the noise and of the prior in each iteration; `count` begins with how many there is room for. */
typedef struct mnp_unsupervised_wiener_chains {
    int count;
    double *noise, *prior;
} mnp_unsupervised_wiener_chains;

/*
 * Wiener-Hunt deconvolution whose balance is estimated from the image: skimage.restoration.unsupervised_wiener, by
 * Gibbs sampling (F. Orieux, J.-F. Giovannelli and T. Rodet, Journal of the Optical Society of America A 27, 2010).
 * The random numbers are not NumPy's, so results agree with scikit-image's to the accuracy of the sampling.  Waits for
 * two sums in every iteration.  options NULL: the defaults.  chains NULL: the chains are not wanted; otherwise
 * chains->count becomes the number of iterations that were stored.
 */
MNP_API mnp_status mnp_unsupervised_wiener(const mnp_array *image, const mnp_array *psf,
                                           const mnp_unsupervised_wiener_options *options,
                                           mnp_unsupervised_wiener_chains *chains, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
