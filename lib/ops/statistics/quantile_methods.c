/* SPDX-License-Identifier: BSD-3-Clause */
#include "ops/statistics/quantile_methods.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const mnp__quantile_method methods[] = {
    {"linear", MNP__QUANTILE_LINEAR, 1, 1},
    {"lower", MNP__QUANTILE_LOWER, 0, 0},
    {"higher", MNP__QUANTILE_HIGHER, 0, 0},
    {"midpoint", MNP__QUANTILE_MIDPOINT, 0, 0},
    {"nearest", MNP__QUANTILE_NEAREST, 0, 0},
    {"inverted_cdf", MNP__QUANTILE_INVERTED, 0, 0},
    {"averaged_inverted_cdf", MNP__QUANTILE_AVERAGED, 0, 0},
    {"closest_observation", MNP__QUANTILE_CLOSEST, 0, 0},
    {"interpolated_inverted_cdf", MNP__QUANTILE_HYNDMAN_FAN, 0, 1},
    {"hazen", MNP__QUANTILE_HYNDMAN_FAN, 0.5, 0.5},
    {"weibull", MNP__QUANTILE_HYNDMAN_FAN, 0, 0},
    {"median_unbiased", MNP__QUANTILE_HYNDMAN_FAN, 1 / 3.0, 1 / 3.0},
    {"normal_unbiased", MNP__QUANTILE_HYNDMAN_FAN, 3 / 8.0, 3 / 8.0},
};

enum { NUM_METHODS = sizeof methods / sizeof *methods };

const mnp__quantile_method mnp__quantile_median = {"median", MNP__QUANTILE_MIDDLE, 0, 0};

mnp_status mnp__quantile_find_method(const char *function, const char *name, const mnp__quantile_method **method_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    *method_p = &methods[0];
    if (!name)
        return MNP_OK;
    for (int i = 0; i < NUM_METHODS; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            *method_p = &methods[i];
            return MNP_OK;
        }
        mnp__text_add(&text, "%s%s", i ? ", " : "", methods[i].name);
    }
    mnp_status st =
        MNP_FAIL(MNP_ERR_ARG, "%s: the method is '%s', and there are %s", function, name, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

bool mnp__quantile_takes_one(const mnp__quantile_method *m)
{
    return m->rule >= MNP__QUANTILE_INVERTED;
}

/* NumPy's _discrete_interpolation_to_boundaries(). */
static int64_t boundary(double index, bool odd_alone)
{
    double previous = floor(index);
    bool stays = index == previous && (!odd_alone || fmod(previous, 2) == 1);
    double result = stays ? previous : previous + 1;
    return result > 0 ? (int64_t)result : 0;
}

static mnp__quantile_position locate_one(const mnp__quantile_method *m, double n, double q)
{
    int64_t at = 0;
    switch (m->rule) {
    case MNP__QUANTILE_INVERTED:
        at = boundary(n * q - 1, false);
        break;
    case MNP__QUANTILE_CLOSEST:
        at = boundary(n * q - 1 - 0.5, true);
        break;
    case MNP__QUANTILE_LOWER:
        at = (int64_t)floor((n - 1) * q);
        break;
    case MNP__QUANTILE_HIGHER:
        at = (int64_t)ceil((n - 1) * q);
        break;
    default:
        at = (int64_t)nearbyint((n - 1) * q);
        break;
    }
    return (mnp__quantile_position){at, at, 0};
}

static double virtual_index(const mnp__quantile_method *m, double n, double q)
{
    switch (m->rule) {
    case MNP__QUANTILE_LINEAR:
        return (n - 1) * q;
    case MNP__QUANTILE_AVERAGED:
        return n * q - 1;
    case MNP__QUANTILE_MIDPOINT:
        return 0.5 * (floor((n - 1) * q) + ceil((n - 1) * q));
    default:
        return n * q + (m->alpha + q * (1 - m->alpha - m->beta)) - 1;
    }
}

mnp__quantile_position mnp__quantile_locate(const mnp__quantile_method *m, int64_t count, double q)
{
    if (m->rule == MNP__QUANTILE_MIDDLE)
        return (mnp__quantile_position){count > 0 ? (count - 1) / 2 : 0, count / 2, 0};
    double n = (double)count;
    if (mnp__quantile_takes_one(m))
        return locate_one(m, n, q);
    double index = virtual_index(m, n, q), before = floor(index);
    mnp__quantile_position p = {(int64_t)before, (int64_t)before + 1, index - before};
    if (index >= n - 1)
        p = (mnp__quantile_position){count - 1, count - 1, index + 1}; /* as NumPy, for which this is element -1 */
    else if (index < 0)
        p = (mnp__quantile_position){0, 0, index};
    if (m->rule == MNP__QUANTILE_AVERAGED)
        p.t = p.t == 0 ? 0.5 : 1;
    if (m->rule == MNP__QUANTILE_MIDPOINT)
        p.t = index == before ? 0 : 0.5;
    return p;
}
