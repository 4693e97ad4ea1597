/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rates that a machine reaches, which the other benchmarks are compared with: of a copy in the memory of a device,
 * and of the links between the ranks.  They come first, so that floors follow from them.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/moving/comm.h"

#include <inttypes.h>
#include <stdio.h>

struct copy {
    mnp_array *from, *to;
};

static mnp_status run_copy(void *argument)
{
    struct copy *copy = argument;
    return mnp_copy(copy->from, &copy->to);
}

/* Bytes a second that a copy reads and writes, of all ranks. */
static double measure_copy(mnp_ctx *ctx)
{
    enum { COPIES = 9 };
    const int64_t elements = (is_on_host(ctx) ? (int64_t)1 << 26 : (int64_t)1 << 28) * mnp_ctx_size(ctx);
    const double bytes = 2 * (double)elements * sizeof(float);
    struct copy copy = {.from = NULL};
    double seconds[COPIES];
    OR_EXIT(mnp_zeros(ctx, MNP_FLOAT32, 1, &elements, &copy.from));
    measure(ctx, run_copy, &copy, COPIES, seconds);
    mnp_free_all(copy.from, copy.to);
    record(ctx, record_of("ceilings", "copy", elements, "float32", seconds, COPIES, bytes));
    return bytes / seconds[COPIES / 2];
}

double ceilings_measure(mnp_ctx *ctx)
{
    const double rate = measure_copy(ctx);
    const int ranks = mnp_ctx_size(ctx);
    double link = 0;
    OR_EXIT(comm_link_rate(ctx, &link));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("copy      %.4g GB/s a rank, read and written\n", 1e-9 * rate / ranks);
        if (link > 0)
            printf("link      %.4g GB/s a rank, all-to-all\n", 1e-9 * link);
    }
    return rate;
}

/* The command measures them before all benchmarks, so that it has no cases of its own. */
const benchmark ceilings_benchmark = {.name = "ceilings", .help = "the rates of a copy and of the links, alone"};
