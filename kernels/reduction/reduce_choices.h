/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions that choose among elements or ask whether they are true: structs as reduce_ops.h, which includes this,
 * explains them.
 */

#if !MNP_SETTLES
template <typename T> struct mnp_compared {
    typedef T type;
};
template <typename T> MNP_INLINE T mnp_wide_value(T x)
{
    return x;
}
#endif

/* ---- extremes ---- */

/* The least and the greatest value of a type, with which minimum and maximum start. */
template <typename T> MNP_INLINE T mnp_bottom()
{
    if constexpr (mnp_is_integer<T>)
        return mnp_is_signed<T> ? (T)((typename mnp_wide<T>::type)1 << (8 * sizeof(T) - 1)) : (T)0;
    else
        return mnp_negative(mnp_infinity<T>());
}
template <typename T> MNP_INLINE T mnp_top()
{
    if constexpr (mnp_is_integer<T>)
        return (T)~mnp_bottom<T>();
    else
        return mnp_infinity<T>();
}
template <> MNP_INLINE mnp_bool mnp_bottom<mnp_bool>()
{
    return mnp_bool{0};
}
template <> MNP_INLINE mnp_bool mnp_top<mnp_bool>()
{
    return mnp_bool{1};
}
#define MNP_COMPLEX_ENDS(R)                                                                                            \
    template <> MNP_INLINE mnp_complex<R> mnp_bottom<mnp_complex<R>>()                                                 \
    {                                                                                                                  \
        return mnp_complex<R>{mnp_bottom<R>(), mnp_bottom<R>()};                                                       \
    }                                                                                                                  \
    template <> MNP_INLINE mnp_complex<R> mnp_top<mnp_complex<R>>()                                                    \
    {                                                                                                                  \
        return mnp_complex<R>{mnp_top<R>(), mnp_top<R>()};                                                             \
    }
MNP_COMPLEX_ENDS(float)
MNP_COMPLEX_ENDS(double)

/* NaN, if the type has one, with which functions that ignore NaN start; `otherwise` for other types. */
template <typename T> MNP_INLINE T mnp_nothing(T otherwise)
{
    if constexpr (mnp_is_integer<T>)
        return otherwise;
    else if constexpr (mnp_is_complex<T>)
        return T{mnp_nan<typename mnp_real_of<T>::type>(), (typename mnp_real_of<T>::type)0};
    else
        return mnp_nan<T>();
}
template <> MNP_INLINE mnp_bool mnp_nothing<mnp_bool>(mnp_bool otherwise)
{
    return otherwise;
}

