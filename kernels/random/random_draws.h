/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samplers: how a number of a distribution is computed from random words.
 *
 * A sampler is a template of the element's type.  It has `lanes`, the number of elements that share a block of words,
 * and a function
 *
 *   bool take(p, group, attempt, block, lane, value)
 *
 * which computes element group * lanes + lane of an array from the block of one attempt.  It returns false to reject
 * the attempt; then the next one is made with another block, and finds `value` as this one left it.  The comment of
 * each sampler says what `real` and `whole` of the parameters mean.
 */
#include "kernels/math.h"
#include "kernels/random/random_math.h"
#include "kernels/random/random_params.h"

typedef const mnp_random_params mnp_params;

/* One of the first two `real` parameters, as a float or a double. */
template <typename Real> MNP_INLINE Real mnp_parameter(mnp_params &p, int number)
{
    return p.real[number];
}
template <> MNP_INLINE float mnp_parameter<float>(mnp_params &p, int number)
{
    return p.single[number];
}

/* The random words for one attempt at a group. */
MNP_INLINE mnp_block mnp_block_of(mnp_params &p, int64_t group, uint32_t attempt)
{
    const mnp_block counter = {(uint32_t)group, (uint32_t)((uint64_t)group >> 32), p.draw, p.draw_high << 16 | attempt};
    return mnp_philox(counter, &p.keys);
}

MNP_INLINE uint32_t mnp_drawn_word(const mnp_block &block, int lane)
{
    return lane == 0 ? block.w0 : lane == 1 ? block.w1 : lane == 2 ? block.w2 : block.w3;
}
MNP_INLINE uint64_t mnp_two_words(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* ---- numbers from 0 to 1 ---- */

/* A number in [0, 1): as many random bits as the type has digits, from the upper end of one word or of two. */
template <typename T> struct mnp_unit {
    static constexpr int words = 1, digits = 24; /* float */
};
template <> struct mnp_unit<mnp_float16> {
    static constexpr int words = 1, digits = 11;
};
template <> struct mnp_unit<mnp_bfloat16> {
    static constexpr int words = 1, digits = 8;
};
template <> struct mnp_unit<double> {
    static constexpr int words = 2, digits = 53;
};

/* Uniform numbers in [0, 1), the most frequent case, without scaling. */
template <typename Out> struct mnp_draw_unit {
    static constexpr int lanes = 4 / mnp_unit<Out>::words, digits = mnp_unit<Out>::digits;
    static MNP_INLINE auto of(const mnp_block &block, int lane)
    {
        if constexpr (lanes == 2)
            return mnp_unit_double(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1));
        else
            return (float)(int32_t)(mnp_drawn_word(block, lane) >> (32 - digits)) * (1.0f / (1 << digits));
    }
    static MNP_INLINE bool take(mnp_params &, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        value = Out(of(block, lane));
        return true;
    }
};

template <typename Out> struct mnp_draw_uniform { /* real: low, high - low */
    static constexpr int lanes = mnp_draw_unit<Out>::lanes;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const auto unit = mnp_draw_unit<Out>::of(block, lane);
        typedef decltype(unit + unit) real;
        value = Out(mnp_parameter<real>(p, 0) + mnp_parameter<real>(p, 1) * unit);
        return true;
    }
};

/* ---- integers ---- */

/* Integers of all bits: elements are successive bytes of a block's words, the lowest first. */
template <typename Out> struct mnp_draw_bits {
    static constexpr int lanes = 16 / sizeof(Out);
    static MNP_INLINE bool take(mnp_params &, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        constexpr int size = sizeof(Out);
        if constexpr (size == 8)
            value = (Out)mnp_two_words(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1));
        else
            value = (Out)(mnp_drawn_word(block, lane * size / 4) >> lane * size % 4 * 8);
        return true;
    }
};

