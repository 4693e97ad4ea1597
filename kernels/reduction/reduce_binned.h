/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of the reproducible mode, whose results depend neither on the order of their elements nor on the device.
 *
 * Sums are those of binned.h.  Lanes of such a reduction take elements in batches: instead of take() they have
 *   visit<how>(j, x, ..., i)   as binned.h describes
 *   plain(count, begin, end)   as binned.h describes
 *   together()                 the accumulator of all lanes, if they belong to one result
 * Sums also have take(a, x), which adds one element to a, for scans.
 * Products are missing, as their rounded result depends on the order of the elements.
 */

/* The same NaN on all devices. */
template <typename T> MNP_INLINE T mnp_canonical(T x)
{
    if constexpr (mnp_is_complex<T>)
        return T{mnp_canonical(x.re), mnp_canonical(x.im)};
    else if constexpr (mnp_is_integer<T>)
        return x;
    else
        return x != x ? mnp_nan<T>() : x;
}

/* ---- sums ---- */

/* The terms of a sum: elements, or what they are the squares of beside their mean, or those that are numbers. */
template <typename T, bool skip_nan> struct mnp_terms {
    typedef T type;
    static MNP_INLINE T of(T x, int64_t)
    {
        return skip_nan && mnp_isnan(x).value ? T{} : x;
    }
};
template <typename T, bool skip_nan> struct mnp_squares {
    typedef double type;
    typedef typename mnp_varied<T>::type A;
    static MNP_INLINE double of(T x, A mean, int64_t)
    {
        return skip_nan && mnp_isnan(x).value ? 0 : mnp_squared(mnp_subtract(mnp_to<A>::from(x), mean));
    }
};

/* A sum of terms and, if wanted, how many elements they are of. */
template <typename Terms, bool counted, bool skip_nan> struct mnp_binned_terms {
    typedef mnp_steady<typename Terms::type> steady;
    struct acc {
        typename steady::acc total;
        int64_t n;
    };
    template <int W> struct lanes {
        typename steady::template lanes<W> sum;
        int64_t n[W];
        MNP_INLINE void start(int j)
        {
            sum.start(j);
            n[j] = 0;
        }
        template <int how, typename T, typename... More> MNP_INLINE void visit(int64_t j, T x, More... more)
        {
            sum.template visit<how>(j, Terms::of(x, more...));
            if constexpr (counted && how != MNP_LOOK)
                n[j] += !(skip_nan && mnp_isnan(x).value);
        }
        MNP_INLINE bool plain(int count, int begin, int end)
        {
            return sum.plain(count, begin, end);
        }
        MNP_INLINE acc together() const
        {
            acc a = {sum.together(), 0};
            for (int j = 0; j < W; j++)
                a.n += n[j];
            return a;
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{sum.end(j), n[j]};
        }
    };
    static MNP_INLINE void take(acc &a, typename Terms::type x)
    {
        steady::take(a.total, Terms::of(x, 0));
    }
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        steady::join(a.total, b.total);
        a.n += b.n;
    }
};

/* numpy.sum, nansum */
template <typename T, bool skip_nan = false>
struct mnp_binned_sum : mnp_binned_terms<mnp_terms<T, skip_nan>, false, skip_nan> {
    typedef mnp_binned_terms<mnp_terms<T, skip_nan>, false, skip_nan> terms;
    static MNP_INLINE void give(const typename terms::acc &a, const mnp_reduce_end &, T &result)
    {
        constexpr bool again = sizeof(typename mnp_real_of<T>::type) < sizeof(double);
        result = mnp_canonical(mnp_to<T>::from(terms::steady::template value<again>(a.total)));
    }
};

/* numpy.mean, of all elements */
template <typename T> struct mnp_binned_mean : mnp_binned_sum<T> {
    typedef typename mnp_binned_sum<T>::terms terms;
    template <typename R>
    static MNP_INLINE void give(const typename terms::acc &a, const mnp_reduce_end &end, R &result)
    {
        const auto sum = terms::steady::template value<false>(a.total);
        result = mnp_canonical(mnp_to<R>::from(mnp_shrink(sum, (double)end.count)));
    }
};