/* numpy.max, min, nanmax, nanmin, and their difference numpy.ptp */
template <typename T, bool greatest, bool skip_nan> struct mnp_reduce_extreme {
    typedef T acc;
    typedef typename mnp_compared<T>::type C;
    static MNP_INLINE T none()
    {
        const T last = greatest ? mnp_bottom<T>() : mnp_top<T>();
        return skip_nan ? mnp_nothing<T>(last) : last;
    }
    template <typename V> static MNP_INLINE V better(V x, V y)
    {
        if constexpr (skip_nan)
            return greatest ? mnp_fmax(x, y) : mnp_fmin(x, y);
        else
            return greatest ? mnp_maximum(x, y) : mnp_minimum(x, y);
    }
    template <int W> struct lanes {
        C best[W];
        MNP_INLINE void start(int j)
        {
            best[j] = mnp_wide_value(mnp_to<C>::from(none()));
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            best[j] = better(best[j], mnp_to<C>::from(x));
        }
        MNP_INLINE void merge(int j, int k)
        {
            best[j] = better(best[j], best[k]);
        }
        MNP_INLINE acc end(int j) const
        {
            return mnp_to<T>::from(best[j]);
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a = better(a, b);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = a;
    }
};

template <typename T> struct mnp_reduce_ptp {
    typedef mnp_reduce_extreme<T, true, false> high;
    typedef mnp_reduce_extreme<T, false, false> low;
    typedef typename mnp_compared<T>::type C;
    struct acc {
        T most, least;
    };
    template <int W> struct lanes {
        C most[W], least[W];
        MNP_INLINE void start(int j)
        {
            most[j] = mnp_wide_value(mnp_to<C>::from(high::none()));
            least[j] = mnp_wide_value(mnp_to<C>::from(low::none()));
        }
        MNP_INLINE void take(int64_t j, T x, int64_t)
        {
            most[j] = high::better(most[j], mnp_to<C>::from(x));
            least[j] = low::better(least[j], mnp_to<C>::from(x));
        }
        MNP_INLINE void merge(int j, int k)
        {
            most[j] = high::better(most[j], most[k]);
            least[j] = low::better(least[j], least[k]);
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{mnp_to<T>::from(most[j]), mnp_to<T>::from(least[j])};
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a.most = high::better(a.most, b.most);
        a.least = low::better(a.least, b.least);
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &result)
    {
        result = mnp_subtract(a.most, a.least);
    }
};

/* numpy.argmax, argmin, nanargmax, nanargmin: the lowest index of the best, or of the first NaN; -1 if there is none */
template <typename T, bool greatest, bool skip_nan> struct mnp_reduce_index {
    static constexpr bool is_greatest = greatest, skips_nan = skip_nan;
    typedef typename mnp_compared<T>::type C;
    struct acc {
        T value;
        int64_t index;
    };
    typedef mnp_reduce_extreme<T, greatest, skip_nan> best;
    template <typename V> static MNP_INLINE bool beats(V x, V y)
    {
        const bool is_better = greatest ? mnp_greater(x, y).value : mnp_less(x, y).value;
        return is_better | (!skip_nan & mnp_isnan(x).value & !mnp_isnan(y).value);
    }
    /* Whether x is better than y, which has a lower index. */
    template <typename V> static MNP_INLINE bool replaces(V x, V y)
    {
        const bool is_better = !(greatest ? mnp_less_equal(x, y).value : mnp_greater_equal(x, y).value);
        return is_better & !mnp_isnan(skip_nan ? x : y).value;
    }
    template <int W> struct lanes {
        C value[W];
        int64_t index[W];
        MNP_INLINE void start(int j)
        {
            value[j] = mnp_to<C>::from(greatest ? mnp_bottom<T>() : mnp_top<T>());
            index[j] = -1;
        }
        /* The same as take() where the indices of a lane rise. */
        template <typename V> MNP_INLINE void follow(int64_t j, V element, int64_t i)
        {
            const C x = mnp_to<C>::from(element);
            const bool taken = index[j] < 0 ? !(skip_nan && mnp_isnan(x).value) : replaces(x, value[j]);
            value[j] = taken ? x : value[j];
            index[j] = taken ? i : index[j];
        }
        /* The indices that a lane takes rise, or fall: a tie goes to the lower one. */
        template <typename V> MNP_INLINE void take(int64_t j, V element, int64_t i)
        {
            const C x = mnp_to<C>::from(element);
            const bool tie = !beats(value[j], x) & (i < index[j]);
            const bool taken = ((index[j] < 0) | beats(x, value[j]) | tie) & !(skip_nan && mnp_isnan(x).value);
            value[j] = taken ? x : value[j];
            index[j] = taken ? i : index[j];
        }
        MNP_INLINE acc end(int j) const
        {
            return acc{mnp_to<T>::from(value[j]), index[j]};
        }
    };
    /* What is known of one element. */
    static MNP_INLINE acc known(T x, int64_t i)
    {
        return acc{x, skip_nan && mnp_isnan(x).value ? -1 : i};
    }
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        const bool tie = !beats(a.value, b.value) & (b.index < a.index);
        if (b.index >= 0 && (a.index < 0 || beats(b.value, a.value) || tie))
            a = b;
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, int64_t &result)
    {
        result = a.index;
    }
};

/* ---- truth ---- */

/* numpy.all and any, of elements as bools */
template <bool every> struct mnp_reduce_truth {
    typedef uint8_t acc;
    template <int W> struct lanes {
        uint8_t truth[W];
        MNP_INLINE void start(int j)
        {
            truth[j] = every;
        }
        MNP_INLINE void take(int64_t j, mnp_bool x, int64_t)
        {
            truth[j] = every ? truth[j] & x.value : truth[j] | x.value;
        }
        MNP_INLINE void merge(int j, int k)
        {
            truth[j] = every ? truth[j] & truth[k] : truth[j] | truth[k];
        }
        MNP_INLINE acc end(int j) const
        {
            return truth[j];
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a = every ? a & b : a | b;
    }
    /* Whether no other element can change the result. */
    static MNP_INLINE bool settled(acc a)
    {
        return a != every;
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, mnp_bool &result)
    {
        result = mnp_bool{a};
    }
};

#if !MNP_CUDA && !MNP_COLUMNS
typedef uint16_t mnp_lane_count; /* sets are joined after some thousand elements */
#else
typedef int64_t mnp_lane_count;
#endif

/* numpy.count_nonzero */
struct mnp_reduce_count {
    typedef int64_t acc;
    template <int W> struct lanes {
        mnp_lane_count n[W];
        MNP_INLINE void start(int j)
        {
            n[j] = 0;
        }
        MNP_INLINE void take(int64_t j, mnp_bool x, int64_t)
        {
            n[j] += x.value;
        }
        MNP_INLINE void merge(int j, int k)
        {
            n[j] += n[k];
        }
        MNP_INLINE acc end(int j) const
        {
            return n[j];
        }
    };
    static MNP_INLINE void join(acc &a, const acc &b)
    {
        a += b;
    }
    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &end, int64_t &result)
    {
        result = a * end.times;
    }
};
