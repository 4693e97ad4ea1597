/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program can do about errors:  mpirun -n 4 ./errors
 *
 * prints
 *
 *   MNP_ERR_ARG: mnp_add: cannot broadcast shapes (5,) and (6,) to one another
 *   the output is as it was: 1 1 1 1 1
 *   what the last rank found, all know: cannot read 'settings.txt'
 *   work goes on: 2 2 2 2 2
 */
#include <maniple.h>
#include <string.h>

static void print(const char *what, const mnp_array *x)
{
    double v[5];
    MNP_OR_EXIT(mnp_to_host(x, 0, v));
    if (mnp_ctx_rank(mnp_array_ctx(x)) == 0)
        printf("%s: %g %g %g %g %g\n", what, v[0], v[1], v[2], v[3], v[4]);
}

/* A step of the program's own, which fails on one rank alone. */
static mnp_status read_settings(mnp_ctx *ctx)
{
    mnp_status status = MNP_OK;
    if (mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1)
        status = mnp_fail(MNP_ERR_IO, "cannot read '%s'", "settings.txt");
    return mnp_agree(ctx, status); /* now it is an error on all ranks */
}

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *five = NULL, *six = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, (const int64_t[]){5}, &five));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, (const int64_t[]){6}, &six));

    mnp_status status = mnp_add(five, six, &five);
    if (mnp_ctx_rank(ctx) == 0)
        printf("%s: %s\n", mnp_status_name(status), mnp_error_message());
    print("the output is as it was", five);

    /* the last rank gets MNP_ERR_IO, the others MNP_ERR_PEER and the words of the last one */
    status = read_settings(ctx);
    const char *reason = strstr(mnp_error_message(), "cannot");
    if (status != MNP_OK && reason && mnp_ctx_rank(ctx) == 0)
        printf("what the last rank found, all know: %s\n", reason);

    MNP_OR_EXIT(mnp_add(five, MNP_SCALAR(ctx, 1), &five));
    print("work goes on", five);
    mnp_free_all(five, six);
    mnp_finalize(ctx);
    return 0;
}
