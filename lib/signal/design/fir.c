/* SPDX-License-Identifier: BSD-3-Clause */
/* Taps of filters without feedback: by windows, by sampled responses, and by the exchange of Parks and McClellan. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/windows.h>

#include "signal/design/design.h"

mnp_status mnp_firwin(int64_t numtaps, int count, const double *cutoff, const char *window, int nparameters,
                      const double *parameters, bool pass_zero, bool scale, double fs, double *h)
{
    MNP_ENTER(cutoff, h);
    MNP_NEED_IF(nparameters > 0, parameters);
    const double half = (double)(numtaps - 1) / 2, nyquist = fs > 0 ? fs / 2 : 1;
    const bool pass_nyquist = (count % 2 == 1) != pass_zero;
    double *w, sum = 0;
    if (numtaps < 1 || count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_firwin: there are %" PRId64 " taps and %d frequencies, and both need one",
                        numtaps, count);
    for (int i = 0; i < count; i++) {
        if (!(cutoff[i] > (i ? cutoff[i - 1] : 0)) || !(cutoff[i] < nyquist))
            return MNP_FAIL(MNP_ERR_ARG, "mnp_firwin: cutoff[%d] is %g, and frequencies must rise between 0 and %g", i,
                            cutoff[i], nyquist);
    }
    if (pass_nyquist && numtaps % 2 == 0)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_firwin: a filter with %" PRId64 " taps, an even number, cannot pass the highest frequency",
                        numtaps);
    MNP_TRY(mnp__malloc((size_t)numtaps * sizeof *w, &w));
    mnp_status st = mnp_window(window ? window : "hamming", nparameters, parameters, numtaps, true, w);
    /* bands begin at edges pass_zero ? 0 : 1, 3, ... of 0, cutoff, nyquist */
    double first_left = pass_zero ? 0 : cutoff[0] / nyquist, first_right = 1;
    const int first_end = pass_zero ? 0 : 1;
    if (first_end < count)
        first_right = cutoff[first_end] / nyquist;
    for (int64_t i = 0; i < numtaps && st == MNP_OK; i++) {
        const double m = (double)i - half;
        h[i] = 0;
        for (int k = pass_zero ? -1 : 0; k < count; k += 2) {
            const double left = k < 0 ? 0 : cutoff[k] / nyquist, right = k + 1 < count ? cutoff[k + 1] / nyquist : 1;
            h[i] += right * mnp__sinc(right * m) - left * mnp__sinc(left * m);
        }
        h[i] *= w[i];
        const double middle = first_left == 0 ? 0 : first_right == 1 ? 1 : (first_left + first_right) / 2;
        sum += h[i] * cos(MNP__PI * m * middle);
    }
    for (int64_t i = 0; i < numtaps && scale && st == MNP_OK; i++)
        h[i] /= sum;
    free(w);
    return st;
}

/* ---- sampled responses ---- */

static mnp_status check_response(int64_t numtaps, int count, const double *freq, const double *gain, bool antisymmetric,
                                 double nyquist)
{
    static const char function[] = "mnp_firwin2";
    if (numtaps < 1 || count < 2 || freq[0] != 0 || freq[count - 1] != nyquist)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: there are %" PRId64 " taps, 1 at least, and %d frequencies, 2 at least, which must begin "
                        "with 0 and end with %g",
                        function, numtaps, count, nyquist);
    for (int i = 1; i < count; i++) {
        const bool ends = i == 1 ? freq[1] == 0 : i == count - 1 && freq[count - 2] == nyquist;
        if (!(freq[i] >= freq[i - 1]) || ends || (i > 1 && freq[i] == freq[i - 2]))
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: freq[%d] is %g; frequencies must not fall, and be given twice at most, and the first "
                            "and the last once",
                            function, i, freq[i]);
    }
    const bool even = numtaps % 2 == 0;
    if ((!antisymmetric && even && gain[count - 1] != 0) || (antisymmetric && gain[0] != 0) ||
        (antisymmetric && !even && gain[count - 1] != 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: with %" PRId64 " %s taps the gain must be 0 at %s", function, numtaps,
                        antisymmetric ? "antisymmetric" : "symmetric",
                        !antisymmetric ? "the highest frequency"
                        : even         ? "frequency 0"
                                       : "frequency 0 and at the highest");
    return MNP_OK;
}

