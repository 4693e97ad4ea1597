/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of one's own, element by element, on GPUs and on CPUs:  mpirun -n 4 ./elementwise
 *
 * prints
 *
 *   scaled sum     1.5   4.5   7.5  10.5
 *   clipped ReLU   0.0   0.0   1.0   2.0
 *   abs2           2.0   5.0  10.0  17.0
 *   differences    1.0   1.0   1.0   0.0
 */
#include <maniple.h>

static void print(const char *what, const mnp_array *array)
{
    float values[4];
    MNP_OR_EXIT(mnp_to_host(array, 0, values));
    if (mnp_ctx_rank(mnp_array_ctx(array)) == 0)
        printf("%-12s %5.1f %5.1f %5.1f %5.1f\n", what, (double)values[0], (double)values[1], (double)values[2],
               (double)values[3]);
}

static const char clipped[] = "template <typename T> T clipped(T x, T most)\n"
                              "{\n"
                              "    return min(max(x, T(0)), most);\n"
                              "}\n";

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *a = NULL, *b = NULL, *c = NULL, *z = NULL;
    mnp_elementwise *scaled_sum, *relu, *abs2, *differences;
    const int64_t shape[] = {4};
    const float numbers[] = {0, 1, 2, 3}, ones[] = {1, 2, 3, 4}, signs[] = {-2, 0, 1, 7};
    const float complex_numbers[] = {1, 1, 1, 2, 1, 3, 1, 4}; /* 1 + 1i, 1 + 2i, ... */

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT32, 1, shape, numbers, &a));
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT32, 1, shape, ones, &b));

    /* T stands for the type of the arrays that the kernel is called with; a number takes that type too */
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "T x, T y, T scale", "T z", "z = (x + y) * scale", NULL, &scaled_sum));
    MNP_OR_EXIT(mnp_elementwise_call(scaled_sum, MNP_INPUTS(a, b, MNP_SCALAR(ctx, 1.5)), MNP_OUTPUTS(&c)));
    print("scaled sum", c);

    /* Functions go into the preamble; c is reused */
    MNP_OR_EXIT(mnp_array_set_local(a, signs + mnp_array_local_lo(a)[0]));
    const mnp_elementwise_options options = {.name = "relu", .preamble = clipped};
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "T x, T most", "T z", "z = clipped(x, most)", &options, &relu));
    MNP_OR_EXIT(mnp_elementwise_call(relu, MNP_INPUTS(a, MNP_SCALAR(ctx, 2)), MNP_OUTPUTS(&c)));
    print("clipped ReLU", c);

    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_COMPLEX64, 1, shape, complex_numbers, &z));
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "complex64 z", "float32 s", "s = z.real() * z.real() + z.imag() * z.imag()",
                                    NULL, &abs2));
    MNP_OR_EXIT(mnp_elementwise_call(abs2, MNP_INPUTS(z), MNP_OUTPUTS(&c)));
    print("abs2", c);

    /* A raw parameter is the whole array, on every rank; i is the element's index, n the number of elements */
    const char *body = "d = i + 1 < n ? x[i + 1] - x[i] : T(0)";
    MNP_OR_EXIT(mnp_elementwise_new(ctx, "raw T x", "T d", body, NULL, &differences));
    MNP_OR_EXIT(mnp_elementwise_call(differences, MNP_INPUTS(b), MNP_OUTPUTS(&c)));
    print("differences", c);

    mnp_elementwise_free(scaled_sum);
    mnp_elementwise_free(relu);
    mnp_elementwise_free(abs2);
    mnp_elementwise_free(differences);
    mnp_free_all(a, b, c, z);
    mnp_finalize(ctx);
    return 0;
}
