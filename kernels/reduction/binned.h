/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums that do not depend on the order of their terms.
 *
 * They are binned, after J. Demmel and H. D. Nguyen, Parallel Reproducible Summation, 2015, and P. Ahrens, J. Demmel
 * and H. D. Nguyen, Algorithms for Efficient Reproducible Floating Point Summation, 2020; but bins hold integers.
 *
 * The numbers are cut into bins of 50 bits, at fixed places: bin b counts in units of u(b) = 2^(50 b - 1074), of which
 * it takes from -2^49 to 2^49.  A number's lowest bin that could hold it alone, |x| <= 2^49 u(b), is the bin it belongs
 * to.  It goes to a window of 1, 2 or 3 neighbouring bins, from the top: each takes the multiple of its unit that is
 * nearest to what those above have left, ties to even.  What the last one leaves is dropped.  The top of the window is
 * the bin that the largest number belongs to, but never so low that bits are below the window that a number can have.
 *
 * Why the order does not matter:
 *   - Bins above that of x take 0 of it: |x| is at most half their unit, and a tie is rounded to 0.  So what bin b
 *     takes of x is a function of x and b alone, and not of the window that there was when x came.
 *   - A window only rises.  Bins that enter at its top hold 0, which is what they would have got; bins that leave at
 *     its bottom are forgotten, and nothing is ever carried from one bin to another before the end.
 *   - So at the end a bin holds the sum of what it takes of every number, by additions of integers, which are exact in
 *     any order: the sum of a lane is folded into 64 more bits in time.
 *   - NaN and infinities are remembered by kind.
 * The result is a function of the bag of numbers and of nothing else: the sum of what the bins hold, an integer, is
 * rounded once, to nearest.  It is off the exact sum by less than n max|x| 2^-50 with two bins (float, bfloat16), by
 * n max|x| 2^-100 with three (double), and by nothing with one (float16), or if no bits are below the window.  Nothing
 * overflows on the way: 1e308 + 1e308 - 1e308 is 1e308.  A sum that is zero is +0, and NaN the positive quiet one.
 *
 * Cutting takes an addition and a subtraction: x + 1.5 2^52 u is rounded to a multiple of u, and its last bits are the
 * integer.  That needs the arithmetic of IEEE 754, every operation rounded to double, with subnormal numbers.  In the
 * bin of numbers above 2^975 these constants would overflow: there numbers and constants are smaller by 2^64.
 *
 * Terms come in batches.  Lanes first look at all terms of a batch; plain() then raises the window and says whether all
 * terms are ordinary numbers; then lanes take the terms.
 */
#ifdef __FAST_MATH__
#error "the reproducible mode cannot be compiled with -ffast-math: see MANIPLE_CXXFLAGS"
#endif

constexpr int mnp_bin_bits = 50, mnp_huge_bin = 41;
constexpr uint64_t mnp_bin_mask = ((uint64_t)1 << mnp_bin_bits) - 1;

/* Functions that rarely run are not inlined, except on a GPU, where lanes are registers. */
#if MNP_CUDA
#define MNP_RARELY MNP_INLINE
#else
#define MNP_RARELY __attribute__((noinline))
#endif

/* Whether every lane belongs to another result, and so has a window of its own. */
#if defined MNP_COLUMNS && !MNP_COLUMNS
constexpr bool mnp_lanes_differ = false;
#else
constexpr bool mnp_lanes_differ = true;
#endif

/* The number of bins for a type, the top of the lowest window, and the type in which batches are inspected. */
template <typename T> struct mnp_binning {
    static constexpr int count = 3, lowest = 2; /* units of 2^-1074, of which every number is a multiple */
    typedef double look;
};
template <> struct mnp_binning<float> {
    static constexpr int count = 2, lowest = 19; /* from 2^-174 */
    typedef float look;
};
template <> struct mnp_binning<mnp_bfloat16> : mnp_binning<float> {
};
template <> struct mnp_binning<mnp_float16> {
    static constexpr int count = 1, lowest = 21; /* 2^-24; up to 2^25 */
    typedef float look;
};

/* 2^e, of a normal double */
MNP_INLINE double mnp_power_of_2(int e)
{
    return mnp_from_bits<double>((uint64_t)(e + 1023) << 52);
}

/* The bin that numbers up to x > 0 belong to. */
MNP_INLINE int mnp_bin_of(double x)
{
    const uint64_t bits = mnp_bits_of(x);
    const int up = (int)(bits >> 52) + ((bits & (((uint64_t)1 << 52) - 1)) != 0); /* x <= 2^(up - 1023) */
    return (up + 51) / mnp_bin_bits;
}

