/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spectra of samples at any times, by least squares: every rank has all samples and computes its own frequencies.
 */
#include <inttypes.h>

#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/spectral.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "base/call.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"

/*
 * The periodogram of R. Townsend, Fast calculation of the Lomb-Scargle periodogram, 2010.  As in SciPy since 1.15 the
 * phase is an angle, not a time, and the mean square of each wave is 2^-53 at least: so frequency 0 has a value.
 */
static const mnp__formula periodogram = {
    .name = "lombscargle",
    .body = "double xc = 0, xs = 0, cc = 0, ss = 0, cs = 0;\n"
            "for (int64_t j = 0; j < times.size(); j++) {\n"
            "    const double c = mnp_cos(freq * times[j]), s = mnp_sin(freq * times[j]);\n"
            "    xc += values[j] * c;\n    xs += values[j] * s;\n"
            "    cc += c * c;\n    ss += s * s;\n    cs += c * s;\n"
            "}\n"
            "const double phase = mnp_arctan2(2 * cs, cc - ss) / 2, c = mnp_cos(phase), s = mnp_sin(phase);\n"
            "const double even = c * xc + s * xs, odd = c * xs - s * xc;\n"
            "const double evens = c * c * cc + 2 * c * s * cs + s * s * ss;\n"
            "const double odds = c * c * ss - 2 * c * s * cs + s * s * cc;\n"
            "const double least = 1.1102230246251565e-16 * (double)times.size();\n"
            "out = 0.5 * (even * even / (evens < least ? least : evens) + odd * odd / (odds < least ? least : odds));",
    .type = MNP_FLOAT64,
    .ninputs = 3,
    .inputs = {{"freq", MNP_FLOAT64, false}, {"times", MNP_FLOAT64, true}, {"values", MNP_FLOAT64, true}},
};

static mnp_status check_vector(const char *function, const char *name, const mnp_array *x)
{
    if (x->layout->ndim != 1 || mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %s of %d dimensions, and must be a real vector", function, name,
                        mnp_dtype_name(x->dtype), x->layout->ndim);
    return MNP_OK;
}

static mnp_status scale_by_power(const mnp_array *y, mnp_array *spectrum)
{
    mnp_array *wide = NULL, *power = NULL, *target = spectrum;
    mnp_status st;
    MNP_TRY_OR(mnp_astype(y, MNP_FLOAT64, &wide), st, done);
    MNP_TRY_OR(mnp_vdot(wide, wide, &power), st, done);
    MNP_TRY_OR(mnp_divide(spectrum, power, &target), st, done);
    st = mnp_multiply(spectrum, mnp_scalar_float(y->ctx, 2), &target);
done:
    mnp_free_all(wide, power);
    return st;
}

mnp_status mnp_lombscargle(const mnp_array *x, const mnp_array *y, const mnp_array *freqs, bool precenter,
                           bool normalize, mnp_array **p_p)
{
    MNP_ENTER(x, y, freqs, p_p);
    const mnp_array *const given[] = {x, y, freqs};
    mnp_array *mean = NULL, *centred = NULL, *spectrum = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(__func__, 3, given));
    MNP_TRY(check_vector(__func__, "x", x));
    MNP_TRY(check_vector(__func__, "y", y));
    MNP_TRY(check_vector(__func__, "freqs", freqs));
    if (x->layout->shape[0] != y->layout->shape[0])
        return MNP_FAIL(MNP_ERR_ARG, "%s: x has %" PRId64 " elements and y %" PRId64, __func__, x->layout->shape[0],
                        y->layout->shape[0]);
    const mnp__output_spec spec = {.function = __func__, .ctx = x->ctx, .dtype = MNP_FLOAT64, .layout = freqs->layout};
    MNP_TRY(mnp__output_check(&spec, *p_p));
    if (precenter) {
        MNP_TRY_OR(mnp_mean(y, NULL, &mean), st, done);
        MNP_TRY_OR(mnp_subtract(y, mean, &centred), st, done);
    }
    const mnp_array *const inputs[] = {freqs, x, centred ? centred : y};
    const mnp__formula_call call = {.function = __func__,
                                    .formula = &periodogram,
                                    .ninputs = 3,
                                    .inputs = inputs,
                                    .outputs_p = (mnp_array * *const[]){&spectrum},
                                    .type = MNP_FLOAT64,
                                    .result = MNP_FLOAT64,
                                    .layout = freqs->layout};
    MNP_TRY_OR(mnp__formula_run(x->ctx, &call), st, done);
    st = normalize ? scale_by_power(centred ? centred : y, spectrum) : MNP_OK;
done:
    mnp_free_all(mean, centred);
    return mnp__output_give(spectrum, st, p_p);
}
