/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading TIFF files.
 *
 * Rank 0 goes through the heads of all pages once, as each of them says where the next one is, and tells all ranks
 * where the wanted ones lie.  Then each rank opens the file and reads the elements of its block.
 */
#include <config.h>

#include "io/tiff/tiff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/agree_format.h"
#include "io/file_array.h"

#ifdef HAVE_TIFF

struct job {
    mnp_ctx *ctx;
    mnp__tiff_file file;
    mnp_tiff_info info;
    mnp__tiff_page page; /* the first of those that are read */
    int64_t number;      /* of the current page, while heads are read */
    int64_t count;       /* how many pages are read */
    uint64_t *places;    /* where their heads lie */
    bool many;           /* the first dimension of the array is the page */
};

/* ---- heads ---- */

/* Note the current page as one that is read, and compare it with those before. */
static mnp_status take_page(struct job *job, int64_t number)
{
    const mnp__tiff_page *first = &job->page, *page = &job->file.page;
    if ((job->count & (job->count - 1)) == 0) { /* room for 1, 2, 4 ... */
        uint64_t *more = realloc(job->places, (size_t)(job->count ? 2 * job->count : 1) * sizeof *more);
        if (!more)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory for the places of %" PRId64 " pages", job->count);
        job->places = more;
    }
    if (job->count == 0)
        job->page = *page;
    else if (page->dtype != first->dtype || page->rows != first->rows || page->columns != first->columns ||
             page->samples != first->samples)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "the pages of '%s' differ: page %" PRId64 " has %" PRId64 " x %" PRId64 " x %" PRId64
                        " samples of %s, the first one %" PRId64 " x %" PRId64 " x %" PRId64 " of %s; read one of them",
                        job->file.name, number, page->rows, page->columns, page->samples, mnp_dtype_name(page->dtype),
                        first->rows, first->columns, first->samples, mnp_dtype_name(first->dtype));
    job->places[job->count++] = job->file.at;
    return MNP_OK;
}

/* Whether the current page is one that has a number: those of reduced resolution have none unless they are first. */
static bool is_counted(const struct job *job)
{
    return !job->file.page.reduced || job->number == 0;
}

/* Go through all pages, up to the wanted one if it is one, and take those that are wanted.  Rank 0. */
static mnp_status find_pages(struct job *job, int64_t wanted)
{
    for (bool more = true; more;) {
        const mnp_status st = mnp__tiff_read_page(&job->file);
        const bool counted = is_counted(job), taken = counted && (wanted < 0 || wanted == job->number);
        /* a page that cannot be read, such as a mask of 1 bit, is in nobody's way if it is not wanted */
        if (st != MNP_OK && (st != MNP_ERR_UNSUPPORTED || taken))
            return st;
        if (taken)
            MNP_TRY(take_page(job, job->number));
        job->number += counted;
        if (taken && wanted >= 0) /* the pages behind it may be damaged */
            break;
        MNP_TRY(mnp__tiff_next_page(&job->file, &more));
    }
    if (job->count == 0)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has no page %" PRId64 ": it has %" PRId64, job->file.name, wanted,
                        job->number);
    job->many = job->count > 1;
    return MNP_OK;
}

static void describe(struct job *job)
{
    const mnp__tiff_page *page = &job->page;
    mnp_tiff_info *info = &job->info;
    info->dtype = page->dtype;
    info->pages = job->count;
    if (job->many)
        info->shape[info->ndim++] = job->count;
    info->shape[info->ndim++] = page->rows;
    info->shape[info->ndim++] = page->columns;
    if (page->samples > 1)
        info->shape[info->ndim++] = page->samples;
    info->tiled = page->tiled;
    info->rows = page->segment_rows;
    info->columns = page->segment_columns;
    snprintf(info->compression, sizeof info->compression, "%s", mnp__tiff_compression(page->compression));
}

/* The array's elements have to be countable. */
static mnp_status check_size(const struct job *job)
{
    int64_t bytes = (int64_t)mnp_dtype_size(job->info.dtype);
    for (int d = 0; d < job->info.ndim; d++)
        if (__builtin_mul_overflow(bytes, job->info.shape[d], &bytes))
            return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its shape has more elements than can be counted",
                            job->file.name);
    return MNP_OK;
}

static mnp_status read_heads(struct job *job, int64_t wanted)
{
    MNP_TRY(mnp__plain_file_open(job->file.name, &job->file.plain));
    MNP_TRY(mnp__tiff_open(&job->file));
    MNP_TRY(find_pages(job, wanted));
    describe(job);
    return check_size(job);
}

/* Rank 0 reads the heads and broadcasts what they say.  Collective. */
static mnp_status read_heads_everywhere(struct job *job, int64_t wanted)
{
    mnp__comm *comm = &job->ctx->comm;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__tell_format(job->ctx, comm->rank == 0 ? read_heads(job, wanted) : MNP_OK));
    MNP_TRY(mnp__broadcast(comm, &job->info, sizeof job->info, 0));
    MNP_TRY(mnp__broadcast(comm, &job->page, sizeof job->page, 0));
    MNP_TRY(mnp__broadcast(comm, &job->many, sizeof job->many, 0));
    MNP_TRY(mnp__broadcast(comm, &job->count, sizeof job->count, 0));
    if (comm->rank != 0)
        st = mnp__malloc((size_t)job->count * sizeof *job->places, &job->places);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    return mnp__broadcast(comm, job->places, (size_t)job->count * sizeof *job->places, 0);
}

