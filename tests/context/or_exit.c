/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fails in MNP_OR_EXIT, or in MNP_TRY in a function that it calls: or_exit here|passed|alone.  tests/context/or_exit.t
 * looks for the lines of the marks.
 */
#include <maniple.h>

#include <stdio.h>
#include <string.h>

/* Passes on what the second call says, and does not come to the third. */
static mnp_status steps(const mnp_array *x, mnp_array **y_p)
{
    MNP_TRY(mnp_multiply(x, x, y_p));
    MNP_TRY(mnp_sum(x, MNP_AXIS(5), y_p));
    puts("went on after a failure");
    return MNP_OK;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int64_t shape[] = {3};
    mnp_ctx *ctx = NULL;
    mnp_array *x = NULL, *y = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT64, 1, shape, &x));
    if (strcmp(how, "here") == 0)
        MNP_OR_EXIT(mnp_sum(x, MNP_AXIS(5), &y)); /* here */
    if (strcmp(how, "passed") == 0)
        MNP_OR_EXIT(steps(x, &y)); /* passed */
    if (strcmp(how, "alone") == 0 && mnp_ctx_rank(ctx) == mnp_ctx_size(ctx) - 1)
        MNP_OR_EXIT(mnp_fail(MNP_ERR_IO, "cannot read '%s'", "settings.txt")); /* alone */
    if (strcmp(how, "alone") == 0)
        MNP_OR_EXIT(mnp_sum(x, MNP_ALL_AXES, &y));
    puts("came to the end");
    mnp_finalize(ctx);
    return 0;
}
