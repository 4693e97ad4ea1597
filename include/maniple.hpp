/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maniple for C++17: contexts and arrays that release themselves, operators, and exceptions.  It has no library of its
 * own: every function calls the one of <maniple.h> that has its name, so programs may mix the two.
 *
 *     maniple::context ctx;
 *     auto x = maniple::linspace(ctx, 0, 1, 1000000);
 *     auto y = sin(2 * x) + 0.5;
 *     y("::2") *= -1;
 *     double largest = y.max().item<double>();
 *     auto z = maniple::eval(ctx, "hypot(x, y) > 0.5", {{"x", x}, {"y", y}});
 *
 * An array is a handle, as in NumPy: a copy of it means the same elements, and copy() makes others.  Destructors call
 * mnp_array_drop(), so ranks may end the lives of their arrays at different times, as exceptions do.  All else that is
 * collective in C is collective here.  A failure throws maniple::error, on all ranks.
 */
#ifndef MANIPLE_HPP
#define MANIPLE_HPP

#include <maniple.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace maniple
{

/* What a failed call throws: what() is the sentence of mnp_error_message(). */
class error : public std::runtime_error
{
  public:
    error(mnp_status status, const char *message) : std::runtime_error(message), status_(status)
    {
    }

    mnp_status status() const
    {
        return status_;
    }

  private:
    mnp_status status_;
};

inline void check(mnp_status status)
{
    if (status != MNP_OK)
        throw error(status, mnp_error_message());
}

using shape = std::vector<std::int64_t>;

/* The dtype of a type of C++. */
template <typename T> constexpr mnp_dtype dtype_of()
{
    return mnp_dtype_of<T>();
}

/* What all arrays belong to.  It ends after the last of them.  Copies mean the same context. */
class context
{
  public:
    explicit context(MPI_Comm comm = MPI_COMM_WORLD, const char *options = nullptr)
    {
        mnp_ctx *ctx = nullptr;
        check(mnp_init(comm, options, &ctx));
        ctx_ = std::shared_ptr<mnp_ctx>(ctx, mnp_finalize);
    }

    mnp_ctx *get() const
    {
        return ctx_.get();
    }

    int rank() const
    {
        return mnp_ctx_rank(get());
    }

    int size() const
    {
        return mnp_ctx_size(get());
    }

    /* Wait for the device. */
    void synchronize() const
    {
        check(mnp_ctx_synchronize(get()));
    }

    /* mnp_ctx_collect() */
    void collect() const
    {
        check(mnp_ctx_collect(get()));
    }

  private:
    std::shared_ptr<mnp_ctx> ctx_;
};

class array;

class array;

/* An operand of a function: an array, or a number, which takes part in promotion as a Python number does. */
class operand
{
  public:
    operand(const array &x);
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> operand(T value)
    {
        if constexpr (std::is_same_v<T, bool>)
            kind_ = 'b';
        else
            kind_ = std::is_floating_point_v<T> ? 'f' : 'i';
        if constexpr (std::is_integral_v<T>)
            integer_ = static_cast<std::int64_t>(value);
        else
            number_ = static_cast<double>(value);
    }
    template <typename T> operand(const std::complex<T> &value) : kind_('c'), number_(value)
    {
    }

    /* The context of an array; empty for a number. */
    const context *where() const
    {
        return context_;
    }

    /* For the call itself. */
    const mnp_array *pointer(const context &where) const
    {
        switch (kind_) {
        case 'b':
            return mnp_scalar_bool(where.get(), integer_ != 0);
        case 'i':
            return mnp_scalar_int(where.get(), integer_);
        case 'f':
            return mnp_scalar_float(where.get(), number_.real());
        case 'c':
            return mnp_scalar_complex(where.get(), number_.real(), number_.imag());
        default:
            return array_;
        }
    }

  private:
    const mnp_array *array_ = nullptr;
    const context *context_ = nullptr;
    char kind_ = 0; /* of a number: b, i, f or c */
    std::int64_t integer_ = 0;
    std::complex<double> number_ = 0;
};

/* An n-dimensional array over all ranks, or a view of one.  One that was made without arguments is empty: no array. */
class array
{
  public:
    array() = default;

    /* Take over what a function of C has made. */
    array(const context &where, mnp_array *made) : context_(where), pointer_(made, mnp_array_drop)
    {
    }

    /* From the whole array in C order, which every rank has. */
    template <typename T> array(const context &where, const maniple::shape &extents, const std::vector<T> &values)
    {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory");
        std::int64_t size = 1;
        for (std::int64_t extent : extents)
            size *= extent;
        if (size != static_cast<std::int64_t>(values.size()))
            throw error(MNP_ERR_ARG, "maniple::array: the number of values is not that of the shape");
        *this = make(where, [&](mnp_array **x_p) {
            return mnp_array_from_host(where.get(), dtype_of<T>(), static_cast<int>(extents.size()), extents.data(),
                                       values.data(), x_p);
        });
    }

    /* The array that a function makes: make(ctx, [&](mnp_array **x_p) { return mnp_...(..., x_p); }) */
    template <typename F> static array make(const context &where, F function)
    {
        mnp_array *made = nullptr;
        check(function(&made));
        return array(where, made);
    }

    explicit operator bool() const
    {
        return pointer_ != nullptr;
    }

    /* For functions of C; it belongs to this array. */
    mnp_array *get() const
    {
        return pointer_.get();
    }

    const context &where() const
    {
        return *context_;
    }

    int ndim() const
    {
        return mnp_array_ndim(get());
    }

    maniple::shape shape() const
    {
        const std::int64_t *extents = mnp_array_shape(get());
        return maniple::shape(extents, extents + ndim());
    }

    std::int64_t size() const
    {
        return mnp_layout_size(mnp_array_layout(get()));
    }

    mnp_dtype dtype() const
    {
        return mnp_array_dtype(get());
    }

    /* ---- values ---- */

    /* All elements in C order, cast to T, on every rank.  Waits. */
    template <typename T> std::vector<T> to_vector() const
    {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements in memory; take unsigned char");
        std::vector<T> values(static_cast<std::size_t>(size()));
        const array same = dtype() == dtype_of<T>() ? *this : astype(dtype_of<T>());
        check(mnp_array_to_host(same.get(), MNP_ALL_RANKS, values.data()));
        return values;
    }

    /* Print it as NumPy does, from rank 0: mnp_array_print().  Waits. */
    void print(std::FILE *file = stdout, const mnp_print_options *options = nullptr) const
    {
        check(mnp_array_print(get(), options, file));
    }

    /* The element of an array that has one, as a T that holds it, on every rank: mnp_item().  Waits. */
    template <typename T> T item() const
    {
        T value;
        check(mnp_item(get(), &value));
        return value;
    }

    array copy() const
    {
        return make([this](mnp_array **x_p) { return mnp_copy(get(), x_p); });
    }

    array astype(mnp_dtype dtype) const
    {
        return make([&](mnp_array **x_p) { return mnp_astype(get(), dtype, x_p); });
    }

    /* Set all elements: an array that is broadcast, or a number. */
    array &assign(const operand &values)
    {
        check(mnp_copyto(get(), values.pointer(where()), MNP_CASTING_SAME_KIND));
        return *this;
    }

    /* ---- views ---- */

    /* NumPy's subscripts: x("1:, ::2"), x("0"), x("..., None") */
    array operator()(const std::string &subscripts) const
    {
        return make([&](mnp_array **x_p) { return mnp_index(get(), subscripts.c_str(), x_p); });
    }

    array T() const
    {
        return make([this](mnp_array **x_p) { return mnp_transpose(get(), nullptr, x_p); });
    }

    array reshape(const maniple::shape &extents) const
    {
        return make(
            [&](mnp_array **x_p) { return mnp_reshape(get(), static_cast<int>(extents.size()), extents.data(), x_p); });
    }

    /* ---- reductions: of all axes, or of those that are listed ---- */

#define MANIPLE_REDUCTION(name)                                                                                        \
    array name(const mnp_axes *axes = MNP_ALL_AXES) const                                                              \
    {                                                                                                                  \
        return make([&](mnp_array **x_p) { return mnp_##name(get(), axes, x_p); });                                    \
    }                                                                                                                  \
    array name(std::initializer_list<int> axes) const                                                                  \
    {                                                                                                                  \
        return name(mnp_axes_of(axes));                                                                                \
    }
    MANIPLE_REDUCTION(sum)
    MANIPLE_REDUCTION(prod)
    MANIPLE_REDUCTION(mean)
    MANIPLE_REDUCTION(var)
    MANIPLE_REDUCTION(std)
    MANIPLE_REDUCTION(min)
    MANIPLE_REDUCTION(max)
    MANIPLE_REDUCTION(any)
    MANIPLE_REDUCTION(all)
#undef MANIPLE_REDUCTION

    array argmin(int axis = MNP_FLATTENED) const;
    array argmax(int axis = MNP_FLATTENED) const;
    array cumsum(int axis = MNP_FLATTENED) const
    {
        return make([&](mnp_array **x_p) { return mnp_cumsum(get(), axis, nullptr, x_p); });
    }
    array sort(int axis = -1) const
    {
        return make([&](mnp_array **x_p) { return mnp_sort(get(), axis, x_p); });
    }

    /* ---- in place ---- */

#define MANIPLE_IN_PLACE(sign, function)                                                                               \
    array &operator sign(const operand &y)                                                                             \
    {                                                                                                                  \
        mnp_array *self = get();                                                                                       \
        check(mnp_##function(self, y.pointer(where()), &self));                                                        \
        return *this;                                                                                                  \
    }
    MANIPLE_IN_PLACE(+=, add)
    MANIPLE_IN_PLACE(-=, subtract)
    MANIPLE_IN_PLACE(*=, multiply)
    MANIPLE_IN_PLACE(/=, divide)
#undef MANIPLE_IN_PLACE

  private:
    template <typename F> array make(F function) const
    {
        return make(where(), function);
    }

    /* the context must outlive the array's memory: members end in the reverse order */
    std::optional<context> context_;
    std::shared_ptr<mnp_array> pointer_;
};

inline operand::operand(const array &x) : array_(x.get()), context_(&x.where())
{
}

inline array array::argmin(int axis) const
{
    const mnp_axes_argument axes = axis == MNP_FLATTENED ? mnp_axes_of({}) : mnp_axes_of({axis});
    return make([&](mnp_array **x_p) { return mnp_argmin(get(), axes, x_p); });
}

inline array array::argmax(int axis) const
{
    const mnp_axes_argument axes = axis == MNP_FLATTENED ? mnp_axes_of({}) : mnp_axes_of({axis});
    return make([&](mnp_array **x_p) { return mnp_argmax(get(), axes, x_p); });
}

/* ---- element-wise functions, by the names that they have in <maniple/ufunc_table.h> ---- */

namespace detail
{
/* The context of the first operand that is an array. */
inline const context &where(std::initializer_list<const operand *> operands)
{
    for (const operand *x : operands) {
        if (x->where())
            return *x->where();
    }
    throw error(MNP_ERR_ARG, "maniple: a function of numbers alone; one operand must be an array");
}
} // namespace detail

#define MANIPLE_UFUNC_1_1(name)                                                                                        \
    inline array name(const array &x)                                                                                  \
    {                                                                                                                  \
        return array::make(x.where(), [&](mnp_array **z_p) { return mnp_##name(x.get(), z_p); });                      \
    }
#define MANIPLE_UFUNC_2_1(name)                                                                                        \
    inline array name(const operand &x, const operand &y)                                                              \
    {                                                                                                                  \
        const context &ctx = detail::where({&x, &y});                                                                  \
        return array::make(ctx, [&](mnp_array **z_p) { return mnp_##name(x.pointer(ctx), y.pointer(ctx), z_p); });     \
    }
#define MANIPLE_UFUNC_3_1(name)                                                                                        \
    inline array name(const operand &x, const operand &y, const operand &z)                                            \
    {                                                                                                                  \
        const context &ctx = detail::where({&x, &y, &z});                                                              \
        return array::make(                                                                                            \
            ctx, [&](mnp_array **w_p) { return mnp_##name(x.pointer(ctx), y.pointer(ctx), z.pointer(ctx), w_p); });    \
    }
#define MANIPLE_UFUNC_4_1(name)
#define MANIPLE_UFUNC_1_2(name)                                                                                        \
    inline std::pair<array, array> name(const array &x)                                                                \
    {                                                                                                                  \
        mnp_array *first = nullptr, *second = nullptr;                                                                 \
        check(mnp_##name(x.get(), &first, &second));                                                                   \
        return {array(x.where(), first), array(x.where(), second)};                                                    \
    }
#define MANIPLE_UFUNC_2_2(name)                                                                                        \
    inline std::pair<array, array> name(const operand &x, const operand &y)                                            \
    {                                                                                                                  \
        const context &ctx = detail::where({&x, &y});                                                                  \
        mnp_array *first = nullptr, *second = nullptr;                                                                 \
        check(mnp_##name(x.pointer(ctx), y.pointer(ctx), &first, &second));                                            \
        return {array(ctx, first), array(ctx, second)};                                                                \
    }
#define MANIPLE_UFUNC(name, inputs, outputs, ...) MANIPLE_UFUNC_##inputs##_##outputs(name)
#define MANIPLE_UFUNC_ALIAS(alias, name, inputs, outputs) MANIPLE_UFUNC_##inputs##_##outputs(alias)
MNP_UFUNCS(MANIPLE_UFUNC)
MNP_UFUNC_ALIASES(MANIPLE_UFUNC_ALIAS)
#undef MANIPLE_UFUNC
#undef MANIPLE_UFUNC_ALIAS
#undef MANIPLE_UFUNC_1_1
#undef MANIPLE_UFUNC_2_1
#undef MANIPLE_UFUNC_3_1
#undef MANIPLE_UFUNC_4_1
#undef MANIPLE_UFUNC_1_2
#undef MANIPLE_UFUNC_2_2

/*
 * Operators of arrays, and of arrays and numbers in either order.  For == and !=, which have to return a bool in C++20,
 * there are equal() and not_equal().
 */
#define MANIPLE_OPERATOR(sign, function)                                                                               \
    inline array operator sign(const array &x, const operand &y)                                                       \
    {                                                                                                                  \
        return function(x, y);                                                                                         \
    }                                                                                                                  \
    template <typename T, typename = std::enable_if_t<!std::is_same_v<T, array>>>                                      \
    array operator sign(const T &x, const array &y)                                                                    \
    {                                                                                                                  \
        return function(operand(x), y);                                                                                \
    }
MANIPLE_OPERATOR(+, add)
MANIPLE_OPERATOR(-, subtract)
MANIPLE_OPERATOR(*, multiply)
MANIPLE_OPERATOR(/, divide)
MANIPLE_OPERATOR(%, remainder)
MANIPLE_OPERATOR(<, less)
MANIPLE_OPERATOR(<=, less_equal)
MANIPLE_OPERATOR(>, greater)
MANIPLE_OPERATOR(>=, greater_equal)
MANIPLE_OPERATOR(&, bitwise_and)
MANIPLE_OPERATOR(|, bitwise_or)
MANIPLE_OPERATOR(^, bitwise_xor)
#undef MANIPLE_OPERATOR

inline array operator-(const array &x)
{
    return negative(x);
}

inline array operator~(const array &x)
{
    return invert(x);
}

/* ---- making arrays ---- */

#define MANIPLE_CREATION(name)                                                                                         \
    inline array name(const context &where, const shape &extents, mnp_dtype dtype = MNP_FLOAT64)                       \
    {                                                                                                                  \
        return array::make(where, [&](mnp_array **x_p) {                                                               \
            return mnp_##name(where.get(), dtype, static_cast<int>(extents.size()), extents.data(), x_p);              \
        });                                                                                                            \
    }
MANIPLE_CREATION(empty)
MANIPLE_CREATION(zeros)
MANIPLE_CREATION(ones)
#undef MANIPLE_CREATION

/* The dtype is that of the value's type. */
template <typename T> array full(const context &where, const shape &extents, T value)
{
    return array::make(where, [&](mnp_array **x_p) {
        return mnp_full(where.get(), dtype_of<T>(), static_cast<int>(extents.size()), extents.data(), &value, x_p);
    });
}

/* int64 if all arguments are integers, otherwise float64.  With one number it is where the array stops. */
template <typename Start, typename Stop, typename Step = int>
array arange(const context &where, Start start, Stop stop, Step step = 1)
{
    return array::make(where, [&](mnp_array **x_p) {
        if constexpr (std::is_integral_v<Start> && std::is_integral_v<Stop> && std::is_integral_v<Step>)
            return mnp_arange_int(where.get(), start, stop, step, MNP_DTYPE_AUTO, x_p);
        else
            return mnp_arange(where.get(), start, stop, step, MNP_DTYPE_AUTO, x_p);
    });
}
template <typename Stop> array arange(const context &where, Stop stop)
{
    return arange(where, 0, stop);
}

inline array linspace(const context &where, double start, double stop, std::int64_t count, bool endpoint = true)
{
    return array::make(where, [&](mnp_array **x_p) {
        return mnp_linspace(where.get(), start, stop, count, endpoint, MNP_DTYPE_AUTO, nullptr, x_p);
    });
}

inline array concatenate(const std::vector<array> &arrays, int axis = 0)
{
    std::vector<const mnp_array *> pointers;
    for (const array &x : arrays)
        pointers.push_back(x.get());
    if (arrays.empty())
        throw error(MNP_ERR_ARG, "maniple::concatenate: there are no arrays");
    return array::make(arrays.front().where(), [&](mnp_array **x_p) {
        return mnp_concatenate(pointers.data(), static_cast<int>(pointers.size()), axis, x_p);
    });
}

/* ---- expressions ---- */

/* A name in a text, and what it stands for. */
using binding = std::pair<const char *, operand>;

/* The value of the last statement of a text: eval(ctx, "s = x + y; s * s", {{"x", x}, {"y", 2}}).  See mnp_eval(). */
inline array eval(const context &where, const std::string &text, std::initializer_list<binding> inputs = {})
{
    std::vector<mnp_input> in;
    for (const binding &input : inputs)
        in.push_back({input.first, input.second.pointer(where)});
    in.push_back({nullptr, nullptr});
    return array::make(where, [&](mnp_array **x_p) {
        const mnp_output out[] = {{"", x_p}, {nullptr, nullptr}};
        return mnp_eval(where.get(), text.c_str(), in.data(), out);
    });
}

} // namespace maniple

#endif
