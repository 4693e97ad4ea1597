/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Examining a part, converting it on the device, and timing the candidates.
 *
 * Cost: kernels read the part twice, to find its longest rows and its diagonals; a conversion reads it and writes the
 * new format; and each candidate runs a dozen times.  On a GPU this takes as long as some dozens of products.
 */
#include "sparse/product/spmv_autotune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"

enum {
    WORTH_MEASURING = 1 << 20, /* entries of a rank, on average: less takes a few microseconds by any kernel */
    WARM_UP = 2,
    REPEATS = 10
};

static const char *const names[] = {[MNP__SPMV_AS_STORED] = "as stored",
                                    [MNP__SPMV_STREAM] = "stream",
                                    [MNP__SPMV_ROWS] = "rows",
                                    [MNP__SPMV_SELL] = "sell",
                                    [MNP__SPMV_DIA] = "dia"};

/* What a rank finds out about its own part. */
struct findings {
    int64_t *slices, longest; /* offsets of SELL's slices, on the CPU; the longest row */
    int64_t nslices, ndiagonals;
    int32_t diagonals[MNP_SPMV_DIAGONALS]; /* rising */
    bool banded;                           /* that is all of them, and no entry is 0 */
};

/* What all ranks know: entries in CSR, and what other formats would store for them. */
struct facts {
    int64_t count, sell, dia;  /* sums */
    int64_t longest, unbanded; /* the most */
};

/* ---- kernels that examine ---- */

