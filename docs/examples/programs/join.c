/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A join of two tables, and a sum by groups: orders name customers by numbers, and customers live in countries.
 *
 *   mpirun -n 4 ./join
 *
 * prints
 *
 *   country 0: 274311
 *   country 1: 275723
 *   country 2: 273720
 *   country 3: 273797
 *   436 orders have no customer
 */
#include <maniple.h>

enum { CUSTOMERS = 5000, ORDERS = 200000, COUNTRIES = 4 };

int main(void)
{
    double revenue[COUNTRIES];
    int64_t unknown;
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_array *number = NULL, *country = NULL, *buyer = NULL, *price = NULL, *sums = NULL, *lost = NULL;

    /* Tables are columns.  Customers' numbers are in no order, and some orders name customers that do not exist. */
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_rng_new(ctx, 11, &rng));
    MNP_OR_EXIT(mnp_random_permutation(rng, MNP_SCALAR(ctx, CUSTOMERS), 0, &number));
    MNP_OR_EXIT(mnp_eval(ctx, "number = 3 * number; country = number // 3 % 4", MNP_IN("number", number),
                         MNP_OUT("number", &number, "country", &country)));
    MNP_OR_EXIT(mnp_random_integers(rng, 0, 5010, false, MNP_INT64, 1, (const int64_t[]){ORDERS}, &buyer));
    MNP_OR_EXIT(mnp_eval(ctx, "buyer *= 3", NULL, MNP_OUT("buyer", &buyer)));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "1.0 + i % 10", MNP_FLOAT64, 1, (const int64_t[]){ORDERS}, &price));

    /* Sort the customers once, look up every order's customer, and add up the prices of those that were found */
    MNP_OR_EXIT(mnp_eval(ctx,
                         "order = argsort(number); sorted = number[order]; n = 5000\n"
                         "place = minimum(searchsorted(sorted, buyer), n - 1); found = sorted[place] == buyer\n"
                         "revenue = bincount(country[order][place], where(found, price, 0), minlength=4)\n"
                         "unknown = sum(~found)",
                         MNP_IN("number", number, "country", country, "buyer", buyer, "price", price),
                         MNP_OUT("revenue", &sums, "unknown", &lost)));
    MNP_OR_EXIT(mnp_to_host(sums, 0, revenue));
    MNP_OR_EXIT(mnp_item(lost, &unknown));
    if (mnp_ctx_rank(ctx) == 0) {
        for (int k = 0; k < COUNTRIES; k++)
            printf("country %d: %.0f\n", k, revenue[k]);
        printf("%lld orders have no customer\n", (long long)unknown);
    }
    mnp_free_all(number, country, buyer, price, sums, lost);
    mnp_rng_free(rng);
    mnp_finalize(ctx);
    return 0;
}
