/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reductions: how elements are combined and results follow.  A reduction is a struct with
 *
 *   acc           the accumulator of a set of elements; copied as bytes
 *   lanes<W>      W sets to which elements are added, in plain arrays so that loops over them are vectorised:
 *                 start(j) makes set j empty, take(j, x, ..., i) adds the element of index i, end(j) gives the acc;
 *                 merge(j, k), which only the host uses and not all have, adds the elements of set k to set j
 *   most_merged   how many elements sets may have before they are merged, if it should be fewer than usual; with it
 *   settle(j)     which only some have on GPUs: reduce_small.h
 *   lead(j, x), follow(j, x)   which only some have: lead() with an element of set j, then follow() with many, that one
 *                 too, are as take() with these, at less cost
 *   overflows(a)  whether sets are to be joined one by one instead
 *   join(a, b)    adds the elements of b to a
 *   give(a, end, result, ...)   computes the results
 *
 * float16 and bfloat16 are summed in float, and float in double; the errors are below those of pairwise sums.  Sums of
 * double keep the rounding errors of joining partial sums (D. Knuth's two-sum).  Variances are computed from the
 * differences from a set's first element and joined by T. Chan, G. Golub and R. LeVeque, Updating Formulae and a
 * Pairwise Algorithm for Computing Sample Variances, 1979.
 */

/* Further arguments of give(). */
struct mnp_reduce_end {
    int64_t count; /* elements of a result */
    int64_t times; /* by which each of them counts, where broadcast dimensions are left out */
    double ddof;
    double each; /* 1 / count */
};

/* The accumulator of an empty set. */
template <typename Op> MNP_INLINE typename Op::acc mnp_empty()
{
    typename Op::template lanes<1> lanes;
    lanes.start(0);
    return lanes.end(0);
}

#if MNP_SETTLES
/* One of two types. */
template <bool first, typename A, typename B> struct mnp_choice {
    typedef A type;
};
template <typename A, typename B> struct mnp_choice<false, A, B> {
    typedef B type;
};
template <bool first, typename A, typename B> using mnp_choose = typename mnp_choice<first, A, B>::type;
#include "kernels/reduction/reduce_small.h"
#endif

/* ---- sums ---- */

/* The type in which elements of a type are summed and multiplied. */
template <typename T> struct mnp_summed {
    typedef typename mnp_wide<T>::type type;
};
template <> struct mnp_summed<mnp_float16> {
    typedef float type;
};
template <> struct mnp_summed<mnp_bfloat16> {
    typedef float type;
};
template <> struct mnp_summed<float> {
    typedef double type;
};
template <> struct mnp_summed<double> {
    typedef double type;
};
template <typename R> struct mnp_summed<mnp_complex<R>> {
    typedef mnp_complex<double> type;
};

/* A sum, and if `exact` its rounding error. */
template <typename A, bool exact> struct mnp_total {
    A sum;
    MNP_INLINE void set(A x)
    {
        sum = x;
    }
    MNP_INLINE void add(const mnp_total &other)
    {
        sum = mnp_add(sum, other.sum);
    }
    MNP_INLINE A value() const
    {
        return sum;
    }
};
template <> struct mnp_total<double, true> {
    double sum, rest;
    MNP_INLINE void set(double x)
    {
        sum = x;
        rest = 0;
    }
    MNP_INLINE void add(const mnp_total &other)
    {
        const double all = sum + other.sum, part = all - sum;
        rest += other.rest + ((sum - (all - part)) + (other.sum - part));
        sum = all;
    }
    MNP_INLINE double value() const
    {
        const double all = sum + rest;
        return rest == rest ? all : sum; /* infinities have no rounding error */
    }
};
template <> struct mnp_total<mnp_complex<double>, true> {
    mnp_total<double, true> re, im;
    MNP_INLINE void set(mnp_complex<double> x)
    {
        re.set(x.re);
        im.set(x.im);
    }
    MNP_INLINE void add(const mnp_total &other)
    {
        re.add(other.re);
        im.add(other.im);
    }
    MNP_INLINE mnp_complex<double> value() const
    {
        return mnp_complex<double>{re.value(), im.value()};
    }
};
template <typename T>
using mnp_total_of =
    mnp_total<typename mnp_summed<T>::type, sizeof(T) == sizeof(typename mnp_summed<T>::type) && !mnp_is_integer<T>>;

template <typename R> MNP_INLINE mnp_complex<R> mnp_shrink(mnp_complex<R> x, R by)
{
    return mnp_complex<R>{x.re / by, x.im / by};
}
template <typename R> MNP_INLINE R mnp_shrink(R x, R by)
{
    return x / by;
}

/* 1 / x of a number of elements; and x / by, of which 1 / by is known. */
#if MNP_SETTLES
MNP_INLINE double mnp_reciprocal(double x)
{
#ifdef __CUDA_ARCH__ /* without the branches of a division */
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = mnp_fma(mnp_fma(-x, y, 1.0), y, y);
    return mnp_fma(mnp_fma(-x, y, 1.0), y, y);
#else
    return 1 / x;
#endif
}

/*
 * P. Markstein, Computation of Elementary Functions on the IBM RISC System/6000 Processor, 1990: almost always rounded
 * as x / by.
 */
template <typename R> MNP_INLINE R mnp_divide_by(R x, R by, R reciprocal)
{
    const R near = x * reciprocal, nearest = mnp_fma(mnp_fma(-near, by, x), reciprocal, near);
    return nearest - nearest == 0 ? nearest : near; /* infinities and NaN leave no remainder */
}
#else
MNP_INLINE double mnp_reciprocal(double x)
{
    return 1 / x;
}
template <typename R> MNP_INLINE R mnp_divide_by(R x, R by, R)
{
    return x / by;
}
#endif
template <typename R> MNP_INLINE mnp_complex<R> mnp_divide_by(mnp_complex<R> x, R by, R reciprocal)
{
    return mnp_complex<R>{mnp_divide_by(x.re, by, reciprocal), mnp_divide_by(x.im, by, reciprocal)};
}

/* A number added up so many times. */
template <typename A> MNP_INLINE A mnp_repeat(A x, int64_t times)
{
    return mnp_multiply(x, mnp_to<A>::from(times));
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_repeat(mnp_complex<R> x, int64_t times)
{
    return mnp_complex<R>{x.re * (R)times, x.im * (R)times};
}

/* numpy.sum, nansum, of elements that are of the type Source in memory */
template <typename T, bool skip_nan = false, typename Source = T> struct mnp_reduce_sum {
    typedef typename mnp_summed<T>::type A;
    typedef mnp_total_of<T> acc;
    template <int W> struct wide_lanes {
        A sum[W];
        MNP_INLINE void start(int j)
        {
            sum[j] = A{};
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            const A value = mnp_to<A>::from(x);
            sum[j] = mnp_add(sum[j], skip_nan && mnp_isnan(x).value ? A{} : value);
        }
        MNP_INLINE void merge(int j, int k)
        {
            sum[j] = mnp_add(sum[j], sum[k]);
        }
        MNP_INLINE acc end(int j) const
        {
            acc a;
            a.set(sum[j]);
            return a;
        }
    };
#if MNP_SETTLES
    template <int W>
    using lanes = mnp_choose<mnp_is_small<T, Source>, mnp_small_sums<Source, A, acc, W>, wide_lanes<W>>;
#else
    template <int W> using lanes = wide_lanes<W>;
#endif
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.add(b);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &end, T &result)
    {
        result = mnp_to<T>::from(mnp_repeat(a.value(), end.times));
    }
};

/* numpy.mean, of all elements */
template <typename T, typename Source = T> struct mnp_reduce_mean : mnp_reduce_sum<T, false, Source> {
    typedef typename mnp_summed<T>::type A;
    static MNP_INLINE void give(const typename mnp_reduce_sum<T>::acc &a, const mnp_reduce_end &end, T &result)
    {
        typedef typename mnp_real_of<A>::type R;
        result = mnp_to<T>::from(mnp_divide_by(a.value(), mnp_to<R>::from(end.count), mnp_to<R>::from(end.each)));
    }
};

/* The mean of elements that count: numpy.nanmean, mean(where=...) */
template <typename T, bool skip_nan> struct mnp_reduce_mean_of_some {
    typedef typename mnp_summed<T>::type A;
    struct acc {
        mnp_total_of<T> total;
        int64_t n;
    };
    template <int W> struct lanes {
        A sum[W];
        int64_t n[W];
        MNP_INLINE void start(int j)
        {
            sum[j] = A{};
            n[j] = 0;
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            const bool skip = skip_nan && mnp_isnan(x).value;
            const A value = mnp_to<A>::from(x);
            sum[j] = mnp_add(sum[j], skip ? A{} : value);
            n[j] += !skip;
        }
        MNP_INLINE void merge(int j, int k)
        {
            sum[j] = mnp_add(sum[j], sum[k]);
            n[j] += n[k];
        }
        MNP_INLINE acc end(int j) const
        {
            acc a;
            a.total.set(sum[j]);
            a.n = n[j];
            return a;
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.total.add(b.total);
        a.n += b.n;
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = mnp_to<T>::from(mnp_shrink(a.total.value(), mnp_to<typename mnp_real_of<A>::type>::from(a.n)));
    }
};

/* numpy.average with weights, and the sum of these */
template <typename T> struct mnp_reduce_average {
    typedef typename mnp_summed<T>::type A;
    struct acc {
        mnp_total_of<T> total, weights;
    };
    template <int W> struct lanes {
        A sum[W], weights[W];
        MNP_INLINE void start(int j)
        {
            sum[j] = weights[j] = A{};
        }
        MNP_INLINE void take(int64_t j, T x, T weight, int64_t)
        {
            const A w = mnp_to<A>::from(weight);
            sum[j] = mnp_add(sum[j], mnp_multiply(mnp_to<A>::from(x), w));
            weights[j] = mnp_add(weights[j], w);
        }
        MNP_INLINE void merge(int j, int k)
        {
            sum[j] = mnp_add(sum[j], sum[k]);
            weights[j] = mnp_add(weights[j], weights[k]);
        }
        MNP_INLINE acc end(int j) const
        {
            acc a;
            a.total.set(sum[j]);
            a.weights.set(weights[j]);
            return a;
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.total.add(b.total);
        a.weights.add(b.weights);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = mnp_to<T>::from(a.total.value() / a.weights.value());
    }
};

/* numpy.prod, nanprod */
template <typename T, bool skip_nan = false> struct mnp_reduce_prod {
    typedef typename mnp_summed<T>::type acc;
    template <int W> struct lanes {
        acc product[W];
        MNP_INLINE void start(int j)
        {
            product[j] = mnp_to<acc>::from(1);
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            const acc one = mnp_to<acc>::from(1), value = mnp_to<acc>::from(x);
            product[j] = mnp_multiply(product[j], skip_nan && mnp_isnan(x).value ? one : value);
        }
        MNP_INLINE void merge(int j, int k)
        {
            product[j] = mnp_multiply(product[j], product[k]);
        }
        MNP_INLINE acc end(int j) const
        {
            return product[j];
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a = mnp_multiply(a, b);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = mnp_to<T>::from(a);
    }
};

/* ---- variances ---- */

/* Products and squares of real numbers, and of complex ones as vectors. */
MNP_INLINE double mnp_inner(double x, double y)
{
    return x * y;
}
MNP_INLINE double mnp_inner(mnp_complex<double> x, mnp_complex<double> y)
{
    return x.re * y.re + x.im * y.im;
}
template <typename A> MNP_INLINE double mnp_squared(A x)
{
    return mnp_inner(x, x);
}
MNP_INLINE double mnp_scaled(double x, double by)
{
    return x * by;
}
MNP_INLINE mnp_complex<double> mnp_scaled(mnp_complex<double> x, double by)
{
    return mnp_complex<double>{x.re * by, x.im * by};
}
template <typename T> struct mnp_varied {
    typedef double type;
};
template <typename R> struct mnp_varied<mnp_complex<R>> {
    typedef mnp_complex<double> type;
};

/* The square root of a number, rounded to R. */
template <typename R> struct mnp_root {
    static MNP_INLINE R of(double x)
    {
        return mnp_to<R>::from(mnp_sqrt(x));
    }
};
#if MNP_SETTLES
template <> struct mnp_root<float> {
    /* In float, which is quicker, unless x is too large or too small for it; off by less than one in the last place. */
    static MNP_INLINE float of(double x)
    {
        return x > 1e-37 && x < 3e38 ? sqrtf((float)x) : (float)mnp_sqrt(x);
    }
};
#endif

/* numpy.var, std, nanvar, nanstd */
template <typename T, bool root, bool skip_nan, typename Source = T> struct mnp_reduce_var {
    typedef typename mnp_varied<T>::type A;
    static constexpr bool skips_nan = skip_nan;
    enum { most_merged = 512 }; /* elements whose differences are from one of them: rounding errors grow as they do */
    struct acc {
        int64_t n;
        double squares; /* of the differences from the mean */
        A first, mean;  /* the mean is that of the differences from `first` */
    };
    static MNP_INLINE acc known(int64_t n, A first, A sum, double squares)
    {
        const double each = n ? mnp_reciprocal((double)n) : 0;
        const A mean = mnp_scaled(sum, each);
        const double left = squares - mnp_inner(sum, mean);
        const bool infinite = left != left && mnp_squared(mnp_scaled(sum, 0)) == 0; /* the squares alone are */
        return acc{n, infinite ? mnp_infinity<double>() : left < 0 ? 0 : left, first, mean};
    }
    template <int W> struct wide_lanes {
        A first[W], sum[W];
        double squares[W];
        int64_t n[W];
        MNP_INLINE void start(int j)
        {
            first[j] = sum[j] = A{};
            squares[j] = 0;
            n[j] = 0;
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            const bool skip = skip_nan && mnp_isnan(x).value;
            const A value = mnp_to<A>::from(x), pivot = n[j] == 0 ? value : first[j];
            const A difference = skip ? A{} : mnp_subtract(value, pivot);
            first[j] = skip ? first[j] : pivot;
            sum[j] = mnp_add(sum[j], difference);
            squares[j] += mnp_squared(difference);
            n[j] += !skip;
        }
        /* If no element is NaN that is to be skipped, lead() and then follow() are take(). */
        MNP_INLINE void lead(int64_t j, T x, int64_t)
        {
            first[j] = n[j] == 0 ? mnp_to<A>::from(x) : first[j];
        }
        MNP_INLINE void follow(int64_t j, T x, int64_t)
        {
            const A difference = mnp_subtract(mnp_to<A>::from(x), first[j]);
            sum[j] = mnp_add(sum[j], difference);
            squares[j] += mnp_squared(difference);
            n[j]++;
        }
        /* From here on the differences of set k are from the first element of set j. */
        MNP_INLINE void merge(int j, int k)
        {
            const A pivot = n[j] == 0 ? first[k] : first[j];
            const A between = n[k] == 0 ? A{} : mnp_subtract(first[k], pivot), all = mnp_scaled(between, (double)n[k]);
            squares[j] += squares[k] + mnp_inner(between, mnp_add(all, mnp_scaled(sum[k], 2)));
            sum[j] = mnp_add(sum[j], mnp_add(sum[k], all));
            first[j] = pivot;
            n[j] += n[k];
        }
        MNP_INLINE acc end(int j) const
        {
            return known(n[j], first[j], sum[j], squares[j]);
        }
    };
#if MNP_SETTLES
    template <int W>
    using lanes = mnp_choose<mnp_small_difference<T, Source>::any, mnp_small_variances<mnp_reduce_var, T, Source, W>,
                             wide_lanes<W>>;
#else
    template <int W> using lanes = wide_lanes<W>;
#endif
    /* Whether sets that are joined one by one may know what merged ones do not: their sums of squares may be finite. */
    static MNP_INLINE bool overflows(const acc &a)
    {
        return !(a.squares < mnp_infinity<double>());
    }
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        if (b.n == 0)
            return;
        if (a.n == 0) {
            a = b;
            return;
        }
        const double before = (double)a.n, more = (double)b.n, part = more * mnp_reciprocal(before + more);
        const A difference = mnp_add(mnp_subtract(b.first, a.first), mnp_subtract(b.mean, a.mean));
        a.squares += b.squares + mnp_squared(difference) * (before * part);
        a.mean = mnp_add(a.mean, mnp_scaled(difference, part));
        a.n += b.n;
    }
    template <typename R> static MNP_INLINE void give(const acc &a, const mnp_reduce_end &end, R &result)
    {
        const double times = (double)end.times, free = times * (double)a.n - end.ddof;
        const double by = free <= 0 ? 0 : free, reciprocal = free <= 0 ? mnp_infinity<double>() : mnp_reciprocal(free);
        const double variance = mnp_divide_by(times * a.squares, by, reciprocal);
        const double nothing = skip_nan && !(free > 0) ? mnp_nan<double>() : variance;
        result = root ? mnp_root<R>::of(nothing) : mnp_to<R>::from(nothing);
    }
};

#include "kernels/reduction/reduce_choices.h"
