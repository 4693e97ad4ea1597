/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions in NumPy's language, on GPUs and on CPUs:  mpirun -n 4 ./expressions
 *
 * prints
 *
 *   z = 3*sin(-x)*y     0.000  -2.524   5.456  -0.423
 *   r, in place         1.000   1.414   2.236   3.162
 *   quotients           0.000   0.000   1.000   1.000
 *   standardised       -1.342  -0.447   0.447   1.342
 *   mistake: mnp_eval: column 11: there is no function 'sim'; did you mean 'sin'?
 */
#include <maniple.h>
#include <string.h>

static void print(const char *what, const mnp_array *array)
{
    double values[4];
    MNP_OR_EXIT(mnp_to_host(array, 0, values));
    if (mnp_ctx_rank(mnp_array_ctx(array)) == 0)
        printf("%-16s %8.3f %7.3f %7.3f %7.3f\n", what, values[0], values[1], values[2], values[3]);
}

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *x = NULL, *y = NULL, *z = NULL, *q = NULL, *far = NULL;
    const int64_t shape[] = {4};

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));

    /* Arrays from their indices; an output that is NULL is made */
    MNP_OR_EXIT(mnp_fromfunction(ctx, "i0", MNP_FLOAT64, 1, shape, &x));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "1 if i0 % 2 else -2", MNP_FLOAT64, 1, shape, &y));
    MNP_OR_EXIT(mnp_eval(ctx, "z = 3*sin(-x)*y", MNP_IN("x", x, "y", y), MNP_OUT("z", &z)));
    print("z = 3*sin(-x)*y", z);

    /* Several statements and outputs, temporaries, a number from the program; y is replaced by the value of r */
    MNP_OR_EXIT(mnp_eval(ctx, "r = sqrt(x*x + one); q, rest = divmod(x, 2); far = r > 2 or not r == r",
                         MNP_IN("x", x, "one", MNP_SCALAR(ctx, 1)), MNP_OUT("r", &y, "q", &q, "far", &far)));
    print("r, in place", y);
    print("quotients", q);

    /* Sums, means and other reductions take one pass, without an array of what they reduce */
    MNP_OR_EXIT(mnp_eval(ctx, "z = (x - mean(x)) / std(x)", MNP_IN("x", x), MNP_OUT("z", &z)));
    print("standardised", z);

    /* What is wrong is said with its place; nothing has changed, and work goes on */
    if (mnp_eval(ctx, "z = 2.5 * sim(x)", MNP_IN("x", x), MNP_OUT("z", &z)) == MNP_ERR_ARG && mnp_ctx_rank(ctx) == 0)
        printf("mistake: %.*s\n", (int)strcspn(mnp_error_message(), "\n"), mnp_error_message());

    mnp_free_all(x, y, z, q, far);
    mnp_finalize(ctx);
    return 0;
}
