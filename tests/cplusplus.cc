/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in C++ that uses every macro of the headers, as tests/functions.t checks: mpirun -n 2 ./cplusplus */
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

/* Passes on what the first call says, and does not come to the second. */
static mnp_status halves(const mnp_array *x, const mnp_array *y, mnp_array **z_p)
{
    MNP_TRY(mnp_copyto(*z_p, x, MNP_CASTING_SAME_KIND));
    MNP_TRY(mnp_multiply(y, MNP_SCALAR(mnp_array_ctx(y), 0.5), z_p));
    return MNP_OK;
}

static void views_and_numbers(mnp_ctx *ctx)
{
    mnp_array *x = nullptr, *view = nullptr, *sum = nullptr, *count = nullptr, *left = nullptr;
    const int64_t shape[] = {6, 4}, size = 6 * 4;
    int rows = 1;
    MNP_OR_EXIT(mnp_arange_int(ctx, 0, size, 1, MNP_INT32, &x));
    MNP_OR_EXIT(mnp_reshape(x, 2, shape, &view));

    /* x[1:-1, ::-2], x[None, -1, :], x[..., 3] */
    MNP_OR_EXIT(mnp_view(view, &left, MNP_RANGE(rows, -1), MNP_SLICE(MNP_NONE, MNP_NONE, -2)));
    MNP_OR_EXIT(mnp_sum(left, MNP_ALL_AXES, &sum));
    int32_t total = 0, elements[4] = {0, 0, 0, 0};
    MNP_OR_EXIT(mnp_item(sum, &total));
    expect(ctx, "the sum of a part", total, 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19);
    MNP_OR_EXIT(mnp_view(view, &left, MNP_NEWAXIS, MNP_AT(-1), MNP_ALL));
    expect(ctx, "the dimensions of a row and a new axis", mnp_array_ndim(left), 2);
    MNP_OR_EXIT(mnp_to_host(left, MNP_ALL_RANKS, elements));
    expect(ctx, "the last element of the last row", elements[3], 23);
    MNP_OR_EXIT(mnp_view(view, &left, MNP_ELLIPSIS, MNP_AT(3)));
    MNP_OR_EXIT(mnp_max(left, MNP_ALL_AXES, &sum));
    MNP_OR_EXIT(mnp_count_nonzero(left, MNP_ALL_AXES, &count));
    float largest = 0;
    int64_t nonzero = 0;
    MNP_OR_EXIT(mnp_items(MNP_ITEM(sum, &largest), MNP_ITEM(count, &nonzero)));
    expect(ctx, "the maximum of a column", largest, 23);
    expect(ctx, "the elements of a column", (double)nonzero, 6);
    MNP_OR_EXIT(mnp_array_item(sum, MNP_DTYPE_OF(&nonzero), &nonzero));
    expect(ctx, "the maximum as another type", (double)nonzero, 23);
    expect(ctx, "the dtype of a pointer", MNP_DTYPE_OF(elements) == MNP_INT32, 1);

    mnp_status status = halves(x, x, &view);
    expect(ctx, "a call that fails is passed on", status == MNP_ERR_ARG, 1);
    mnp_clear(&view);
    MNP_OR_EXIT(mnp_astype(x, MNP_FLOAT64, &view));
    MNP_OR_EXIT(halves(x, x, &view));
    mnp_clear(&sum);
    MNP_OR_EXIT(mnp_max(view, MNP_ALL_AXES, &sum));
    MNP_OR_EXIT(mnp_item(sum, &largest));
    expect(ctx, "the largest half", largest, 11.5);

    mnp_print_options options = MNP_PRINT_DEFAULTS;
    options.precision = 2;
    std::FILE *file = std::tmpfile();
    MNP_OR_EXIT(mnp_array_print(x, &options, file));
    if (mnp_ctx_rank(ctx) == 0)
        expect(ctx, "what is printed", std::ftell(file) > 40, 1);
    std::fclose(file);
    mnp_free_all(x, view, sum, count, left);
}

static void without_arguments(mnp_ctx *ctx)
{
    mnp_elementwise *kernel;
    mnp_raw_module *module;
    mnp_raw_kernel *raw;
    mnp_launch launch = {};
    launch.grid[0] = launch.block[0] = 1;
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "", "float64 c", "c = 1", nullptr, &kernel));
    mnp_array *ones = nullptr, *total = nullptr;
    const int64_t shape[] = {7};
    double sum = 0;
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT64, 1, shape, &ones));
    MNP_OR_EXIT(mnp_elementwise_call(kernel, MNP_NO_INPUTS, MNP_OUTPUTS(&ones)));
    MNP_OR_EXIT(mnp_sum(ones, MNP_ALL_AXES, &total));
    MNP_OR_EXIT(mnp_item(total, &sum));
    expect(ctx, "the sum after a kernel without inputs", sum, 7);
    mnp_free_all(ones, total);
    mnp_clear(&kernel);
    MNP_OR_EXIT(mnp_raw_module_new(ctx, "extern \"C\" __global__ void nothing()\n{\n}\n", nullptr, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "nothing", &raw));
    MNP_OR_EXIT(mnp_raw_kernel_launch(raw, &launch, MNP_NO_ARGS));
    mnp_clear(&module);
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

    views_and_numbers(ctx);
    without_arguments(ctx);

    mnp_clear(&x);
    expect(ctx, "an array that was cleared", x != nullptr, 0);
    mnp_free_all(y, z, both, part, sum, rows, largest, turned);
    mnp_finalize(ctx);
    return failures != 0;
}
