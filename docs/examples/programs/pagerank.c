/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PageRank of a web of 20000 pages, whose links are entries of a sparse matrix:  mpirun -n 4 ./pagerank
 *
 * prints
 *
 *   the ranks settle after 28 steps
 *   page 0 has rank 0.02916
 *   page 1 has rank 0.00850
 *   page 2 has rank 0.00511
 */
#include <maniple.h>

enum { PAGES = 20000, LINKS = 100000 };

int main(void)
{
    int64_t pages[3];
    double ranks[3], change = 1;
    int steps = 0;
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_sparse *links;
    mnp_array *u = NULL, *from = NULL, *to = NULL, *count = NULL, *weight = NULL, *r = NULL, *arrived = NULL;
    mnp_array *difference = NULL, *top = NULL, *which = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_rng_new(ctx, 7, &rng));

    /* Links go from any page, most of them to the first ones; the last thousand pages have none */
    MNP_OR_EXIT(mnp_random_integers(rng, 0, PAGES - 1000, false, MNP_INT64, 1, (const int64_t[]){LINKS}, &from));
    MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT64, 1, (const int64_t[]){LINKS}, &u));
    MNP_OR_EXIT(mnp_eval(ctx,
                         "to = int64(pages * u**3); count = bincount(start, minlength=20000); w = 1 / count[start]",
                         MNP_IN("u", u, "start", from, "pages", MNP_SCALAR(ctx, PAGES)),
                         MNP_OUT("to", &to, "count", &count, "w", &weight)));
    MNP_OR_EXIT(mnp_sparse_from_coo(to, from, weight, PAGES, PAGES, &links));

    MNP_OR_EXIT(mnp_fromfunction(ctx, "1 / n0", MNP_FLOAT64, 1, (const int64_t[]){PAGES}, &r));
    for (; change > 1e-10; steps++) {
        MNP_OR_EXIT(mnp_sparse_matmul(links, r, &arrived));
        MNP_OR_EXIT(mnp_eval(ctx,
                             "arrived = 0.85 * arrived + (0.85 * sum(where(count == 0, r, 0)) + 0.15) / 20000\n"
                             "change = sum(abs(arrived - r))",
                             MNP_IN("r", r, "count", count), MNP_OUT("arrived", &arrived, "change", &difference)));
        MNP_OR_EXIT(mnp_item(difference, &change));
        mnp_array *old = r;
        r = arrived;
        arrived = old;
    }
    MNP_OR_EXIT(mnp_topk(r, 3, 0, true, &top, &which));
    MNP_OR_EXIT(mnp_to_host(top, 0, ranks));
    MNP_OR_EXIT(mnp_to_host(which, 0, pages));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("the ranks settle after %d steps\n", steps);
        for (int k = 0; k < 3; k++)
            printf("page %lld has rank %.5f\n", (long long)pages[k], ranks[k]);
    }
    mnp_sparse_free(links);
    mnp_free_all(u, from, to, count, weight, r, arrived, difference, top, which);
    mnp_rng_free(rng);
    mnp_finalize(ctx);
    return 0;
}
