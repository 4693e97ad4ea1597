/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in C++ that uses every macro of the headers: mpirun -n 2 ./cplusplus */
#include <maniple.h>

#include <cmath>
#include <complex>
#include <cstdio>

static const char saxpy[] = "extern \"C\" __global__ void saxpy(long long n, float a, const float *x, float *y)\n"
                            "{\n"
                            "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;\n"
                            "         i += (long long)gridDim.x * blockDim.x)\n"
                            "        y[i] += a * x[i];\n"
                            "}\n";

static int failures;

static void expect(mnp_ctx *ctx, const char *what, double got, double wanted)
{
    if (std::abs(got - wanted) <= 1e-12 * std::abs(wanted))
        return;
    failures++;
    if (mnp_ctx_rank(ctx) == 0)
        std::printf("%s is %g, not %g\n", what, got, wanted);
}

template <typename T> static T number(const mnp_array *x)
{
    T value;
    MNP_OR_EXIT(mnp_array_to_host(x, MNP_ALL_RANKS, &value));
    return value;
}

int main()
{
    mnp_ctx *ctx;
    mnp_array *x = nullptr, *y = nullptr, *z = nullptr, *both = nullptr, *part = nullptr, *sum = nullptr,
              *rows = nullptr;
    mnp_array *largest = nullptr, *turned = nullptr;
    const int64_t shape[] = {6, 4};
    const float two = 2;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, nullptr, &ctx));
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT32, 2, shape, &two, &x));

    MNP_OR_EXIT(mnp_multiply(x, MNP_SCALAR(ctx, 2.5), &y));
    MNP_OR_EXIT(mnp_add(y, MNP_SCALAR(ctx, 1), &y));
    MNP_OR_EXIT(mnp_multiply(y, MNP_SCALAR(ctx, true), &y));
    MNP_OR_EXIT(mnp_sum(y, MNP_ALL_AXES, &sum));
    expect(ctx, "the sum", number<float>(sum), 6 * 24);

    MNP_OR_EXIT(mnp_multiply(x, MNP_SCALAR(ctx, std::complex<double>(0, 1)), &turned));
    MNP_OR_EXIT(mnp_max(y, MNP_REDUCE(.count = 1, .axes = {-1}, .keepdims = true), &rows));
    expect(ctx, "the extent of an axis that is kept", (double)mnp_array_shape(rows)[1], 1);
    MNP_OR_EXIT(mnp_max(y, MNP_AXES(0, 1), &largest));
    expect(ctx, "the maximum", number<float>(largest), 6);

    MNP_OR_EXIT(mnp_concatenate(MNP_LIST(x, y, x), 0, &both));
    expect(ctx, "the rows of three arrays", (double)mnp_array_shape(both)[0], 18);
    MNP_OR_EXIT(mnp_eval(ctx, "z = hypot(x, y)", MNP_IN("x", x, "y", y), MNP_OUT("z", &z)));
    MNP_OR_EXIT(mnp_sum(z, MNP_AXIS(0), &part));

    mnp_elementwise *kernel;
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "T a, T b", "T c", "c = a - b", nullptr, &kernel));
    MNP_OR_EXIT(mnp_elementwise_call(kernel, MNP_INPUTS(y, x), MNP_OUTPUTS(&z)));
    MNP_OR_EXIT(mnp_sum(z, MNP_ALL_AXES, &sum));
    expect(ctx, "the sum of differences", number<float>(sum), 4 * 24);
    mnp_clear(&kernel);

    mnp_raw_module *module;
    mnp_raw_kernel *raw;
    mnp_launch launch = {};
    launch.grid[0] = 2;
    launch.block[0] = 64;
    MNP_OR_EXIT(mnp_raw_module_new(ctx, saxpy, nullptr, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "saxpy", &raw));
    MNP_OR_EXIT(mnp_raw_kernel_launch(
        raw, &launch, MNP_ARGS(MNP_ARG(mnp_array_local_size(x)), MNP_ARG(3.0f), MNP_ARG(x), MNP_ARG(z))));
    MNP_OR_EXIT(mnp_sum(z, MNP_ALL_AXES, &sum));
    expect(ctx, "the sum after a raw kernel", number<float>(sum), 10 * 24);
    mnp_clear(&module);

    mnp_clear(&x);
    expect(ctx, "an array that was cleared", x != nullptr, 0);
    mnp_free_all(y, z, both, part, sum, rows, largest, turned);
    mnp_finalize(ctx);
    return failures != 0;
}
