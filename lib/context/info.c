/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Information for programs and `maniple info`: ranks, devices, links, versions, settings, the kernel cache.
 */
#include <config.h>

#include "context/context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mnp_status describe_rank(mnp_ctx *ctx, mnp_rank_info *info)
{
    *info = (mnp_rank_info){
        .rank = ctx->comm.rank, .node = ctx->comm.node_index, .ranks_on_device = ctx->comm.ranks_on_device};
    gethostname(info->host, sizeof info->host - 1);
    return ctx->device->ops->info(ctx->device, info);
}

/*
 * One row of the table: how this rank's device reaches every other.  A device is identified by a number that all
 * processes share, not by its index, because another process may see other GPUs.
 */
static mnp_status describe_links(mnp_ctx *ctx, const mnp_rank_info *ranks, const uint64_t *identities,
                                 mnp_link_info *row)
{
    const mnp_rank_info *self = &ranks[ctx->comm.rank];
    for (int i = 0; i < ctx->comm.size; i++) {
        row[i] = (mnp_link_info){"network"};
        if (ranks[i].node == self->node)
            MNP_TRY(ctx->device->ops->link(ctx->device, identities[i], &row[i]));
    }
    return MNP_OK;
}

mnp_status mnp_ctx_info(mnp_ctx *ctx, mnp_rank_info *ranks, mnp_link_info *links)
{
    MNP_ENTER(ctx, ranks);
    mnp_rank_info self;
    mnp_link_info *row = NULL;
    uint64_t identity, *identities = NULL;
    mnp_status st;
    MNP_TRY(MNP_AGREE(ctx, describe_rank(ctx, &self)));
    MNP_TRY(mnp__all_gather(&ctx->comm, &self, ranks, sizeof self));
    if (!links)
        return MNP_OK;
    st = mnp__calloc((size_t)ctx->comm.size, sizeof *row, &row);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)ctx->comm.size, sizeof *identities, &identities);
    if (st == MNP_OK)
        st = ctx->device->ops->identity(ctx->device, &identity);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp__all_gather(&ctx->comm, &identity, identities, sizeof identity), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, describe_links(ctx, ranks, identities, row)), st, done);
    st = mnp__all_gather(&ctx->comm, row, links, (size_t)ctx->comm.size * sizeof *row);
done:
    free(identities);
    free(row);
    return st;
}

static void mpi_version(mnp_version_info *info)
{
    char words[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(words, &length);
    info->name = "MPI";
    words[strcspn(words, ",\n")] = '\0'; /* Open MPI appends its package and identifiers */
    snprintf(info->version, sizeof info->version, "%.63s", words);
}

const mnp_version_info *mnp_ctx_versions(mnp_ctx *ctx)
{
    MNP_NEED_OR(NULL, ctx);
    const int room = sizeof ctx->versions / sizeof *ctx->versions - 1;
    int count = 0;
    memset(ctx->versions, 0, sizeof ctx->versions);
    ctx->versions[count].name = "Maniple";
    snprintf(ctx->versions[count++].version, sizeof ctx->versions->version, "%s", PACKAGE_VERSION);
    mpi_version(&ctx->versions[count++]);
    count += mnp__cuda_versions(ctx->versions + count, room - count);
    count += mnp__nccl_versions(ctx->versions + count, room - count);
    mnp__host_versions(&ctx->config, ctx->versions + count, room - count);
    return ctx->versions;
}

const mnp_setting_info *mnp_ctx_settings(mnp_ctx *ctx)
{
    MNP_NEED_OR(NULL, ctx);
    return ctx->config.table;
}

void mnp_ctx_set_progress(mnp_ctx *ctx, mnp_progress function, void *argument)
{
    MNP_NEED_OR(, ctx);
    ctx->device->progress = function;
    ctx->device->progress_argument = argument;
    mnp__device_tell_part(ctx->device, 0, 1);
}

double mnp_ctx_compile_seconds(const mnp_ctx *ctx)
{
    MNP_NEED_OR(0, ctx);
    return ctx->device->load_seconds;
}

mnp_status mnp_ctx_cache(mnp_ctx *ctx, mnp_cache_info *info)
{
    MNP_ENTER(ctx, info);
    info->path = ctx->cache_path;
    mnp__jit_cache_added(&info->added_files, &info->added_bytes);
    return mnp__jit_cache_usage(ctx->cache_path, &info->files, &info->bytes);
}

mnp_status mnp_ctx_cache_list(mnp_ctx *ctx, mnp_cache_entry **entries_p, int64_t *count_p)
{
    MNP_ENTER(ctx, entries_p, count_p);
    return mnp__jit_cache_list(ctx->cache_path, entries_p, count_p);
}

mnp_status mnp_ctx_cache_clear(mnp_ctx *ctx, int64_t *files_p, int64_t *bytes_p)
{
    MNP_ENTER(ctx, files_p, bytes_p);
    return mnp__jit_cache_clear(ctx->cache_path, files_p, bytes_p);
}
