/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of numbers of parts that touch across the borders of blocks, and how all ranks join them in the same way. */
#include "ndimage/parts/label.h"

#include <stdlib.h>
#include <string.h>

#include "base/call.h"
#include "base/integer.h"

mnp_status mnp__label_gather_pairs(mnp_ctx *ctx, const int64_t *own, int64_t count, int64_t **all_p, int64_t *total_p)
{
    const int ranks = ctx->comm.size;
    int64_t most = count, *counts = NULL, *padded = NULL, *all = NULL, total = 0;
    MNP_TRY(mnp__all_reduce(&ctx->comm, &most, 1, MPI_INT64_T, MPI_MAX));
    const size_t bytes = 2 * sizeof(int64_t) * ((size_t)most + 1);
    mnp_status st = mnp__malloc((size_t)ranks * sizeof *counts, &counts);
    if (st == MNP_OK)
        st = mnp__calloc(1, bytes, &padded);
    if (st == MNP_OK)
        st = mnp__malloc((size_t)ranks * bytes, &all);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK) {
        memcpy(padded, own, 2 * sizeof(int64_t) * (size_t)count);
        st = mnp__all_gather(&ctx->comm, &count, counts, sizeof count);
    }
    if (st == MNP_OK)
        st = mnp__all_gather(&ctx->comm, padded, all, bytes);
    for (int r = 0; st == MNP_OK && r < ranks; r++) {
        memmove(all + 2 * total, all + (int64_t)r * 2 * (most + 1), 2 * sizeof(int64_t) * (size_t)counts[r]);
        total += counts[r];
    }
    free(counts);
    free(padded);
    *all_p = all;
    *total_p = total;
    return st;
}

int64_t mnp__label_place(const int64_t *sorted, int64_t count, int64_t number)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t root_of(int64_t *parents, int64_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

mnp_status mnp__label_join_pairs(const int64_t *pairs, int64_t total, int64_t **names_p, int64_t *count_p)
{
    int64_t *names, *parents, count = 0;
    MNP_TRY(mnp__malloc((4 * (size_t)total + 1) * sizeof *names, &names));
    memcpy(names, pairs, 2 * (size_t)total * sizeof *names);
    qsort(names, 2 * (size_t)total, sizeof *names, mnp__compare_int64);
    for (int64_t i = 0; i < 2 * total; i++)
        if (i == 0 || names[i] != names[count - 1])
            names[count++] = names[i];
    parents = names + count;
    for (int64_t i = 0; i < count; i++)
        parents[i] = i;
    for (int64_t i = 0; i < total; i++) {
        const int64_t a = root_of(parents, mnp__label_place(names, count, pairs[2 * i]));
        const int64_t b = root_of(parents, mnp__label_place(names, count, pairs[2 * i + 1]));
        parents[mnp__max(a, b)] = mnp__min(a, b);
    }
    for (int64_t i = 0; i < count; i++)
        parents[i] = root_of(parents, i);
    for (int64_t i = 0; i < count; i++)
        parents[i] = names[parents[i]];
    *names_p = names;
    *count_p = count;
    return MNP_OK;
}