/* Collective. */
static mnp_status load_task(const mnp_sparse *matrix, const mnp__part *part, const char *task, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_VALUE %s\n#define MNP_OFFSET %s\n#define MNP_TASK_%s 1\n",
                  mnp__jit_type(matrix->dtype), part->offset_size == 4 ? "int32_t" : "int64_t", task);
    const mnp__kernel_spec spec = {.file = "sparse/product/spmv.cu", .function = "spmv_examine"};
    return mnp__ctx_kernel_of_text(matrix->ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status run_task(mnp_ctx *ctx, const mnp__part *part, mnp__kernel *kernel, int64_t threads,
                           mnp_spmv_examine_params params)
{
    params.offsets = part->offsets;
    params.indices = part->indices;
    params.values = part->values;
    params.lines = part->lines;
    return mnp__ctx_launch(ctx, kernel, threads, &params, sizeof params);
}

/* Let the kernel find `count` things, in `size` bytes of device memory that begin as -1, and fetch these. */
static mnp_status fetch_found(mnp_ctx *ctx, const mnp__part *part, mnp__kernel *kernel, int64_t threads, int64_t count,
                              size_t size, void *found)
{
    const mnp__device_ops *ops = ctx->device->ops;
    void *memory = NULL;
    mnp_status st;
    MNP_TRY(ops->alloc(ctx->device, size, &memory));
    MNP_TRY_OR(ops->fill(ctx->device, memory, 0xff, size, ctx->compute), st, done);
    MNP_TRY_OR(run_task(ctx, part, kernel, threads, (mnp_spmv_examine_params){.found = memory, .many = count}), st,
               done);
    MNP_TRY_OR(ops->copy(ctx->device, found, memory, size, ctx->compute), st, done);
    st = mnp__ctx_wait(ctx, ctx->compute);
done:
    ops->free(ctx->device, memory);
    return st;
}

mnp_status mnp__spmv_find_chunks(const mnp_sparse *matrix, const mnp__part *part, mnp_spmv_start **starts_p,
                                 int64_t *count_p)
{
    mnp_ctx *ctx = matrix->ctx;
    const int64_t count = mnp__divide_up(part->lines + part->count, MNP_SPMV_CHUNK);
    mnp__kernel *kernel;
    void *starts = NULL;
    MNP_TRY(load_task(matrix, part, "STARTS", &kernel));
    mnp_status st = ctx->device->ops->alloc(ctx->device, (size_t)(count + 1) * sizeof **starts_p, &starts);
    if (st == MNP_OK)
        st = run_task(ctx, part, kernel, count + 1, (mnp_spmv_examine_params){.found = starts, .many = count + 1});
    st = MNP_AGREE(ctx, st);
    if (st != MNP_OK) {
        ctx->device->ops->free(ctx->device, starts);
        return st;
    }
    *starts_p = starts;
    *count_p = count;
    return MNP_OK;
}

/* ---- what a rank finds ---- */

static mnp_status find_slices(const mnp_sparse *matrix, mnp__kernel *kernel, struct findings *f)
{
    int *longest;
    f->nslices = mnp__divide_up(matrix->rows, MNP__SELL_SLICE);
    MNP_TRY(mnp__malloc((size_t)(f->nslices + 1) * sizeof *f->slices, &f->slices));
    MNP_TRY(mnp__malloc((size_t)f->nslices * sizeof *longest, &longest));
    const mnp_status st = fetch_found(matrix->ctx, &matrix->own, kernel, f->nslices, f->nslices,
                                      (size_t)f->nslices * sizeof *longest, longest);
    f->slices[0] = 0;
    for (int64_t s = 0; s < f->nslices && st == MNP_OK; s++) {
        f->slices[s + 1] = f->slices[s] + longest[s] * (int64_t)MNP__SELL_SLICE;
        f->longest = mnp__max(longest[s], f->longest);
    }
    free(longest);
    return st;
}

static mnp_status find_diagonals(const mnp_sparse *matrix, mnp__kernel *kernel, struct findings *f)
{
    long long table[MNP_SPMV_DIAGONALS + 1]; /* as spmv.cu has it */
    MNP_TRY(fetch_found(matrix->ctx, &matrix->own, kernel, matrix->own.lines, MNP_SPMV_DIAGONALS, sizeof table, table));
    f->banded = table[MNP_SPMV_DIAGONALS] != 1;
    for (int i = 0; i < MNP_SPMV_DIAGONALS; i++)
        if (table[i] != -1)
            f->diagonals[f->ndiagonals++] = (int32_t)(table[i] - (1ll << 32));
    qsort(f->diagonals, (size_t)f->ndiagonals, sizeof *f->diagonals, mnp__compare_int32);
    return MNP_OK;
}

/* Collective, and agreed upon. */
static mnp_status examine(const mnp_sparse *matrix, struct findings *f, struct facts *facts)
{
    const mnp__comm *comm = &matrix->ctx->comm;
    mnp__kernel *slices, *diagonals;
    MNP_TRY(load_task(matrix, &matrix->own, "SLICES", &slices));
    MNP_TRY(load_task(matrix, &matrix->own, "DIAGONALS", &diagonals));
    mnp_status st = find_slices(matrix, slices, f);
    if (st == MNP_OK)
        st = find_diagonals(matrix, diagonals, f);
    MNP_TRY(MNP_AGREE(matrix->ctx, st));
    int64_t sums[] = {matrix->own.count, f->slices[f->nslices], f->ndiagonals * matrix->rows};
    int64_t most[] = {f->longest, !f->banded};
    MNP_TRY(mnp__all_reduce(comm, sums, 3, MPI_INT64_T, MPI_SUM));
    MNP_TRY(mnp__all_reduce(comm, most, 2, MPI_INT64_T, MPI_MAX));
    *facts = (struct facts){.count = sums[0], .sell = sums[1], .dia = sums[2], .longest = most[0], .unbanded = most[1]};
    return MNP_OK;
}

/* ---- other formats ---- */

/* A conversion must leave as much memory free as it takes. */
static mnp_status check_room(mnp_ctx *ctx, size_t size)
{
    mnp_rank_info info = {.rank = ctx->comm.rank};
    mnp_memory_pool_info pool;
    MNP_TRY(ctx->device->ops->info(ctx->device, &info));
    MNP_TRY(ctx->device->ops->memory_info(ctx->device, MNP_MEMORY_SCRATCH, &pool));
    const int64_t room = info.memory_free + pool.reserved - pool.used; /* the pool keeps what it once had */
    if ((int64_t)size > room / 2)
        return MNP_FAIL(MNP_ERR_MEMORY, "%zu bytes for another format, where %" PRId64 " are free", size, room);
    return MNP_OK;
}

static mnp_status make_arrays(mnp_ctx *ctx, size_t value_size, mnp__part *part)
{
    const size_t sizes[] = {(size_t)mnp__part_offsets(part) * (size_t)part->offset_size,
                            (size_t)mnp__part_rows_of(part) * sizeof *part->rows_of,
                            (size_t)mnp__part_indices(part) * sizeof *part->indices, (size_t)part->count * value_size};
    void *memory[] = {NULL, NULL, NULL, NULL};
    mnp_status st = check_room(ctx, sizes[0] + sizes[1] + sizes[2] + sizes[3]);
    for (int i = 0; i < 4 && st == MNP_OK; i++)
        st = ctx->device->ops->alloc(ctx->device, sizes[i], &memory[i]);
    part->offsets = memory[0];
    part->rows_of = memory[1];
    part->indices = memory[2];
    part->values = memory[3];
    return st;
}

/* The own part in that format; what was made stays in *part, also after a failure.  Waits. */
static mnp_status convert(const mnp_sparse *matrix, const struct findings *f, bool sell, mnp__kernel *kernel,
                          mnp__part *part)
{
    mnp_ctx *ctx = matrix->ctx;
    const mnp__device_ops *ops = ctx->device->ops;
    const size_t slices_size = (size_t)(f->nslices + 1) * sizeof *f->slices;
    const size_t diagonals_size = (size_t)f->ndiagonals * sizeof *f->diagonals;
    *part = (mnp__part){.format = sell ? MNP_SELL : MNP_DIA,
                        .rows = matrix->rows,
                        .columns = matrix->columns,
                        .lines = sell ? f->nslices : f->ndiagonals,
                        .count = sell ? f->slices[f->nslices] : f->ndiagonals * matrix->rows,
                        .offset_size = sizeof(int64_t)};
    MNP_TRY(make_arrays(ctx, mnp_dtype_size(matrix->dtype), part));
    if (sell)
        MNP_TRY(ops->copy(ctx->device, part->offsets, f->slices, slices_size, ctx->compute));
    else
        MNP_TRY(ops->copy(ctx->device, part->indices, f->diagonals, diagonals_size, ctx->compute));
    MNP_TRY(run_task(ctx, &matrix->own, kernel, matrix->rows,
                     (mnp_spmv_examine_params){.many = f->ndiagonals,
                                               .made_offsets = part->offsets,
                                               .made_rows_of = part->rows_of,
                                               .made_indices = part->indices,
                                               .made_values = part->values}));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* The same on all ranks, or on none: *made_p false where memory is short somewhere.  Collective, and agreed upon. */
static mnp_status convert_all(const mnp_sparse *matrix, const struct findings *f, bool sell, mnp__part *part,
                              bool *made_p)
{
    mnp_ctx *ctx = matrix->ctx;
    mnp__kernel *kernel;
    MNP_TRY(load_task(matrix, &matrix->own, sell ? "SELL" : "DIA", &kernel));
    mnp_status st = convert(matrix, f, sell, kernel, part);
    int64_t without = st == MNP_ERR_MEMORY;
    st = MNP_AGREE(ctx, without ? MNP_OK : st);
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &without, 1, MPI_INT64_T, MPI_MAX);
    *made_p = st == MNP_OK && !without;
    if (!*made_p)
        mnp__part_release(ctx, part);
    return st;
}

/* ---- measuring ---- */

static mnp_status time_runs(mnp_ctx *ctx, mnp__spmv_runner run, void *argument, mnp__spmv_algorithm algorithm,
                            mnp__device_event *begin, mnp__device_event *end, double *seconds_p)
{
    const mnp__device_ops *ops = ctx->device->ops;
    for (int i = -WARM_UP; i < REPEATS; i++) {
        if (i == 0)
            MNP_TRY(ops->event_record(ctx->device, begin, ctx->compute));
        MNP_TRY(run(argument, algorithm));
    }
    MNP_TRY(ops->event_record(ctx->device, end, ctx->compute));
    MNP_TRY(mnp__comm_wait_event(&ctx->comm, end));
    return ops->event_seconds(ctx->device, begin, end, seconds_p);
}

/* Seconds of a product, on the slowest rank.  Collective, and agreed upon. */
static mnp_status measure(mnp_ctx *ctx, mnp__spmv_runner run, void *argument, mnp__spmv_algorithm algorithm,
                          double *seconds_p)
{
    const mnp__device_ops *ops = ctx->device->ops;
    mnp__device_event *begin = NULL, *end = NULL;
    double seconds = 0;
    mnp_status st = ops->event_new(ctx->device, &begin);
    if (st == MNP_OK)
        st = ops->event_new(ctx->device, &end);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, time_runs(ctx, run, argument, algorithm, begin, end, &seconds));
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &seconds, 1, MPI_DOUBLE, MPI_MAX);
    if (st == MNP_OK)
        *seconds_p = seconds / REPEATS;
    if (begin)
        ops->event_free(ctx->device, begin);
    if (end)
        ops->event_free(ctx->device, end);
    return st;
}