/*
 * Integers of a range.  whole: how many there are, n from 1 to 2^32, and the bound below which a lower half is
 * rejected; real: the smallest integer, as bits.  The product of a word and n has the result in its upper half.
 * Products whose lower half is below 2^32 modulo n are rejected, so that all results are equally likely (D. Lemire,
 * Fast Random Integer Generation in an Interval, 2019).
 */
MNP_INLINE int64_t mnp_lowest(mnp_params &p)
{
    int64_t low;
    memcpy(&low, &p.real[0], sizeof low);
    return low;
}

template <typename Out> struct mnp_draw_integers {
    static constexpr int lanes = 4;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const uint64_t product = (uint64_t)mnp_drawn_word(block, lane) * p.whole[0];
        value = mnp_to<Out>::from((int64_t)((uint64_t)mnp_lowest(p) + (product >> 32)));
        return (uint32_t)product >= (uint32_t)p.whole[1];
    }
};

/* The upper half of a product of 128 bits; on the host from products of 32 bits, which vector units have. */
MNP_INLINE uint64_t mnp_upper_half(uint64_t x, uint64_t y)
{
#if MNP_CUDA
    return __umul64hi(x, y);
#else
    const uint64_t a = x >> 32, b = (uint32_t)x, c = y >> 32, d = (uint32_t)y;
    const uint64_t middle = a * d + (b * d >> 32), other = b * c + (uint32_t)middle;
    return a * c + (middle >> 32) + (other >> 32);
#endif
}

/* Integers of a range of up to 2^64, for which whole[0] is 0. */
template <typename Out> struct mnp_draw_wide_integers {
    static constexpr int lanes = 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const uint64_t bits = mnp_two_words(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1));
        const uint64_t result = p.whole[0] == 0 ? bits : mnp_upper_half(bits, p.whole[0]);
        value = mnp_to<Out>::from((int64_t)((uint64_t)mnp_lowest(p) + result));
        return bits * p.whole[0] >= p.whole[1];
    }
};

/* ---- exponential, normal and lognormal ---- */

/*
 * Two words, or two pairs of words, give two independent standard normal numbers, lanes 0 and 1 (G. E. P. Box,
 * M. E. Muller, A Note on the Generation of Random Normal Deviates, 1958).
 */
MNP_INLINE float mnp_box_muller(uint32_t radius, uint32_t angle, int lane)
{
    return mnp_root(-2.0f * mnp_log_unit(mnp_open_float(radius))) * mnp_wave((float)(int32_t)angle, lane);
}
MNP_INLINE double mnp_box_muller(const mnp_block &block, int lane)
{
    return mnp_root(-2 * mnp_log_unit(mnp_open_double(block.w0, block.w1))) * mnp_wave(block.w2, block.w3, lane);
}

/* A standard normal number as a float or a double. */
template <typename Out> struct mnp_standard_normal {
    static constexpr int lanes = 4;
    static MNP_INLINE float of(const mnp_block &block, int lane)
    {
        return mnp_box_muller(lane < 2 ? block.w0 : block.w2, lane < 2 ? block.w1 : block.w3, lane & 1);
    }
};
template <> struct mnp_standard_normal<double> {
    static constexpr int lanes = 2;
    static MNP_INLINE double of(const mnp_block &block, int lane)
    {
        return mnp_box_muller(block, lane);
    }
};

template <typename Out> struct mnp_draw_normal { /* real: mean, standard deviation; if complex, of each part */
    static constexpr int lanes = mnp_standard_normal<Out>::lanes;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const auto normal = mnp_standard_normal<Out>::of(block, lane);
        typedef decltype(normal + normal) real;
        value = Out(mnp_add_product(mnp_parameter<real>(p, 1), normal, mnp_parameter<real>(p, 0)));
        return true;
    }
};
template <typename Real> struct mnp_draw_normal<mnp_complex<Real>> {
    static constexpr int lanes = mnp_standard_normal<Real>::lanes / 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane,
                                mnp_complex<Real> &value)
    {
        const Real re = mnp_standard_normal<Real>::of(block, 2 * lane);
        const Real im = mnp_standard_normal<Real>::of(block, 2 * lane + 1);
        value.re = mnp_add_product(mnp_parameter<Real>(p, 1), re, mnp_parameter<Real>(p, 0));
        value.im = mnp_parameter<Real>(p, 1) * im;
        return true;
    }
};

