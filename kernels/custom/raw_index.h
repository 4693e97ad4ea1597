/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An int that a compiler may take for a number of 64 bits: for the variables of kernels that are computed from the
 * place of a thread (lib/jit/raw_places.c finds them).
 *
 * Where such a variable is below a condition, as in i > 0 ? x[i - 1] : 0, a compiler that makes vectors of the loop
 * over threads computes i - 1 for all of them.  It must not assume then that an int does not overflow, and so does not
 * see that neighbouring threads read neighbouring elements.  Numbers of 64 bits are as wide as addresses, and make no
 * difference to a program without overflows: sums, differences, products and comparisons with int have 64 bits; what
 * wraps around in C, or is cheaper so, is done with 32.
 *
 * A text that does not compile with this type is compiled again with MNP_PLAIN_INDICES, where it is int.
 */
#ifdef MNP_PLAIN_INDICES
typedef int mnp_index;
#else
template <typename T> constexpr bool mnp_is_number = std::is_arithmetic<T>::value || std::is_enum<T>::value;
/* The types that int is not converted to in arithmetic. */
template <typename T>
constexpr bool mnp_is_narrow =
    mnp_is_number<T> && !std::is_floating_point<T>::value && std::is_same<decltype(0 + T()), int>::value;
template <typename T> constexpr bool mnp_is_wide = mnp_is_number<T> && !mnp_is_narrow<T>;
/* Wide types that are integers of 64 bits, to which the value may be converted directly. */
template <typename T> constexpr bool mnp_is_long = std::is_integral<T>::value && sizeof(T) == 8;

#define MNP_IF(condition) typename std::enable_if<condition, int>::type = 0

struct mnp_index {
    long long value;

    mnp_index() = default;
    template <typename T, MNP_IF(mnp_is_number<T>)> explicit mnp_index(T x) : value((int)x)
    {
    }
    operator ptrdiff_t() const /* of subscripts */
    {
        return value;
    }
    template <typename T, MNP_IF(mnp_is_number<T>)> operator T() const
    {
        if constexpr (mnp_is_long<T>)
            return (T)value;
        else
            return (T)(int)value;
    }
    template <typename T, MNP_IF(mnp_is_number<T>)> mnp_index &operator=(T x)
    {
        value = (int)x;
        return *this;
    }
#define MNP_ASSIGN(op)                                                                                                 \
    template <typename T> mnp_index &operator op##=(T x)                                                               \
    {                                                                                                                  \
        return *this = (*this op x);                                                                                   \
    }
    MNP_ASSIGN(+)
    MNP_ASSIGN(-)
    MNP_ASSIGN(*)
    MNP_ASSIGN(/)
    MNP_ASSIGN(%)
    MNP_ASSIGN(&)
    MNP_ASSIGN(|)
    MNP_ASSIGN(^)
    MNP_ASSIGN(<<)
    MNP_ASSIGN(>>)
#undef MNP_ASSIGN
    mnp_index &operator++()
    {
        value++;
        return *this;
    }
    mnp_index &operator--()
    {
        value--;
        return *this;
    }
    mnp_index operator++(int)
    {
        const mnp_index before = *this;
        value++;
        return before;
    }
    mnp_index operator--(int)
    {
        const mnp_index before = *this;
        value--;
        return before;
    }
};

/* An index of a value that has 64 bits already. */
static inline mnp_index mnp_index_of(long long value)
{
    mnp_index made;
    made.value = value;
    return made;
}
static inline mnp_index operator+(mnp_index a)
{
    return a;
}
static inline mnp_index operator-(mnp_index a)
{
    return mnp_index_of(-a.value);
}
static inline mnp_index operator~(mnp_index a)
{
    return mnp_index_of(~a.value);
}

/* The number that an operation takes: of an index beside a type that is wider than int, or an operation of 32 bits. */
template <typename T> static inline auto mnp_operand(mnp_index a)
{
    if constexpr (mnp_is_long<T>)
        return a.value;
    else
        return (int)a.value;
}

/* `made` of two numbers, `x op y`, which are as wide as `wide` says where both are indices or narrow. */
#define MNP_BETWEEN(op, made, result, wide)                                                                            \
    static inline result operator op(mnp_index a, mnp_index b)                                                         \
    {                                                                                                                  \
        return made((wide)a.value op(wide) b.value);                                                                   \
    }                                                                                                                  \
    template <typename T, MNP_IF(mnp_is_narrow<T>)> static inline result operator op(mnp_index a, T b)                 \
    {                                                                                                                  \
        return made((wide)a.value op(wide) b);                                                                         \
    }                                                                                                                  \
    template <typename T, MNP_IF(mnp_is_narrow<T>)> static inline result operator op(T a, mnp_index b)                 \
    {                                                                                                                  \
        return made((wide)a op(wide) b.value);                                                                         \
    }                                                                                                                  \
    template <typename T, MNP_IF(mnp_is_wide<T>)> static inline auto operator op(mnp_index a, T b)                     \
    {                                                                                                                  \
        return mnp_operand<T>(a) op b;                                                                                 \
    }                                                                                                                  \
    template <typename T, MNP_IF(mnp_is_wide<T>)> static inline auto operator op(T a, mnp_index b)                     \
    {                                                                                                                  \
        return a op mnp_operand<T>(b);                                                                                 \
    }
MNP_BETWEEN(+, mnp_index_of, mnp_index, long long)
MNP_BETWEEN(-, mnp_index_of, mnp_index, long long)
MNP_BETWEEN(*, mnp_index_of, mnp_index, long long)
MNP_BETWEEN(/, mnp_index_of, mnp_index, int)
MNP_BETWEEN(%, mnp_index_of, mnp_index, int)
MNP_BETWEEN(&, mnp_index_of, mnp_index, int)
MNP_BETWEEN(|, mnp_index_of, mnp_index, int)
MNP_BETWEEN(^, mnp_index_of, mnp_index, int)
MNP_BETWEEN(<, , bool, long long)
MNP_BETWEEN(>, , bool, long long)
MNP_BETWEEN(<=, , bool, long long)
MNP_BETWEEN(>=, , bool, long long)
MNP_BETWEEN(==, , bool, long long)
MNP_BETWEEN(!=, , bool, long long)
#undef MNP_BETWEEN

/* The type of a shift is that of what is shifted. */
#define MNP_SHIFT(op)                                                                                                  \
    template <typename T> static inline mnp_index operator op(mnp_index a, T b)                                        \
    {                                                                                                                  \
        return mnp_index_of((int)a.value op(int) b);                                                                   \
    }                                                                                                                  \
    template <typename T, MNP_IF(mnp_is_number<T>)> static inline auto operator op(T a, mnp_index b)                   \
    {                                                                                                                  \
        return a op(int) b.value;                                                                                      \
    }
MNP_SHIFT(<<)
MNP_SHIFT(>>)
#undef MNP_SHIFT
#undef MNP_IF
#endif

/* int i = a + b becomes mnp_index i = mnp_to_index << a + b. */
static const struct mnp_to_index_type {
} mnp_to_index = {};
template <typename T> static inline mnp_index operator<<(mnp_to_index_type, T x)
{
#ifndef MNP_PLAIN_INDICES
    if constexpr (std::is_same<T, mnp_index>::value)
        return x;
    else
#endif
        return (mnp_index)x;
}