/* The mean of those that are taken, and are numbers if need be: numpy.nanmean, mean(where=...) */
template <typename T, bool skip_nan>
struct mnp_binned_mean_of_some : mnp_binned_terms<mnp_terms<T, skip_nan>, true, skip_nan> {
    typedef mnp_binned_terms<mnp_terms<T, skip_nan>, true, skip_nan> terms;
    template <typename R> static MNP_INLINE void give(const typename terms::acc &a, const mnp_reduce_end &, R &result)
    {
        const auto sum = terms::steady::template value<false>(a.total);
        result = mnp_canonical(mnp_to<R>::from(mnp_shrink(sum, (double)a.n)));
    }
};

/* numpy.var, std, nanvar, nanstd, of elements beside their mean, which another reduction has found */
template <typename T, bool root, bool skip_nan>
struct mnp_binned_var : mnp_binned_terms<mnp_squares<T, skip_nan>, true, skip_nan> {
    typedef mnp_binned_terms<mnp_squares<T, skip_nan>, true, skip_nan> terms;
    template <typename R>
    static MNP_INLINE void give(const typename terms::acc &a, const mnp_reduce_end &end, R &result)
    {
        const double free = (double)a.n - end.ddof, squares = terms::steady::template value<false>(a.total);
        const double variance = skip_nan && !(free > 0) ? mnp_nan<double>() : squares / (free <= 0 ? 0 : free);
        result = mnp_canonical(mnp_to<R>::from(root ? mnp_sqrt(variance) : variance));
    }
};

/* numpy.average with weights: products are rounded to A */
template <typename T> struct mnp_binned_average {
    typedef typename mnp_varied<T>::type A;
    typedef mnp_steady<A> steady;
    struct acc {
        typename steady::acc total, weights;
    };
    template <int W> struct lanes {
        typename steady::template lanes<W> sum, weights;
        MNP_INLINE void start(int j)
        {
            sum.start(j);
            weights.start(j);
        }
        template <int how> MNP_INLINE void visit(int64_t j, T x, T weight, int64_t)
        {
            const A w = mnp_to<A>::from(weight);
            sum.template visit<how>(j, mnp_multiply(mnp_to<A>::from(x), w));
            weights.template visit<how>(j, w);
        }
        MNP_INLINE bool plain(int count, int begin, int end)
        {
            return sum.plain(count, begin, end) & weights.plain(count, begin, end);
        }
        MNP_INLINE acc together() const
        {
            return acc{sum.together(), weights.together()};
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{sum.end(j), weights.end(j)};
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        steady::join(a.total, b.total);
        steady::join(a.weights, b.weights);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        const A total = steady::template value<false>(a.total), weights = steady::template value<false>(a.weights);
        result = mnp_canonical(mnp_to<T>::from(total / weights));
    }
};

/* ---- extremes ---- */

/* The greater one of two equal floats, which may be zeros of different sign: -0 is less than 0. */
template <bool greatest, typename T> MNP_INLINE T mnp_of_equals(T x, T y)
{
    if constexpr (mnp_is_complex<T>)
        return T{mnp_of_equals<greatest>(x.re, y.re), mnp_of_equals<greatest>(x.im, y.im)};
    else if constexpr (greatest)
        return mnp_from_bits<T>((typename mnp_format<T>::bits)(mnp_bits_of(x) & mnp_bits_of(y)));
    else
        return mnp_from_bits<T>((typename mnp_format<T>::bits)(mnp_bits_of(x) | mnp_bits_of(y)));
}

/* numpy.max, min, nanmax, nanmin: where one of several could be the result, always the same one */
template <typename T, bool greatest, bool skip_nan> struct mnp_steady_extreme {
    typedef mnp_reduce_extreme<T, greatest, skip_nan> loose;
    typedef T acc;
    static MNP_INLINE T better(T x, T y)
    {
        return mnp_equal(x, y).value ? mnp_of_equals<greatest>(x, y) : loose::better(x, y);
    }
    template <int W> struct lanes {
        T best[W];
        MNP_INLINE void start(int j)
        {
            best[j] = loose::none();
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            best[j] = better(best[j], x);
        }
        MNP_INLINE acc end(int j) const
        {
            return best[j];
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a = better(a, b);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        const T nothing = mnp_canonical(mnp_to<T>::from(mnp_nan<double>()));
        result = mnp_isnan(a).value ? nothing : a;
    }
};

template <typename T> struct mnp_steady_ptp : mnp_reduce_ptp<T> {
    static MNP_INLINE void give(const typename mnp_reduce_ptp<T>::acc &a, const mnp_reduce_end &, T &result)
    {
        result = mnp_canonical(mnp_add(mnp_subtract(a.most, a.least), T{})); /* -0 becomes 0 */
    }
};