/* What cuts at the unit of a bin, for numbers that are smaller by 2^scale. */
MNP_INLINE double mnp_bin_mark(int bin, int scale)
{
    return 1.5 * mnp_power_of_2(bin * mnp_bin_bits - 1074 + 52 - scale);
}

/* ---- accumulators ---- */

enum { MNP_KIND_NAN = 1, MNP_KIND_ABOVE = 2, MNP_KIND_BELOW = 4 };

MNP_INLINE int mnp_kind_of(double x)
{
    return x != x ? MNP_KIND_NAN : x > 0 ? MNP_KIND_ABOVE : MNP_KIND_BELOW;
}

/*
 * A non-negative integer of 256 bits, the highest word first, in units of 2^e: the nearest double, or for what is to be
 * rounded again the one beside it whose last bit is set.
 */
template <bool again> MNP_INLINE double mnp_nearest(uint64_t a, uint64_t b, uint64_t c, uint64_t d, int e)
{
    e += 192;
    for (int word = 0; word < 3 && a == 0; word++) {
        a = b;
        b = c;
        c = d;
        d = 0;
        e -= 64;
    }
    if (a == 0)
        return 0;
#if MNP_CUDA
    const int lead = __clzll((long long)a);
#else
    const int lead = __builtin_clzll(a);
#endif
    if (lead) {
        a = a << lead | b >> (64 - lead);
        b <<= lead;
        e -= lead;
    }
    const bool rest = (b | c | d) != 0;
    const double x = again ? (double)(a >> 11 | ((a & 0x7ff) != 0 || rest)) * 2048 : (double)(a | rest);
    return x * mnp_power_of_2(e / 2) * mnp_power_of_2(e - e / 2); /* exact, or too large */
}

template <int K> struct mnp_binned {
    int32_t top, kinds;
    uint64_t low[K]; /* of the bins from the top: below 2^50 */
    int64_t high[K]; /* in units of 2^50 */

    MNP_INLINE void raise(int to)
    {
        for (int step = 0; step < K && top < to; step++, top++) {
            for (int k = K - 1; k > 0; k--) {
                low[k] = low[k - 1];
                high[k] = high[k - 1];
            }
            low[0] = 0;
            high[0] = 0;
        }
        top = top < to ? to : top;
    }
    MNP_RARELY void add(const mnp_binned &x)
    {
        mnp_binned other = x;
        raise(other.top);
        other.raise(top);
        kinds |= other.kinds;
        for (int k = 0; k < K; k++) {
            const uint64_t sum = low[k] + other.low[k];
            low[k] = sum & mnp_bin_mask;
            high[k] += other.high[k] + (int64_t)(sum >> mnp_bin_bits);
        }
    }
    /* Add a number. */
    MNP_INLINE void take(double x)
    {
        if (x - x != 0) {
            kinds |= mnp_kind_of(x);
            return;
        }
        raise(mnp_bin_of(mnp_absolute(x)));
        const int scale = top == mnp_huge_bin ? 64 : 0;
        x *= scale ? 0x1p-64 : 1;
        for (int k = 0; k < K; k++) {
            const double mark = mnp_bin_mark(top - k, scale), cut = x + mark;
            const int64_t sum = (int64_t)(low[k] + mnp_bits_of(cut) - mnp_bits_of(mark));
            x -= cut - mark;
            low[k] = (uint64_t)sum & mnp_bin_mask;
            high[k] += sum >> mnp_bin_bits;
        }
    }
    template <bool again> MNP_RARELY double value() const
    {
        uint64_t digit[3] = {};
        int64_t carry = 0;
        if (kinds)
            return kinds == MNP_KIND_ABOVE   ? mnp_infinity<double>()
                   : kinds == MNP_KIND_BELOW ? -mnp_infinity<double>()
                                             : mnp_nan<double>();
        for (int k = K - 1; k >= 0; k--) {
            const int64_t sum = (int64_t)low[k] + carry;
            digit[k] = (uint64_t)sum & mnp_bin_mask;
            carry = high[k] + (sum >> mnp_bin_bits);
        }
        const bool negative = carry < 0;
        uint64_t last = negative; /* of the complement, which is less by one */
        for (int k = 2; k >= 0; k--) {
            const uint64_t sum = (negative ? mnp_bin_mask - digit[k] : digit[k]) + last;
            digit[k] = sum & mnp_bin_mask;
            last = sum >> mnp_bin_bits;
        }
        const uint64_t first = (uint64_t)(negative ? ~carry : carry) + last;
        const double size =
            mnp_nearest<again>(first >> 42, digit[0] >> 28 | first << 22, digit[1] >> 14 | digit[0] << 36,
                               digit[2] | digit[1] << 50, (top - 2) * mnp_bin_bits - 1074);
        return negative ? -size : size;
    }
};