template <typename Out> struct mnp_draw_lognormal { /* real: mean and standard deviation of the logarithm */
    static constexpr int lanes = mnp_standard_normal<Out>::lanes;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const auto normal = mnp_standard_normal<Out>::of(block, lane);
        typedef decltype(normal + normal) real;
        value = Out(mnp_exp(mnp_add_product(mnp_parameter<real>(p, 1), normal, mnp_parameter<real>(p, 0))));
        return true;
    }
};

template <typename Out> struct mnp_draw_exponential { /* real: scale */
    static constexpr int lanes = 4;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        value = Out(-p.single[0] * mnp_log_unit(mnp_open_float(mnp_drawn_word(block, lane))));
        return true;
    }
};
template <> struct mnp_draw_exponential<double> {
    static constexpr int lanes = 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, double &value)
    {
        value = -p.real[0] *
                mnp_log_unit(mnp_open_double(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1)));
        return true;
    }
};

/* ---- gamma and beta ---- */

enum { MNP_OTHER_BLOCKS = 0x8000, MNP_LAST_BLOCK = 0xffff }; /* in place of the number of an attempt */

/*
 * G. Marsaglia, W. W. Tsang, A Simple Method for Generating Gamma Variables, 2000, for a shape of at least 1: d * v,
 * where d = shape - 1/3 and c = 1 / sqrt(9 d); true if this attempt is accepted.  A block is cut into 48, 32 and 48
 * bits.
 */
MNP_INLINE bool mnp_marsaglia(double d, double c, const mnp_block &block, double &result)
{
    const double radius = mnp_unit_double((block.w3 & 0xffff0000u) | 0x8000u, block.w0);
    const double unit = mnp_unit_double(block.w3 << 16 | 0x8000u, block.w2);
    const double x = mnp_root(-2 * mnp_log_unit(radius)) * mnp_wave(0, block.w1, 0);
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x); /* below 0 its logarithm is NaN, which rejects it */
    result = d * v;
    return mnp_log_unit(unit) < 0.5 * x * x + d * (1 - v + log(v));
}

template <typename Out> struct mnp_draw_gamma { /* real: d, c, scale */
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int, Out &value)
    {
        double result;
        const bool accepted = mnp_marsaglia(p.real[0], p.real[1], block, result);
        value = Out(p.real[2] * result);
        return accepted;
    }
};

/* Gamma of a shape below 1, from a gamma variable of the shape plus 1.  real: d, c, scale, 1 / shape */
template <typename Out> struct mnp_draw_small_gamma {
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t group, uint32_t, const mnp_block &block, int, Out &value)
    {
        double result;
        const bool accepted = mnp_marsaglia(p.real[0], p.real[1], block, result);
        const mnp_block other = mnp_block_of(p, group, MNP_LAST_BLOCK);
        value = Out(p.real[2] * result * exp(mnp_log_unit(mnp_open_double(other.w0, other.w1)) * p.real[3]));
        return accepted;
    }
};

/*
 * Beta: a / (a + b) of gamma variables a and b.  Both must be accepted in the same attempt, which has two blocks.
 */
template <typename Out> struct mnp_draw_beta { /* real: d and c of both; shapes are at least 1 */
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t group, uint32_t attempt, const mnp_block &block, int, Out &value)
    {
        double a, b;
        const mnp_block other = mnp_block_of(p, group, attempt | MNP_OTHER_BLOCKS);
        const int accepted =
            (int)mnp_marsaglia(p.real[0], p.real[1], block, a) & (int)mnp_marsaglia(p.real[2], p.real[3], other, b);
        value = Out(a / (a + b));
        return accepted;
    }
};

