/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple.hpp: operators, views, reductions, conversions, failures, and the lives of arrays.  mpirun -n 2 ./maniple_hpp
 */
#include <maniple.hpp>

#include <cmath>
#include <cstdio>
#include <numeric>

using maniple::array;
using maniple::context;

static int failures;

static void expect(const context &ctx, const char *what, bool holds)
{
    if (holds)
        return;
    failures++;
    if (ctx.rank() == 0)
        std::printf("wrong: %s\n", what);
}

template <typename T> static bool same(const array &x, const std::vector<T> &wanted)
{
    return x.to_vector<T>() == wanted;
}

static void check_arithmetic(const context &ctx)
{
    const array x(ctx, {2, 3}, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
    expect(ctx, "2 * x + 1", same<std::int64_t>(2 * x + 1, {3, 5, 7, 9, 11, 13}));
    expect(ctx, "an integer and a float are a float", (x * 0.5).dtype() == MNP_FLOAT64);
    expect(ctx, "1 / x", same<double>(1 / x, {1, 1 / 2., 1 / 3., 1 / 4., 1 / 5., 1 / 6.}));
    expect(ctx, "-x % 4", same<std::int64_t>(-x % 4, {3, 2, 1, 0, 3, 2}));
    expect(ctx, "comparisons", same<unsigned char>((x > 2) & not_equal(x, 5), {0, 0, 1, 1, 0, 1}));
    expect(ctx, "a number of each kind", (x * std::complex<double>(0, 1)).dtype() == MNP_COMPLEX128);
    expect(ctx, "maximum(x, 3)", same<std::int64_t>(maximum(x, 3), {3, 3, 3, 4, 5, 6}));
    expect(ctx, "where", same<std::int64_t>(where(x > 3, x, 0), {0, 0, 0, 4, 5, 6}));
    const auto [quotient, rest] = divmod(x, 4);
    expect(ctx, "divmod", same<std::int64_t>(quotient * 4 + rest, {1, 2, 3, 4, 5, 6}));
    expect(ctx, "sin",
           std::abs(sin(x).sum().item<double>() -
                    (std::sin(1) + std::sin(2) + std::sin(3) + std::sin(4) + std::sin(5) + std::sin(6))) < 1e-14);
    expect(ctx, "eval",
           same<std::int64_t>(maniple::eval(ctx, "s = x + y; s * s", {{"x", x}, {"y", 1}}), {4, 9, 16, 25, 36, 49}));
}

static void check_arrays(const context &ctx)
{
    std::vector<float> values(12);
    std::iota(values.begin(), values.end(), 0.0f);
    array x(ctx, {4, 3}, values);
    const array handle = x, other = x.copy();
    x("1:3, ::2") *= 10;
    expect(ctx, "a view writes to its array", same<float>(x, {0, 1, 2, 30, 4, 50, 60, 7, 80, 9, 10, 11}));
    expect(ctx, "a copy of a handle sees it", same<float>(handle("1"), {30, 4, 50}));
    expect(ctx, "copy() does not", same<float>(other("1"), {3, 4, 5}));
    x("0").assign(-1);
    expect(ctx, "assign", same<float>(x("0"), {-1, -1, -1}));
    expect(ctx, "T", x.T().shape() == maniple::shape{3, 4} && same<float>(x.T()("1"), {-1, 4, 7, 10}));
    expect(ctx, "reshape", same<float>(other.reshape({2, 6})("1"), {6, 7, 8, 9, 10, 11}));
    expect(ctx, "sum along an axis", same<float>(other.sum({0}), {18, 22, 26}));
    expect(ctx, "mean of all", other.mean().item<double>() == 5.5);
    expect(ctx, "argmax", other.argmax().item<int>() == 11 && same<std::int64_t>(other.argmin(1), {0, 0, 0, 0}));
    expect(ctx, "sort", same<float>((-other).sort(0)("0"), {-9, -10, -11}));
    expect(ctx, "item of another type", other.max().item<int>() == 11);
    expect(ctx, "arange of integers", same<std::int64_t>(maniple::arange(ctx, 0, 5, 2), {0, 2, 4}));
    std::FILE *file = std::tmpfile();
    char line[32] = "";
    maniple::arange(ctx, 3).print(file);
    std::rewind(file);
    expect(ctx, "a printed array",
           ctx.rank() != 0 || (std::fgets(line, sizeof line, file) && std::string(line) == "[0 1 2]\n"));
    std::fclose(file);
    expect(ctx, "arange to a number", same<std::int64_t>(maniple::arange(ctx, 3), {0, 1, 2}));
    expect(ctx, "arange of several types", same<double>(maniple::arange(ctx, 1, 2.5, 0.5f), {1, 1.5, 2}));
    expect(ctx, "full", same<float>(maniple::full(ctx, {2}, 2.5f), {2.5f, 2.5f}));
    expect(ctx, "concatenate", maniple::concatenate({x, other}).shape() == maniple::shape{8, 3});
    expect(ctx, "zeros and ones",
           maniple::zeros(ctx, {3}).sum().item<double>() == 0 &&
               maniple::ones(ctx, {3}, MNP_INT32).sum().item<int>() == 3);
}

static void check_failures(const context &ctx)
{
    std::string message;
    mnp_status status = MNP_OK;
    try {
        array(ctx, {2}, std::vector<float>{1, 2}) + array(ctx, {3}, std::vector<float>{1, 2, 3});
    } catch (const maniple::error &failure) {
        message = failure.what();
        status = failure.status();
    }
    expect(ctx, "an exception with the sentence", status == MNP_ERR_ARG && message.find("mnp_add") == 0);
}

/* Each rank ends the lives of arrays in an order of its own, while new ones are made. */
static void check_lives(const context &ctx)
{
    std::vector<array> kept;
    bool right = true;
    for (int i = 0; i < 60; i++) {
        kept.push_back(maniple::full(ctx, {1000}, static_cast<double>(i)));
        if (kept.size() > 4 && (i + ctx.rank()) % 2 == 0) {
            kept.erase(kept.begin());
            if (kept.size() > 4)
                kept.erase(kept.begin() + ctx.rank() % 2);
        }
        right = right && kept.back().sum().item<double>() == 1000.0 * i;
    }
    kept.clear();
    ctx.collect();
    expect(ctx, "arrays that live while others end", right);
}

int main()
{
    array last;
    try {
        context ctx;
        check_arithmetic(ctx);
        check_arrays(ctx);
        check_failures(ctx);
        check_lives(ctx);
        last = maniple::ones(ctx, {5}); /* outlives the variable of its context */
    } catch (const maniple::error &failure) {
        std::printf("%s\n", failure.what());
        mnp_exit(1);
    }
    return failures != 0;
}
