/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: the functions of scipy.signal.windows, by their names and parameters.
 *
 *   no parameters   barthann, bartlett, blackman, blackmanharris, bohman, boxcar, cosine, flattop, hamming, hann,
 *                   lanczos, nuttall, parzen, triang
 *   one             chebwin (attenuation in dB), dpss (NW, below n / 2), gaussian (standard deviation), general_hamming
 *                   (alpha), kaiser (beta), kaiser_bessel_derived (beta; symmetric, of even length), tukey (alpha;
 *                   none: 0.5)
 *   several         exponential (center and tau; center NaN: the middle), general_cosine (the weights),
 *                   general_gaussian (power and standard deviation), taylor (nbar, sidelobe level in dB, norm 0 or 1;
 *                   none: 4, 30, 1)
 *
 * dpss is the first of its sequences, scaled as SciPy does it without Kmax, by approximation.
 */
#ifndef MANIPLE_WINDOWS_H
#define MANIPLE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Compute a window on the CPU.
 *
 *   name  one of those above.  "_symmetric" or "_periodic" may follow, as in "hann_symmetric"; sym does not matter then
 *   sym   true: symmetric, as filters need it; false: one period of a periodic window, as spectra need it
 *   w     receives n numbers
 *
 * MNP_ERR_ARG for another name, a wrong number of parameters or values that are out of range, and n below 0;
 * MNP_ERR_MEMORY.  Not collective.
 */
MNP_API mnp_status mnp_window(const char *name, int nparameters, const double *parameters, int64_t n, bool sym,
                              double *w);

/*
 * scipy.signal.get_window: the same as a distributed array of float64, in the layout of mnp_layout_block().  Every rank
 * computes the whole window.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE.  Collective.
 */
MNP_API mnp_status mnp_get_window(mnp_ctx *ctx, const char *name, int nparameters, const double *parameters, int64_t n,
                                  bool fftbins, mnp_array **w_p);

#ifdef __cplusplus
}
#endif

#endif