/* The gain at a frequency between points that rise. */
static double interpolate(int count, const double *freq, const double *gain, double x)
{
    int i = 0;
    while (i < count - 2 && x >= freq[i + 1])
        i++;
    if (x <= freq[0])
        return gain[0];
    if (x >= freq[count - 1])
        return gain[count - 1];
    return gain[i] + (gain[i + 1] - gain[i]) / (freq[i + 1] - freq[i]) * (x - freq[i]);
}

/* The inverse transform of the sampled gain, with the phase that brings the taps to the beginning; term by term. */
static void sum_response(int64_t numtaps, int64_t nfreqs, const double *response, bool antisymmetric, double *h)
{
    const int64_t n = 2 * (nfreqs - 1);
    for (int64_t i = 0; i < numtaps; i++) {
        double sum = 0;
        for (int64_t k = 0; k < nfreqs; k++) {
            const bool end = k == 0 || k == nfreqs - 1; /* only real parts count there */
            const double shift = (double)(numtaps - 1) / 2 * MNP__PI * (double)k / (double)(nfreqs - 1);
            const double re = antisymmetric ? sin(shift) : cos(shift), im = antisymmetric ? cos(shift) : -sin(shift);
            const double turn = 2 * MNP__PI * (double)(i * k % n) / (double)n;
            sum += response[k] * (end ? re * cos(turn) : 2 * (re * cos(turn) - im * sin(turn)));
        }
        h[i] = sum / (double)n;
    }
}

mnp_status mnp_firwin2(int64_t numtaps, int count, const double *freq, const double *gain, int64_t nfreqs,
                       const char *window, int nparameters, const double *parameters, bool antisymmetric, double fs,
                       double *h)
{
    MNP_ENTER(freq, gain, h);
    MNP_NEED_IF(nparameters > 0, parameters);
    const double nyquist = fs > 0 ? fs / 2 : 1, eps = 2.220446049250313e-16 * nyquist;
    double *room;
    MNP_TRY(check_response(numtaps, count, freq, gain, antisymmetric, nyquist));
    if (nfreqs == 0) {
        for (nfreqs = 1; nfreqs < numtaps; nfreqs *= 2)
            ;
        nfreqs++;
    }
    if (numtaps >= nfreqs)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_firwin2: there are %" PRId64 " taps, and must be fewer than the %" PRId64 " frequencies",
                        numtaps, nfreqs);
    MNP_TRY(mnp__malloc((size_t)(count + nfreqs + numtaps) * sizeof *room, &room));
    double *points = room, *response = room + count, *w = response + nfreqs;
    memcpy(points, freq, (size_t)count * sizeof *points);
    for (int i = 0; i + 1 < count; i++) { /* a step becomes a steep slope */
        if (points[i] == points[i + 1]) {
            points[i] -= eps;
            points[i + 1] += eps;
        }
    }
    for (int64_t k = 0; k < nfreqs; k++)
        response[k] = interpolate(count, points, gain, nyquist * (double)k / (double)(nfreqs - 1));
    mnp_status st = mnp_window(window ? window : "hamming", nparameters, parameters, numtaps, true, w);
    if (st == MNP_OK)
        sum_response(numtaps, nfreqs, response, antisymmetric, h);
    for (int64_t i = 0; i < numtaps && st == MNP_OK; i++)
        h[i] = antisymmetric && numtaps % 2 && i == numtaps / 2 ? 0 : h[i] * w[i];
    free(room);
    return st;
}