/* ---- choosing ---- */

/* The algorithm that the setting asks for, or MNP__SPMV_ALGORITHMS: measure. */
static mnp__spmv_algorithm find_wanted(const mnp_sparse *matrix)
{
    const mnp_ctx *ctx = matrix->ctx;
    const bool has_blocks = ctx->device->block_memory > 0;
    mnp__spmv_algorithm algorithm = MNP__SPMV_STREAM;
    while (algorithm < MNP__SPMV_ALGORITHMS && strcmp(ctx->config.spmv, names[algorithm]) != 0)
        algorithm++;
    if (matrix->format != MNP_CSR || (!has_blocks && algorithm != MNP__SPMV_SELL && algorithm != MNP__SPMV_DIA))
        return MNP__SPMV_AS_STORED;
    if (algorithm == MNP__SPMV_ALGORITHMS && matrix->nnz / ctx->comm.size < WORTH_MEASURING)
        return MNP__SPMV_STREAM;
    return algorithm;
}

/*
 * Formats with much filling are no candidates, nor is an algorithm that would add long rows in another order.
 */
static bool is_candidate(const struct facts *facts, mnp__spmv_algorithm wanted, mnp__spmv_algorithm algorithm)
{
    if (wanted != MNP__SPMV_ALGORITHMS && wanted != algorithm)
        return false;
    if (algorithm == MNP__SPMV_STREAM)
        return true;
    if (facts->longest > MNP_SPMV_SHORT)
        return false;
    if (algorithm == MNP__SPMV_SELL)
        return 10 * facts->sell <= 13 * facts->count;
    return algorithm == MNP__SPMV_ROWS || (!facts->unbanded && 2 * facts->dia <= 3 * facts->count);
}

