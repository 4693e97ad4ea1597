/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA kernels as they are, launched on every rank's block, on GPUs and on CPUs:
 *
 *   mpirun -n 4 ./raw_kernels
 *
 * prints
 *
 *   saxpy          0    3    6 ...
 *   weighted       0   12   24 ...
 *   add<float>   0.5 12.5 24.5 ...
 *   sums of prime factors    2    3    4 ...  287   77   42
 *   block sums 499500
 */
#include <maniple.h>

#include <stdlib.h>

static const char source[] =
    "__constant__ float weights[4];\n"
    "\n"
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] += a * x[i];\n"
    "}\n"
    "\n"
    "extern \"C\" __global__ void weigh(float *x, int n)\n"
    "{\n"
    "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "        x[i] *= weights[2];\n"
    "}\n"
    "\n"
    "template <typename T> __global__ void add(T *x, T what, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        x[i] += what;\n"
    "}\n";

/* The threads of a block share memory and wait for each other. */
static const char block_sums_source[] = "extern \"C\" __global__ void block_sums(const float *x, int n, float *sum)\n"
                                        "{\n"
                                        "    __shared__ float part[256];\n"
                                        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                        "    part[threadIdx.x] = i < n ? x[i] : 0;\n"
                                        "    for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
                                        "        __syncthreads();\n"
                                        "        if (threadIdx.x < half)\n"
                                        "            part[threadIdx.x] += part[threadIdx.x + half];\n"
                                        "    }\n"
                                        "    if (threadIdx.x == 0)\n"
                                        "        atomicAdd(sum, part[0]);\n"
                                        "}\n";

static const char prime_factors_source[] =
    "extern \"C\" __global__ void prime_factors(int *sums, long long count, long long first)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    int rest = first + i, sum = 0;\n"
    "    for (int p = 2; p * p <= rest; p++)\n"
    "        for (; rest % p == 0; rest /= p)\n"
    "            sum += p;\n"
    "    sums[i] = sum + (rest > 1 ? rest : 0);\n"
    "}\n";

/* So many blocks of 256 threads that this rank's block of the array has a thread for each element. */
static mnp_launch one_thread_each(const mnp_array *array)
{
    unsigned blocks = (unsigned)((mnp_array_local_size(array) + 255) / 256);
    return (mnp_launch){.grid = {blocks > 0 ? blocks : 1}, .block = {256}};
}

static void print(const char *what, const mnp_array *array)
{
    float values[1000];
    MNP_OR_EXIT(mnp_to_host(array, 0, values));
    if (mnp_ctx_rank(mnp_array_ctx(array)) == 0)
        printf("%-10s %5g %4g %4g ...\n", what, (double)values[0], (double)values[1], (double)values[2]);
}

static void two_kernels_and_a_template(mnp_ctx *ctx)
{
    static const char *const templates[] = {"add<float>", NULL};
    const float weights[] = {1, 2, 4, 8};
    const int64_t shape[] = {1000};
    float numbers[1000];
    mnp_array *x = NULL, *y = NULL;
    mnp_raw_module *module;
    mnp_raw_kernel *saxpy, *weigh, *add;
    for (int i = 0; i < 1000; i++)
        numbers[i] = (float)i;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT32, 1, shape, numbers, &x));
    MNP_OR_EXIT(mnp_copy(x, &y));
    MNP_OR_EXIT(mnp_raw_module_new(
        ctx, source, &(mnp_raw_module_options){.name = "vectors", .name_expressions = templates}, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "saxpy", &saxpy));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "weigh", &weigh));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "add<float>", &add));

    /* Arguments have the types of the kernel's parameters: this one is int */
    const int n = (int)mnp_array_local_size(x);
    const mnp_launch launch = one_thread_each(x);
    MNP_OR_EXIT(mnp_raw_kernel_launch(saxpy, &launch, MNP_ARGS(MNP_ARG(2.0f), MNP_ARG(x), MNP_ARG(y), MNP_ARG(n))));
    print("saxpy", y);
    MNP_OR_EXIT(mnp_raw_module_set(module, "weights", weights, sizeof weights));
    MNP_OR_EXIT(
        mnp_raw_kernel_launch(weigh, &(mnp_launch){.grid = {2}, .block = {64}}, MNP_ARGS(MNP_ARG(y), MNP_ARG(n))));
    print("weighted", y);
    MNP_OR_EXIT(mnp_raw_kernel_launch(add, &launch, MNP_ARGS(MNP_ARG(y), MNP_ARG(0.5f), MNP_ARG(n))));
    print("add<float>", y);
    mnp_raw_module_free(module);
    mnp_free_all(x, y);
}

static void prime_factors(mnp_ctx *ctx)
{
    const int64_t size = 999999; /* the numbers 2 .. 1000000 */
    int *sums = malloc((size_t)size * sizeof *sums);
    mnp_array *array = NULL;
    mnp_raw_module *module;
    mnp_raw_kernel *kernel;
    MNP_OR_EXIT(mnp_empty(ctx, MNP_INT32, 1, &size, &array));
    MNP_OR_EXIT(mnp_raw_module_new(ctx, prime_factors_source, NULL, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "prime_factors", &kernel));
    mnp_launch launch = one_thread_each(array);
    MNP_OR_EXIT(mnp_raw_kernel_launch(
        kernel, &launch,
        MNP_ARGS(MNP_ARG(array), MNP_ARG(mnp_array_local_size(array)), MNP_ARG(mnp_array_local_lo(array)[0] + 2))));
    MNP_OR_EXIT(mnp_to_host(array, 0, sums));
    if (mnp_ctx_rank(ctx) == 0)
        printf("sums of prime factors %4d %4d %4d ... %4d %4d %4d\n", sums[0], sums[1], sums[2], sums[size - 3],
               sums[size - 2], sums[size - 1]);
    free(sums);
    mnp_raw_module_free(module);
    mnp_array_free(array);
}

/* The sum of 0 .. 999, each rank adding up its own block; then one number of every rank is added up here. */
static void block_sums(mnp_ctx *ctx)
{
    const int64_t shape[] = {1000}, ranks[] = {mnp_ctx_size(ctx)};
    float numbers[1000], sums[64] = {0}, total = 0;
    mnp_array *x = NULL, *sum = NULL;
    mnp_raw_module *module;
    mnp_raw_kernel *kernel;
    if (ranks[0] > 64)
        return;
    for (int i = 0; i < 1000; i++)
        numbers[i] = (float)i;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT32, 1, shape, numbers, &x));
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT32, 1, ranks, &sum));
    MNP_OR_EXIT(mnp_raw_module_new(ctx, block_sums_source, NULL, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "block_sums", &kernel));
    mnp_launch launch = one_thread_each(x);
    MNP_OR_EXIT(mnp_raw_kernel_launch(kernel, &launch,
                                      MNP_ARGS(MNP_ARG(x), MNP_ARG((int)mnp_array_local_size(x)), MNP_ARG(sum))));
    MNP_OR_EXIT(mnp_to_host(sum, 0, sums));
    for (int r = 0; r < ranks[0]; r++)
        total += sums[r];
    if (mnp_ctx_rank(ctx) == 0)
        printf("block sums %g\n", (double)total);
    mnp_raw_module_free(module);
    mnp_free_all(x, sum);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    two_kernels_and_a_template(ctx);
    prime_factors(ctx);
    block_sums(ctx);
    mnp_finalize(ctx);
    return 0;
}