/* ---- elements ---- */

static mnp_status read_box(void *file, const mnp__file_box *box, void *buffer)
{
    struct job *job = file;
    mnp__tiff_span spans[] = {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}}; /* pages, rows, columns, samples */
    for (int d = 0; d < box->ndim; d++)
        spans[d + !job->many] = (mnp__tiff_span){box->start[d], box->step[d], box->count[d]};
    const size_t bytes = (size_t)(spans[1].count * spans[2].count * spans[3].count) * mnp_dtype_size(job->info.dtype);
    for (int64_t i = 0; i < spans[0].count; i++) {
        MNP_TRY(mnp__tiff_go(&job->file, job->places[spans[0].start + i * spans[0].step]));
        const mnp__tiff_page *page = &job->file.page;
        if (page->dtype != job->page.dtype || page->rows != job->page.rows || page->columns != job->page.columns ||
            page->samples != job->page.samples)
            return MNP_FAIL(MNP_ERR_IO, "'%s' has changed while it was read", job->file.name);
        MNP_TRY(mnp__tiff_read_box(&job->file, spans + 1, (char *)buffer + (size_t)i * bytes));
    }
    return MNP_OK;
}

static void ahead(void *file, const mnp__file_box *box, mnp__read_ahead *list)
{
    const struct job *job = file;
    mnp__read_ahead_add_share(list, 0, job->file.plain.bytes, job->info.shape[0], box);
}

static mnp_status convert(void *file, int64_t count, void *buffer)
{
    (void)file;
    (void)count;
    (void)buffer;
    return MNP_OK;
}

static const mnp__transfer_ops ops = {.together = false, .read = read_box, .ahead = ahead, .convert = convert};

/* ---- */

/* Open on all other ranks the file that rank 0 has opened.  Collective. */
static mnp_status open_together(struct job *job)
{
    MNP_TRY(mnp__plain_file_open_together(job->ctx, job->file.name, &job->file.plain));
    return MNP_AGREE(job->ctx, job->ctx->comm.rank != 0 ? mnp__tiff_open(&job->file) : MNP_OK);
}

static mnp_status read_file(struct job *job, int64_t page, const mnp_selection *selection, const mnp_layout *layout,
                            mnp_array **array_p)
{
    MNP_TRY(read_heads_everywhere(job, page));
    MNP_TRY(open_together(job));
    job->file.at = 0; /* each rank reads the head of the first page that it needs */
    const int64_t unit[] = {1, job->page.segment_rows, job->page.segment_columns,
                            job->page.planes ? 1 : job->page.samples};
    return mnp__file_array_read(
        job->ctx,
        &(mnp__file_array){.function = "mnp_tiff_read",
                           .name = job->file.name,
                           .dtype = job->info.dtype,
                           .ndim = job->info.ndim,
                           .shape = job->info.shape,
                           .stored = mnp_dtype_size(job->info.dtype),
                           .unit = job->page.direct && !job->page.planes && !job->page.tiled ? NULL : unit + !job->many,
                           .ops = &ops,
                           .file = job},
        selection, layout, array_p);
}

static mnp_status begin(mnp_ctx *ctx, const char *file, int64_t page, struct job *job)
{
    *job = (struct job){.ctx = ctx, .file = MNP__TIFF_FILE_CLOSED};
    job->file.name = file;
    if (page < MNP_TIFF_ALL_PAGES)
        return MNP_FAIL(MNP_ERR_ARG, "page is %" PRId64 ", below 0", page);
    const mnp_status st = mnp__tiff_begin(), agreed = MNP_AGREE(ctx, st);
    if (st == MNP_OK && agreed != MNP_OK)
        mnp__tiff_end();
    return agreed;
}

static void end(struct job *job)
{
    mnp__tiff_close(&job->file);
    mnp__tiff_end();
    free(job->places);
}

mnp_status mnp_tiff_inspect(mnp_ctx *ctx, const char *file, int64_t page, mnp_tiff_info *info_p)
{
    MNP_ENTER(ctx, file, info_p);
    struct job job;
    MNP_TRY(begin(ctx, file, page, &job));
    mnp_status st = read_heads_everywhere(&job, page);
    end(&job);
    if (st == MNP_OK)
        *info_p = job.info;
    return st;
}

mnp_status mnp_tiff_read(mnp_ctx *ctx, const char *file, int64_t page, const mnp_selection *selection,
                         const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, file, array_p);
    MNP_NEED_OR_NULL(layout);
    struct job job;
    MNP_TRY(begin(ctx, file, page, &job));
    mnp_status st = read_file(&job, page, selection, layout, array_p);
    end(&job);
    return st;
}

#else

static mnp_status refuse(const char *file)
{
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cannot read '%s': this build of Maniple has no libtiff", file);
}

mnp_status mnp_tiff_inspect(mnp_ctx *ctx, const char *file, int64_t page, mnp_tiff_info *info_p)
{
    MNP_ENTER(ctx, file, info_p);
    (void)page;
    return refuse(file);
}

mnp_status mnp_tiff_read(mnp_ctx *ctx, const char *file, int64_t page, const mnp_selection *selection,
                         const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, file, array_p);
    MNP_NEED_OR_NULL(layout);
    (void)page;
    (void)selection;
    return refuse(file);
}

#endif