/* Take this algorithm from now on if it is clearly faster than the best so far.  Collective, and agreed upon. */
static mnp_status try_algorithm(const mnp_sparse *matrix, const struct findings *f, mnp__spmv_algorithm algorithm,
                                bool measures, mnp__spmv_runner run, void *argument, mnp__spmv_autotune *tuning)
{
    const double best = tuning->seconds[tuning->algorithm], clearly = 0.97;
    const bool converts = algorithm == MNP__SPMV_SELL || algorithm == MNP__SPMV_DIA;
    mnp__part part = {.rows = 0}, before = tuning->converted;
    bool made = true;
    mnp_status st = MNP_OK;
    if (converts)
        MNP_TRY(convert_all(matrix, f, algorithm == MNP__SPMV_SELL, &part, &made));
    if (!made)
        return MNP_OK;
    if (converts)
        tuning->converted = part;
    if (measures)
        st = measure(matrix->ctx, run, argument, algorithm, &tuning->seconds[algorithm]);
    const bool better = st == MNP_OK && (best == 0 || tuning->seconds[algorithm] < clearly * best);
    if (better)
        tuning->algorithm = algorithm;
    if (converts) {
        mnp__part_release(matrix->ctx, better ? &before : &part);
        tuning->converted = better ? part : before;
    }
    return st;
}

static mnp_status choose(const mnp_sparse *matrix, mnp__spmv_algorithm wanted, mnp__spmv_runner run, void *argument,
                         mnp__spmv_autotune *tuning)
{
    struct findings findings = {.longest = 0};
    struct facts facts;
    mnp_status st = examine(matrix, &findings, &facts);
    for (mnp__spmv_algorithm algorithm = MNP__SPMV_STREAM; algorithm < MNP__SPMV_ALGORITHMS && st == MNP_OK;
         algorithm++)
        if (is_candidate(&facts, wanted, algorithm))
            st = try_algorithm(matrix, &findings, algorithm, wanted == MNP__SPMV_ALGORITHMS, run, argument, tuning);
    free(findings.slices);
    return st;
}

mnp_status mnp__spmv_autotune_run(const mnp_sparse *matrix, mnp__spmv_runner run, void *argument,
                                  mnp__spmv_autotune *tuning)
{
    mnp_ctx *ctx = matrix->ctx;
    if (tuning->ctx)
        return MNP_OK;
    const double begin = MPI_Wtime();
    int wanted = (int)find_wanted(matrix);
    MNP_TRY(mnp__all_reduce(&ctx->comm, &wanted, 1, MPI_INT, MPI_MAX)); /* settings may differ */
    mnp_status st = MNP_OK;
    tuning->ctx = ctx;
    tuning->algorithm =
        ctx->device->block_memory > 0 && wanted != MNP__SPMV_AS_STORED ? MNP__SPMV_STREAM : MNP__SPMV_AS_STORED;
    if (wanted > MNP__SPMV_STREAM)
        st = choose(matrix, (mnp__spmv_algorithm)wanted, run, argument, tuning);
    tuning->spent = MPI_Wtime() - begin;
    if (st != MNP_OK)
        mnp__spmv_autotune_free(tuning);
    return st;
}

void mnp__spmv_autotune_free(mnp__spmv_autotune *tuning)
{
    if (tuning->ctx)
        mnp__part_release(tuning->ctx, &tuning->converted);
    *tuning = (mnp__spmv_autotune){.ctx = NULL};
}

void mnp__spmv_autotune_describe(const mnp__spmv_autotune *tuning, FILE *file)
{
    const char *before = " (";
    fprintf(file, "%s", tuning->ctx ? names[tuning->algorithm] : "not chosen yet");
    for (int algorithm = 0; algorithm < MNP__SPMV_ALGORITHMS; algorithm++) {
        if (tuning->seconds[algorithm] > 0) {
            fprintf(file, "%s%s %.4f ms", before, names[algorithm], tuning->seconds[algorithm] * 1e3);
            before = ", ";
        }
    }
    if (strcmp(before, ", ") == 0)
        fprintf(file, "; chosen in %.1f ms)", tuning->spent * 1e3);
}
