/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Richardson and Lucy's deconvolution of a blurred picture of two stars and a bar:  mpirun -n 4 ./deblur
 *
 * prints
 *
 *   the distance from the truth falls from 4.18 to 2.16
 *   100.0 % of the light is kept
 */
#include <maniple.h>

enum { ROWS = 120, COLUMNS = 150 };

int main(void)
{
    const int64_t shape[] = {ROWS, COLUMNS}, small[] = {11, 11};
    const mnp_conv_options same = {.mode = MNP_CONV_SAME}, back = {.mode = MNP_CONV_SAME, .correlate = true};
    double before, after, light, kept;
    mnp_ctx *ctx;
    mnp_conv_plan *blur, *unblur;
    mnp_array *truth = NULL, *psf = NULL, *seen = NULL, *x = NULL, *model = NULL, *factor = NULL;
    mnp_array *far = NULL, *near = NULL, *flux = NULL, *total = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_fromfunction(ctx,
                                 "500.0*(i0 == 40 and i1 == 50) + 300.0*(i0 == 44 and i1 == 50)"
                                 " + 4.0*(80 <= i0 < 84 and 30 <= i1 < 120) + 0.1",
                                 MNP_FLOAT64, 2, shape, &truth));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "exp(-((i0 - 5)**2 + (i1 - 5)**2) / 6)", MNP_FLOAT64, 2, small, &psf));
    MNP_OR_EXIT(mnp_eval(ctx, "psf /= sum(psf)", NULL, MNP_OUT("psf", &psf)));

    /* One plan blurs; the other one, with the mirrored kernel, brings back what every pixel has received */
    const mnp_layout *layout = mnp_array_layout(truth);
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT64, layout, psf, &same, &blur));
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT64, layout, psf, &back, &unblur));
    MNP_OR_EXIT(mnp_conv_execute(blur, truth, &seen));
    MNP_OR_EXIT(mnp_copy(seen, &x));
    for (int i = 0; i < 200; i++) {
        MNP_OR_EXIT(mnp_conv_execute(blur, x, &model));
        MNP_OR_EXIT(mnp_divide(seen, model, &model));
        MNP_OR_EXIT(mnp_conv_execute(unblur, model, &factor));
        MNP_OR_EXIT(mnp_multiply(x, factor, &x));
    }
    MNP_OR_EXIT(mnp_eval(ctx,
                         "far = sqrt(mean((seen - truth)**2)); near = sqrt(mean((x - truth)**2))\n"
                         "flux = sum(seen); total = sum(x)",
                         MNP_IN("seen", seen, "truth", truth, "x", x),
                         MNP_OUT("far", &far, "near", &near, "flux", &flux, "total", &total)));
    MNP_OR_EXIT(
        mnp_items(MNP_ITEM(far, &before), MNP_ITEM(near, &after), MNP_ITEM(flux, &light), MNP_ITEM(total, &kept)));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("the distance from the truth falls from %.2f to %.2f\n", before, after);
        printf("%.1f %% of the light is kept\n", 100 * kept / light);
    }
    mnp_conv_plan_free(blur);
    mnp_conv_plan_free(unblur);
    mnp_free_all(truth, psf, seen, x, model, factor, far, near, flux, total);
    mnp_finalize(ctx);
    return 0;
}