/* Numbers of a type T, as doubles, in W lanes: what lanes are to do with real ones. */
template <typename T, int W> struct mnp_bins {
    typedef typename mnp_binning<T>::look look_type;
    static constexpr int K = mnp_binning<T>::count, lowest = mnp_binning<T>::lowest;
    static constexpr int windows = mnp_lanes_differ ? W : 1; /* lanes of one result share one */
    static constexpr int most_taken = 1 << 13;               /* 2^14 times 2^49 would be too much for a sum */
    uint64_t sum[K][W];
    int64_t high[K][W];
    look_type most[W], trace[W]; /* of what was looked at: the largest; and the sum, which shows what is not finite */
    double mark[K][windows];
    look_type limit[windows];
    int32_t top[windows], kinds[windows], taken;

    static MNP_INLINE int64_t window(int64_t j)
    {
        return mnp_lanes_differ ? j : 0;
    }
    MNP_INLINE void place(int w, int bin)
    {
        top[w] = bin;
        for (int k = 0; k < K; k++)
            mark[k][w] = mnp_bin_mark(bin - k, bin == mnp_huge_bin ? 64 : 0);
        limit[w] = bin == mnp_huge_bin ? -1 : (look_type)mnp_power_of_2(bin * mnp_bin_bits - 1074 + 49);
    }
    MNP_INLINE void start(int j)
    {
        for (int k = 0; k < K; k++) {
            sum[k][j] = 0;
            high[k][j] = 0;
        }
        most[j] = trace[j] = 0;
        if (j == window(j)) {
            place(j, lowest);
            kinds[j] = 0;
        }
        taken = 0;
    }
    MNP_INLINE void look(int64_t j, look_type x)
    {
        const look_type size = mnp_absolute(x);
        if constexpr (K > 1)
            most[j] = size > most[j] ? size : most[j];
        trace[j] += x;
    }
    /* Before lanes may overflow, move all of every bin's sum above 2^50 to its upper half. */
    MNP_INLINE void settle(int begin, int end)
    {
        for (int k = 0; k < K; k++) {
            for (int j = begin; j < end; j++) {
                high[k][j] += (int64_t)sum[k][j] >> mnp_bin_bits;
                sum[k][j] &= mnp_bin_mask;
            }
        }
    }
    /* Raise the top of the window of lanes begin .. end - 1. */
    MNP_RARELY void raise(int w, int to, int begin, int end)
    {
        for (int step = 0; step < K && top[w] + step < to; step++) {
            for (int j = begin; j < end; j++) {
                for (int k = K - 1; k > 0; k--) {
                    sum[k][j] = sum[k - 1][j];
                    high[k][j] = high[k - 1][j];
                }
                sum[0][j] = 0;
                high[0][j] = 0;
            }
        }
        place(w, to);
    }
    MNP_INLINE bool plain(int count, int begin, int end)
    {
        bool all = true;
        taken += count;
        if (taken > most_taken) {
            settle(begin, end);
            taken = count;
        }
        if constexpr (mnp_lanes_differ) {
            unsigned raised = 0;
            for (int j = begin; j < end; j++)
                raised |= !(most[j] <= limit[j]) | (trace[j] - trace[j] != 0);
            for (int j = begin; raised && j < end; j++)
                all &= fits(j, most[j], trace[j], j, j + 1);
        } else {
            look_type largest = most[begin], together = trace[begin];
            for (int j = begin + 1; j < end; j++) {
                largest = most[j] > largest ? most[j] : largest;
                together += trace[j];
            }
            all = fits(0, largest, together, begin, end);
        }
        for (int j = begin; j < end; j++)
            most[j] = trace[j] = 0;
        return all;
    }
    MNP_INLINE bool fits(int w, look_type largest, look_type together, int begin, int end)
    {
        if (together - together != 0)
            return false;
        if (largest > limit[w] && top[w] != mnp_huge_bin)
            raise(w, mnp_bin_of((double)largest), begin, end);
        return largest <= limit[w];
    }
    MNP_INLINE void take(int64_t j, double x)
    {
        const int64_t w = window(j);
        for (int k = 0; k < K; k++) {
            const double mark = this->mark[k][w], cut = x + mark;
            sum[k][j] += mnp_bits_of(cut) - mnp_bits_of(mark);
            x -= cut - mark;
        }
    }
    MNP_RARELY void take_any(int64_t j, double x)
    {
        const int w = (int)window(j);
        if (x - x != 0) {
            kinds[w] |= mnp_kind_of(x);
            return;
        }
        const int to = mnp_bin_of(mnp_absolute(x));
        if (to > top[w])
            raise(w, to, mnp_lanes_differ ? w : 0, mnp_lanes_differ ? w + 1 : W);
        take(j, top[w] == mnp_huge_bin ? x * 0x1p-64 : x);
        settle((int)j, (int)j + 1);
    }
    /* Join the lanes that share a window. */
    MNP_INLINE mnp_binned<K> together() const
    {
        mnp_binned<K> a;
        a.top = top[0];
        a.kinds = kinds[0];
        for (int k = 0; k < K; k++) {
            uint64_t low = 0;
            int64_t more = 0;
            for (int j = 0; j < W; j++) {
                low += sum[k][j] & mnp_bin_mask;
                more += high[k][j] + ((int64_t)sum[k][j] >> mnp_bin_bits);
            }
            a.low[k] = low & mnp_bin_mask;
            a.high[k] = more + (int64_t)(low >> mnp_bin_bits);
        }
        return a;
    }
    MNP_INLINE mnp_binned<K> end(int j) const
    {
        mnp_binned<K> a;
        a.top = top[window(j)];
        a.kinds = kinds[window(j)];
        for (int k = 0; k < K; k++) {
            a.low[k] = sum[k][j] & mnp_bin_mask;
            a.high[k] = high[k][j] + ((int64_t)sum[k][j] >> mnp_bin_bits);
        }
        return a;
    }
};

