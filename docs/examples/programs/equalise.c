/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram equalisation: a dark picture gets all shades of grey equally often:  mpirun -n 4 ./equalise
 *
 * prints
 *
 *   before: the brightest shade is 59, the standard deviation 16.4
 *   after:  the brightest shade is 255, the standard deviation 62.5
 */
#include <maniple.h>

int main(void)
{
    const int64_t shape[] = {480, 640};
    int dark, bright;
    double before, after;
    mnp_ctx *ctx;
    mnp_array *picture = NULL, *result = NULL, *m = NULL, *s = NULL, *n = NULL, *t = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(
        mnp_fromfunction(ctx, "uint8(60 * abs(sin(i0 / 50) * cos(i1 / 70))**2)", MNP_UINT8, 2, shape, &picture));
    /* A shade becomes the part of the picture that is at most as bright: white is 255 */
    MNP_OR_EXIT(mnp_eval(ctx,
                         "darker = cumsum(bincount(x, minlength=256))\n"
                         "y = uint8(255 * (darker / darker[-1])[x] + 0.5)",
                         MNP_IN("x", picture), MNP_OUT("y", &result)));
    MNP_OR_EXIT(mnp_eval(ctx, "m = max(x); n = max(y); s = std(x); t = std(y)", MNP_IN("x", picture, "y", result),
                         MNP_OUT("m", &m, "n", &n, "s", &s, "t", &t)));
    MNP_OR_EXIT(mnp_items(MNP_ITEM(m, &dark), MNP_ITEM(n, &bright), MNP_ITEM(s, &before), MNP_ITEM(t, &after)));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("before: the brightest shade is %d, the standard deviation %.1f\n", dark, before);
        printf("after:  the brightest shade is %d, the standard deviation %.1f\n", bright, after);
    }
    mnp_free_all(picture, result, m, n, s, t);
    mnp_finalize(ctx);
    return 0;
}
