/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of one's own, on GPUs and on CPUs:  mpirun -n 4 ./reduction
 *
 * prints
 *
 *   mean square error   0.25
 *   of the rows         0.00  0.25  0.50
 *   middle of masses    1.00
 */
#include <maniple.h>

static void print(const char *what, const mnp_array *array)
{
    double values[8];
    MNP_OR_EXIT(mnp_to_host(array, 0, values));
    if (mnp_ctx_rank(mnp_array_ctx(array)) != 0)
        return;
    printf("%-18s", what);
    for (int64_t i = 0; i < mnp_layout_size(mnp_array_layout(array)); i++)
        printf("  %.2f", values[i]);
    printf("\n");
}

/* A value that is reduced may be a struct of the preamble. */
static const char moments[] = "struct moments {\n"
                              "    double mass, moment;\n"
                              "};\n"
                              "MNP_INLINE moments both(moments a, moments b)\n"
                              "{\n"
                              "    return {a.mass + b.mass, a.moment + b.moment};\n"
                              "}\n";

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *p = NULL, *q = NULL, *error = NULL, *place = NULL;
    mnp_reduction *mse, *middle;
    const int64_t shape[] = {3, 4};

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "i0 + i1", MNP_FLOAT64, 2, shape, &p));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "i0 + i1 + sqrt(i0 / 4)", MNP_FLOAT64, 2, shape, &q));

    /* (x - y)**2 of every element, added up, divided by the number of elements */
    MNP_OR_EXIT(mnp_reduction_new(ctx, "T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / n", "0", NULL, &mse));
    MNP_OR_EXIT(mnp_reduction_call(mse, MNP_INPUTS(p, q), MNP_ALL_AXES, MNP_OUTPUTS(&error)));
    print("mean square error", error);
    mnp_array_free(error);
    error = NULL;
    MNP_OR_EXIT(mnp_reduction_call(mse, MNP_INPUTS(p, q), MNP_AXIS(1), MNP_OUTPUTS(&error)));
    print("of the rows", error);

    const mnp_reduction_options options = {.name = "middle", .type = "moments", .preamble = moments};
    MNP_OR_EXIT(mnp_reduction_new(ctx, "T mass, T place", "T z", "moments{mass, mass * place}", "both(a, b)",
                                  "z = a.moment / a.mass", "moments{0, 0}", &options, &middle));
    MNP_OR_EXIT(mnp_eval(ctx, "q = i1", MNP_IN("q", q), MNP_OUT("q", &q)));
    MNP_OR_EXIT(mnp_eval(ctx, "p = 4 - i1", MNP_IN("p", p), MNP_OUT("p", &p)));
    MNP_OR_EXIT(mnp_reduction_call(middle, MNP_INPUTS(p, q), MNP_ALL_AXES, MNP_OUTPUTS(&place)));
    print("middle of masses", place);

    mnp_reduction_free(mse);
    mnp_reduction_free(middle);
    mnp_free_all(p, q, error, place);
    mnp_finalize(ctx);
    return 0;
}