/* Beta of any shapes, by logarithms: with small shapes both gamma variables may be too small for a double. */
template <typename Out> struct mnp_draw_small_beta { /* real: also 1 / shape of both, or 0 for shapes of at least 1 */
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t group, uint32_t attempt, const mnp_block &block, int, Out &value)
    {
        double a, b;
        const mnp_block other = mnp_block_of(p, group, attempt | MNP_OTHER_BLOCKS),
                        last = mnp_block_of(p, group, MNP_LAST_BLOCK);
        const int accepted =
            (int)mnp_marsaglia(p.real[0], p.real[1], block, a) & (int)mnp_marsaglia(p.real[2], p.real[3], other, b);
        const double more = mnp_log_unit(mnp_open_double(last.w2, last.w3)) * p.real[5] -
                            mnp_log_unit(mnp_open_double(last.w0, last.w1)) * p.real[4];
        value = Out(1 / (1 + exp(log(b / a) + more)));
        return accepted;
    }
};

/* ---- counts, which become the largest value of a type that does not hold them ---- */

/* The logarithm of the ratio of k! to Stirling's formula, sqrt(2 pi k) (k / e)^k; the error is 1e-10 from k = 10 on. */
MNP_INLINE double mnp_stirling_rest(double k)
{
    const double square = 1 / (k * k);
    return (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / k;
}

/* log(k!) of a small k. */
MNP_INLINE double mnp_log_factorial(double k)
{
    double product = 1;
    for (int j = 2; j <= (int)k; j++)
        product *= j;
    return log(product);
}

/* log(a! / b!) without cancellation of large numbers.  a and b are similar, and are small together. */
MNP_FUNCTION double mnp_log_factorial_ratio(double a, double b)
{
    if (a < 30 && b < 30)
        return mnp_log_factorial(a) - mnp_log_factorial(b);
    if (b < 1)
        b = 1; /* 0! is 1!, too */
    const double more = b - a;
    return more - more * log(a) - (b + 0.5) * log1p(more / a) + mnp_stirling_rest(a) - mnp_stirling_rest(b);
}

/* Poisson by inversion: the smallest k whose distribution function is above `unit`, by adding probabilities. */
template <typename Out> struct mnp_draw_small_poisson { /* of a mean below 10; real: mean, exp(-mean) */
    static constexpr int lanes = 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        double unit = mnp_unit_double(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1)),
               here = p.real[1];
        int k = 0;
        while (unit >= here && k < 128) { /* the probability of more is below the rounding error */
            unit -= here;
            k++;
            here *= p.real[0] / k;
        }
        value = mnp_to<Out>::from((double)k);
        return true;
    }
};

/*
 * Poisson of a mean of at least 10, by algorithm PTRS of W. Hoermann, The Transformed Rejection Method for Generating
 * Poisson Random Variables, 1993.
 * real: mean, its logarithm, a, b, 1 / alpha, v_r, a number m near the mean, log of the probability of m
 */
template <typename Out> struct mnp_draw_poisson {
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int, Out &value)
    {
        const double mean = p.real[0], a = p.real[2], b = p.real[3];
        const double u = mnp_open_double(block.w0, block.w1) - 0.5, v = mnp_open_double(block.w2, block.w3);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + mean + 0.43);
        value = mnp_to<Out>::from(k);
        if (us >= 0.07 && v <= p.real[5])
            return true;
        if (k < 0 || (us < 0.013 && v > us))
            return false;
        return log(v * p.real[4] / (a / (us * us) + b)) <=
               p.real[7] + (k - p.real[6]) * p.real[1] + mnp_log_factorial_ratio(p.real[6], k);
    }
};

