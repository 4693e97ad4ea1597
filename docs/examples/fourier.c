/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms: a blur by the spectrum of an image, and a wave that is solved by its frequencies:
 * mpirun -n 4 ./fourier
 *
 * prints
 *
 *   the mean stays 0.504, the spread falls from 0.290 to 0.040
 *   after 100 steps the wave has 1.000 of its energy
 *   no transform moves the array more than once
 */
#include <maniple.h>

static double number(const mnp_array *x)
{
    double value;
    MNP_OR_EXIT(mnp_array_to_host(x, MNP_ALL_RANKS, &value));
    return value;
}

/* Plain calls: real numbers to half of their spectrum, and back. */
static void blur(mnp_ctx *ctx)
{
    const int64_t shape[] = {96, 128};
    mnp_array *image = NULL, *spectrum = NULL, *rows = NULL, *columns = NULL, *blurred = NULL;
    mnp_array *mean = NULL, *before = NULL, *after = NULL;
    mnp_rng *rng;
    MNP_OR_EXIT(mnp_rng_new(ctx, 7, &rng));
    MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT64, 2, shape, &image));
    mnp_rng_free(rng);

    MNP_OR_EXIT(mnp_rfft2(image, NULL, NULL, NULL, &spectrum));
    MNP_OR_EXIT(mnp_fftfreq(ctx, 96, 1, &rows));
    MNP_OR_EXIT(mnp_rfftfreq(ctx, 128, 1, &columns));
    MNP_OR_EXIT(mnp_eval(ctx, "f *= exp(-78.96 * (rows[:, None]**2 + columns**2))",
                         MNP_IN("rows", rows, "columns", columns), MNP_OUT("f", &spectrum)));
    MNP_OR_EXIT(mnp_irfft2(spectrum, NULL, NULL, NULL, &blurred));

    MNP_OR_EXIT(mnp_eval(ctx, "m = mean(y); before = std(x); after = std(y)", MNP_IN("x", image, "y", blurred),
                         MNP_OUT("m", &mean, "before", &before, "after", &after)));
    const double m = number(mean), b = number(before), a = number(after);
    if (mnp_ctx_rank(ctx) == 0)
        printf("the mean stays %.3f, the spread falls from %.3f to %.3f\n", m, b, a);
    mnp_free_all(image, spectrum, rows, columns, blurred, mean, before, after);
}

/* Plans: a free particle, i u_t = -u_xx - u_yy, in steps of its frequencies; results stay where the last axis ends. */
static void wave(mnp_ctx *ctx)
{
    const int64_t shape[] = {64, 64};
    mnp_array *u = NULL, *spectrum = NULL, *phase = NULL, *energy = NULL;
    mnp_layout *layout;
    mnp_fft_plan *forward, *backward;
    mnp_fft_plan_info there, back;
    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, shape, "0, *", &layout)); /* by rows, of which a rank transforms its own */
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_COMPLEX128, layout, &u));
    MNP_OR_EXIT(mnp_eval(ctx, "u[:] = exp(-((i0 - 32)**2 + (i1 - 32)**2) / 32 + 0.8j*i1)", NULL, MNP_OUT("u", &u)));
    MNP_OR_EXIT(mnp_eval(ctx, "u /= sqrt(sum(abs(u)**2))", NULL, MNP_OUT("u", &u)));

    MNP_OR_EXIT(mnp_fft_plan_new(ctx, MNP_COMPLEX128, layout, &(mnp_fft_options){.flags = MNP_FFT_PERMUTED}, &forward));
    MNP_OR_EXIT(mnp_fft_plan_new(ctx, MNP_COMPLEX128, mnp_fft_plan_layout(forward),
                                 &(mnp_fft_options){.inverse = true, .layout = layout}, &backward));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_COMPLEX128, mnp_fft_plan_layout(forward), &phase));
    MNP_OR_EXIT(mnp_eval(ctx, "p[:] = exp(-0.001j * ((i0 - 64*(i0 > 31))**2 + (i1 - 64*(i1 > 31))**2))", NULL,
                         MNP_OUT("p", &phase)));
    for (int step = 0; step < 100; step++) {
        MNP_OR_EXIT(mnp_fft_plan_execute(forward, u, &spectrum));
        MNP_OR_EXIT(mnp_multiply(spectrum, phase, &spectrum));
        MNP_OR_EXIT(mnp_fft_plan_execute(backward, spectrum, &u));
    }

    MNP_OR_EXIT(mnp_eval(ctx, "e = sum(abs(u)**2)", MNP_IN("u", u), MNP_OUT("e", &energy)));
    const double e = number(energy);
    mnp_fft_plan_describe(forward, &there);
    mnp_fft_plan_describe(backward, &back);
    if (mnp_ctx_rank(ctx) == 0) {
        printf("after 100 steps the wave has %.3f of its energy\n", e);
        printf("%s transform moves the array more than once\n", there.moves > 1 || back.moves > 1 ? "a" : "no");
    }
    mnp_free_all(u, spectrum, phase, energy);
    mnp_fft_plan_free(forward);
    mnp_fft_plan_free(backward);
    mnp_layout_free(layout);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    blur(ctx);
    wave(ctx);
    mnp_finalize(ctx);
    return 0;
}
