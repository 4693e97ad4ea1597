/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The price of a European call option by a million random paths, and by Black and Scholes' formula:
 *
 *   mpirun -n 4 ./option_price
 *
 * prints
 *
 *   by paths 7.13 +- 0.01, by the formula 7.13
 */
#include <maniple.h>

#include <math.h>

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

int main(void)
{
    const double spot = 100, strike = 105, rate = 0.03, volatility = 0.2, years = 1;
    double price, spread;
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_array *z = NULL, *mean = NULL, *std = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_rng_new(ctx, 2026, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, (const int64_t[]){1000000}, &z));
    /* One pass over z for both results; no array of payoffs is stored */
    MNP_OR_EXIT(mnp_eval(ctx,
                         "payoff = exp(-r * t) * maximum(s * exp((r - v**2 / 2) * t + v * sqrt(t) * z) - k, 0)\n"
                         "price = mean(payoff); spread = std(payoff)",
                         MNP_IN("z", z, "s", MNP_SCALAR(ctx, spot), "k", MNP_SCALAR(ctx, strike), "r",
                                MNP_SCALAR(ctx, rate), "v", MNP_SCALAR(ctx, volatility), "t", MNP_SCALAR(ctx, years)),
                         MNP_OUT("price", &mean, "spread", &std)));
    MNP_OR_EXIT(mnp_items(MNP_ITEM(mean, &price), MNP_ITEM(std, &spread)));

    const double width = volatility * sqrt(years);
    const double d = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / width;
    const double exact = spot * normal(d) - strike * exp(-rate * years) * normal(d - width);
    if (mnp_ctx_rank(ctx) == 0)
        printf("by paths %.2f +- %.2f, by the formula %.2f\n", price, spread / 1000, exact);
    mnp_free_all(z, mean, std);
    mnp_rng_free(rng);
    mnp_finalize(ctx);
    return 0;
}