/*
 * Binomial by inversion, for n * p below 10 and p at most 1/2.  real: p / (1 - p), (1 - p)^n; whole: n, and whether
 * failures are counted.
 */
template <typename Out> struct mnp_draw_small_binomial {
    static constexpr int lanes = 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        double unit = mnp_unit_double(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1)),
               here = p.real[1];
        const int64_t n = (int64_t)p.whole[0], most = n < 128 ? n : 128;
        int64_t k = 0;
        while (unit >= here && k < most) {
            unit -= here;
            k++;
            here *= p.real[0] * (double)(n - k + 1) / (double)k;
        }
        value = mnp_to<Out>::from((double)(p.whole[1] ? n - k : k));
        return true;
    }
};

/*
 * Binomial for larger n * p, by algorithm BTRS of W. Hoermann, The Generation of Binomial Random Variates, 1993.
 * real: n * p + 1/2, a, b, v_r, alpha, log(p / (1 - p)), the mode m; whole: as above
 */
template <typename Out> struct mnp_draw_binomial {
    static constexpr int lanes = 1;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int, Out &value)
    {
        const double n = (double)p.whole[0], a = p.real[1], b = p.real[2];
        const double u = mnp_open_double(block.w0, block.w1) - 0.5, v = mnp_open_double(block.w2, block.w3);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + p.real[0]);
        value = mnp_to<Out>::from(p.whole[1] ? n - k : k);
        if (us >= 0.07 && v <= p.real[3])
            return true;
        if (k < 0 || k > n)
            return false;
        const double m = p.real[6];
        return log(v * p.real[4] / (a / (us * us) + b)) <=
               mnp_log_factorial_ratio(m, k) + mnp_log_factorial_ratio(n - m, n - k) + (k - m) * p.real[5];
    }
};

/* ---- choices ---- */

/* A choice by probabilities: the first of `table`, whole[0] cumulative sums, that is above a number in [0, 1). */
template <typename Out> struct mnp_draw_choice {
    static constexpr int lanes = 2;
    static MNP_INLINE bool take(mnp_params &p, int64_t, uint32_t, const mnp_block &block, int lane, Out &value)
    {
        const double unit = mnp_unit_double(mnp_drawn_word(block, 2 * lane), mnp_drawn_word(block, 2 * lane + 1));
        int64_t low = 0, high = (int64_t)p.whole[0] - 1;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (p.table[middle] > unit)
                high = middle;
            else
                low = middle + 1;
        }
        value = (Out)low;
        return true;
    }
};

/* The final mixing of bits of the hash murmur3 (A. Appleby). */
MNP_INLINE uint32_t mnp_mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

template <typename Out> struct mnp_draw_permutation { /* whole: n; and `feistel` */
    static constexpr int lanes = 1;
    static MNP_INLINE uint64_t once(const mnp_feistel &feistel, uint64_t number)
    {
        const uint32_t low_mask = (uint32_t)(((uint64_t)1 << feistel.low) - 1),
                       high_mask = (uint32_t)(((uint64_t)1 << feistel.high) - 1);
        uint32_t low = (uint32_t)number & low_mask, high = (uint32_t)(number >> feistel.low);
#pragma GCC unroll 8
        for (int round = 0; round < MNP_FEISTEL_ROUNDS; round += 2) {
            low ^= mnp_mix(high + feistel.keys[round]) & low_mask;
            high ^= mnp_mix(low + feistel.keys[round + 1]) & high_mask;
        }
        return (uint64_t)high << feistel.low | low;
    }
    static MNP_INLINE bool take(mnp_params &p, int64_t index, uint32_t attempt, const mnp_block &, int, Out &value)
    {
        const uint64_t first = (uint64_t)index ^ (p.feistel.swap & (uint32_t)(index < 2));
        const uint64_t number = once(p.feistel, attempt == 0 ? first : (uint64_t)value);
        value = (Out)number;
        return number < p.whole[0];
    }
};