/* ---- lanes of real and of complex numbers ---- */

/* What a visit of lanes does with a term. */
enum {
    MNP_LOOK,    /* inspect a term of the next batch */
    MNP_TAKE_IT, /* add a term of a plain batch */
    MNP_TAKE_ANY /* add a term of any other batch, with NaN, infinities or huge numbers */
};

/* Real and complex sums: what lanes do with elements of type T, what is then known, and its value. */
template <typename T> struct mnp_steady {
    typedef mnp_binned<mnp_binning<T>::count> acc;
    template <int W> struct lanes {
        mnp_bins<T, W> bins;
        MNP_INLINE void start(int j)
        {
            bins.start(j);
        }
        template <int how> MNP_INLINE void visit(int64_t j, T x)
        {
            if constexpr (how == MNP_LOOK)
                bins.look(j, mnp_to<typename mnp_binning<T>::look>::from(x));
            else if constexpr (how == MNP_TAKE_IT)
                bins.take(j, mnp_to<double>::from(x));
            else
                bins.take_any(j, mnp_to<double>::from(x));
        }
        /*
         * Before lanes begin .. end - 1 take a batch, at most `count` terms each: whether it is plain, from what they
         * have looked at.
         */
        MNP_INLINE bool plain(int count, int begin, int end)
        {
            return bins.plain(count, begin, end);
        }
        MNP_INLINE acc together() const
        {
            return bins.together();
        }
        MNP_INLINE acc end(int j) const
        {
            return bins.end(j);
        }
    };
    static MNP_INLINE void take(acc &a, T x)
    {
        a.take(mnp_to<double>::from(x));
    }
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.add(b);
    }
    template <bool again> static MNP_INLINE double value(const acc &a)
    {
        return a.template value<again>();
    }
};
template <typename R> struct mnp_steady<mnp_complex<R>> {
    typedef mnp_steady<R> part;
    struct acc {
        typename part::acc re, im;
    };
    template <int W> struct lanes {
        typename part::template lanes<W> re, im;
        MNP_INLINE void start(int j)
        {
            re.start(j);
            im.start(j);
        }
        template <int how> MNP_INLINE void visit(int64_t j, mnp_complex<R> x)
        {
            re.template visit<how>(j, x.re);
            im.template visit<how>(j, x.im);
        }
        MNP_INLINE bool plain(int count, int begin, int end)
        {
            return re.plain(count, begin, end) & im.plain(count, begin, end);
        }
        MNP_INLINE acc together() const
        {
            return acc{re.together(), im.together()};
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{re.end(j), im.end(j)};
        }
    };
    static MNP_INLINE void take(acc &a, mnp_complex<R> x)
    {
        part::take(a.re, x.re);
        part::take(a.im, x.im);
    }
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.re.add(b.re);
        a.im.add(b.im);
    }
    template <bool again> static MNP_INLINE mnp_complex<double> value(const acc &a)
    {
        return mnp_complex<double>{a.re.template value<again>(), a.im.template value<again>()};
    }
};
