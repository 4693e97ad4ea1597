/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context: creating and freeing it, streams and events, and the kernels that it caches.
 */
#include "context/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/process/leftovers.h"
#include "base/text.h"
#include "comm/heap.h"
#include "comm/collectives/subcomm.h"
#include "comm/pulse.h"
#include "comm/watch.h"
#include "context/profile.h"
#include "device/launch.h"

enum { STRINGS = 6 }; /* strings of a spec: file, function, definitions, generated source, options */

struct mnp__loaded_kernel {
    mnp__loaded_kernel *next; /* in the list of its hash */
    mnp__kernel *kernel;
    uint64_t hash; /* of the following, its spec, by which it is found */
    size_t shared_bytes;
    const char *strings[STRINGS]; /* they lie in the memory below */
    char memory[];
};

struct mnp_event {
    unsigned tag; /* MNP__TAG_event: see base/call.h */
    mnp_ctx *ctx;
    mnp__device_event *event;
};

/* This process's number in its job, as launchers tell it before MPI is there; 0 where they do not. */
static int launched_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return atoi(rank);
    }
    return 0;
}

/* MPI_Init() waits for all ranks: where one does not come, this ends at the deadline for ranks that are busy. */
static mnp_status start_mpi(const char *options, bool *started_p)
{
    int up = 0, provided;
    mnp__config config;
    mnp__pulse *pulse = NULL;
    MNP_TRY(mnp__mpi_status(MPI_Initialized(&up), "MPI_Initialized"));
    *started_p = !up;
    if (up)
        return MNP_OK;
    const bool configured = mnp__config_read(options, launched_rank(), &config) == MNP_OK; /* else it is told later */
    if (configured)
        mnp__pulse_start(&config, launched_rank(), &pulse);
    mnp__pulse_enter(pulse, "starting", "MPI");
    const mnp_status st =
        mnp__mpi_status(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    mnp__pulse_leave(pulse);
    mnp__pulse_stop(pulse);
    if (configured)
        mnp__config_free(&config);
    return st;
}

static void free_entry(mnp_ctx *ctx, mnp__loaded_kernel *entry)
{
    if (!entry)
        return;
    if (entry->kernel)
        ctx->device->ops->kernel_free(ctx->device, entry->kernel);
    free(entry);
}

static void close_device(mnp_ctx *ctx)
{
    mnp__device *device = ctx->device;
    if (!device)
        return;
    for (int i = 0; i < MNP__NUM_ATTACHMENTS; i++) {
        if (ctx->attached[i].data)
            ctx->attached[i].free(ctx, ctx->attached[i].data);
    }
    for (int i = 0; i < MNP__KERNEL_LISTS; i++) {
        while (ctx->kernels[i]) {
            mnp__loaded_kernel *entry = ctx->kernels[i];
            ctx->kernels[i] = entry->next;
            free_entry(ctx, entry);
        }
    }
    device->memory_stream = NULL;
    if (ctx->compute)
        device->ops->stream_free(device, ctx->compute);
    if (ctx->transfer)
        device->ops->stream_free(device, ctx->transfer);
    if (ctx->order)
        device->ops->event_free(device, ctx->order);
    mnp__comm_detach(&ctx->comm);
    device->ops->close(device);
}

static void free_context(mnp_ctx *ctx)
{
    /* NCCL is freed before the device, whose streams it used.  That is collective, unless a rank was lost. */
    mnp__world_close(ctx->world);
    mnp__nccl_free(ctx->comm.nccl);
    ctx->comm.nccl = NULL;
    close_device(ctx);
    mnp__comm_close(&ctx->comm);
    mnp__config_free(&ctx->config);
    free(ctx->cache_path);
    mnp__object_free(ctx);
}

/* Which GPU this rank takes, as the ranks of its host find together.  Collective. */
static mnp_status choose_gpu(mnp_ctx *ctx, int *gpu_p)
{
    const int ranks = ctx->comm.node_size, own = ctx->comm.node_rank;
    uint64_t visible[MNP__MOST_GPUS], *all = NULL;
    int *chosen = NULL;
    mnp__device_visible(&ctx->config, visible);
    mnp_status st = mnp__calloc((size_t)ranks * MNP__MOST_GPUS, sizeof *all, &all);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)ranks, sizeof *chosen, &chosen);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp__mpi_status(MPI_Allgather(visible, MNP__MOST_GPUS, MPI_UINT64_T, all, MNP__MOST_GPUS, MPI_UINT64_T,
                                             ctx->comm.node),
                               "MPI_Allgather"),
               st, done);
    mnp__device_assign(ranks, all, chosen);
    *gpu_p = chosen[own] >= 0 ? chosen[own] : own;
done:
    free(chosen);
    free(all);
    return st;
}

/*
 * Open the device and what belongs to it: with that GPU, or if `rehearsed` is not NULL, one that only looks like that
 * device.  This can fail on one rank alone, so the caller agrees on the result.
 */
static mnp_status open_device(mnp_ctx *ctx, int gpu, mnp__device *rehearsed)
{
    MNP_TRY(mnp__jit_cache_path(&ctx->config, &ctx->cache_path));
    MNP_TRY(rehearsed ? mnp__rehearsal_device_open(&ctx->config, rehearsed, &ctx->device)
                      : mnp__device_open(&ctx->config, gpu, ctx->comm.node_size, &ctx->device));
    MNP_TRY(ctx->device->ops->stream_new(ctx->device, false, &ctx->compute));
    MNP_TRY(ctx->device->ops->stream_new(ctx->device, true, &ctx->transfer));
    ctx->device->memory_stream = ctx->compute;
    return ctx->device->ops->event_new(ctx->device, &ctx->order);
}

/* Check that all ranks have the settings with and without which they would exchange different data. */
static mnp_status check_alike(const mnp_ctx *ctx)
{
    enum { COUNT = 5 };
    const mnp__config *config = &ctx->config;
    const struct {
        int value;
        const char *message;
    } settings[COUNT] = {
        {config->is_reproducible, "MANIPLE_REPRODUCIBLE is 1 on some ranks and 0 on others"},
        {config->checks, "MANIPLE_CHECK is 1 on some ranks and 0 on others"},
        {strcmp(config->profile, "0") != 0, "MANIPLE_PROFILE is set on some ranks and not on others"},
        {*config->trace != '\0', "MANIPLE_TRACE is set on some ranks and not on others"},
        {config->matmul_precision, "MANIPLE_MATMUL is not the same on all ranks"},
    };
    int ends[COUNT][2];
    for (int i = 0; i < COUNT; i++) {
        ends[i][0] = settings[i].value;
        ends[i][1] = -settings[i].value;
    }
    MPI_Allreduce(MPI_IN_PLACE, ends, 2 * COUNT, MPI_INT, MPI_MAX, ctx->comm.mpi);
    for (int i = 0; i < COUNT; i++) {
        if (ends[i][0] != -ends[i][1])
            return MNP_FAIL(MNP_ERR_ARG, "%s", settings[i].message);
    }
    return MNP_OK;
}

mnp_status mnp_init(MPI_Comm comm, const char *options, mnp_ctx **ctx_p)
{
    MNP_ENTER(ctx_p);
    mnp_ctx *ctx;
    mnp__pulse *pulse;
    mnp_status st;
    mnp__handlers handlers;
    bool started;
    int rank, gpu = 0;
    mnp__handlers_save(&handlers); /* MPI and the device may put others in place */
    MNP_TRY(start_mpi(options, &started));
    MNP_TRY(mnp__calloc(1, sizeof *ctx, &ctx));
    ctx->tag = MNP__TAG_ctx;
    ctx->started_mpi = started;
    MPI_Comm_rank(comm, &rank);
    const mnp_status configured = mnp__config_read(options, rank, &ctx->config);
    MNP_TRY_OR(mnp__comm_open(comm, &ctx->config, &ctx->comm), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, configured), st, fail);
    MNP_TRY_OR(check_alike(ctx), st, fail);
    MNP_TRY_OR(mnp__comm_meet(&ctx->comm), st, fail);
    MNP_TRY_OR(choose_gpu(ctx, &gpu), st, fail);
    MNP_TRY_OR(MNP_AGREE(ctx, open_device(ctx, gpu, NULL)), st, fail);
    MNP_TRY_OR(mnp__comm_attach(&ctx->comm, ctx->device), st, fail);
    MNP_TRY_OR(mnp__world_open(&ctx->comm, &ctx->world), st, fail);
    MNP_TRY_OR(mnp__profile_open(ctx), st, fail);
    MNP_LOG(&ctx->config.logger, MNP_LOG_INFO, "ranks: %d, hosts: %d, device: %s, transport: %s", ctx->comm.size,
            ctx->comm.nodes, ctx->device->ops->kind, mnp_ctx_transport(ctx));
    mnp__pulse_leave(ctx->comm.pulse);
    mnp__handlers_restore(&handlers);
    if (ctx->config.checks)
        mnp__objects_begin();
    *ctx_p = ctx;
    return MNP_OK;
fail:
    pulse = ctx->comm.pulse;
    free_context(ctx); /* MPI is not finalized, so that mnp_exit() can still use it */
    mnp__pulse_stop(pulse);
    return st;
}

/* It has this rank alone, so that nothing in it waits for another. */
mnp_status mnp_rehearsal_new(mnp_ctx *ctx, mnp_ctx **rehearsal_p)
{
    MNP_ENTER(ctx, rehearsal_p);
    mnp_ctx *rehearsal;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *rehearsal, &rehearsal));
    rehearsal->tag = MNP__TAG_ctx;
    rehearsal->comm.mpi = rehearsal->comm.node = MPI_COMM_NULL;
    MNP_TRY_OR(mnp__config_copy(&ctx->config, &rehearsal->config), st, fail);
    rehearsal->config.logger.level = -1; /* what it did would be told again by the calls themselves */
    MNP_TRY_OR(mnp__comm_open(MPI_COMM_SELF, &rehearsal->config, &rehearsal->comm), st, fail);
    MNP_TRY_OR(mnp__comm_meet(&rehearsal->comm), st, fail);
    MNP_TRY_OR(open_device(rehearsal, 0, ctx->device), st, fail);
    MNP_TRY_OR(mnp__comm_attach(&rehearsal->comm, rehearsal->device), st, fail);
    MNP_TRY_OR(mnp__world_open(&rehearsal->comm, &rehearsal->world), st, fail);
    if (rehearsal->config.checks)
        mnp__objects_begin();
    mnp__profile_mute(1);
    *rehearsal_p = rehearsal;
    return MNP_OK;
fail:
    free_context(rehearsal);
    return st;
}

mnp_status mnp_rehearsal_wait(mnp_ctx *ctx)
{
    MNP_ENTER(ctx);
    mnp__compiler *compiler;
    int done, all;
    MNP_TRY(mnp__jit_cache_check(ctx->cache_path));
    MNP_TRY(ctx->device->ops->compiler(ctx->device, &compiler));
    while (mnp__jit_ahead_wait(compiler, &done, &all))
        mnp__device_tell(ctx->device, (double)done / all);
    return mnp__jit_ahead_finish(compiler);
}

mnp_status mnp_init_fint(const MPI_Fint *comm, const char *options, mnp_ctx **ctx_p)
{
    MNP_ENTER(ctx_p);
    int initialized = 0;
    MPI_Initialized(&initialized); /* before, handles of Fortran cannot be converted */
    return mnp_init(comm && initialized ? MPI_Comm_f2c(*comm) : MPI_COMM_WORLD, options, ctx_p);
}

/* Tell what the program has not freed: how much, and in checking mode by which of its lines it was made. */
static void report_objects(const mnp_ctx *ctx)
{
    const bool checks = ctx->config.checks;
    if (ctx->live_arrays || ctx->live_others)
        MNP_LOG(&ctx->config.logger, MNP_LOG_WARN,
                "mnp_finalize: %d arrays (%lld bytes of this rank) and %d other objects were not freed%s",
                ctx->live_arrays, (long long)ctx->live_bytes, ctx->live_others,
                checks ? "" : "; MANIPLE_CHECK=1 tells which lines made them");
    if (checks)
        mnp__objects_end(&ctx->comm, &ctx->config.logger);
}

void mnp_finalize(mnp_ctx *ctx)
{
    MNP_NEED_OR(, ctx);
    if (!ctx)
        return;
    report_objects(ctx);
    mnp__graphs_close(ctx);
    bool ends_mpi = ctx->started_mpi && !mnp__watch_lost(&ctx->comm); /* MPI_Finalize() waits for all ranks */
    if (mnp_ctx_synchronize(ctx) != MNP_OK)                           /* kernels must not be unloaded while they run */
        MNP_LOG(&ctx->config.logger, MNP_LOG_ERROR, "mnp_finalize: %s", mnp_error_message());
    if (!mnp__watch_lost(&ctx->comm))
        mnp__peers_part(ctx->comm.peers);
    mnp__pulse *pulse = ctx->comm.pulse; /* to the end, as MPI's functions wait for other ranks too */
    if (!mnp__watch_lost(&ctx->comm))
        mnp__pulse_enter(pulse, "ending", "Maniple");
    mnp__profile_close(ctx);
    if (ctx->device->rehearses)
        mnp__profile_mute(-1);
    free_context(ctx);
    if (ends_mpi) {
        MPI_Finalize();
        mnp__pulse_part(pulse);
    }
    mnp__pulse_stop(pulse);
}

int mnp_ctx_rank(const mnp_ctx *ctx)
{
    MNP_NEED_OR(-1, ctx);
    return ctx->comm.rank;
}

int mnp_ctx_size(const mnp_ctx *ctx)
{
    MNP_NEED_OR(-1, ctx);
    return ctx->comm.size;
}

mnp_comm *mnp_comm_world(const mnp_ctx *ctx)
{
    MNP_NEED_OR(NULL, ctx);
    return ctx->world;
}

MPI_Comm mnp_ctx_comm(const mnp_ctx *ctx)
{
    MNP_NEED_OR(MPI_COMM_NULL, ctx);
    return ctx->comm.mpi;
}

MPI_Fint mnp_ctx_comm_fint(const mnp_ctx *ctx)
{
    MNP_NEED_OR(0, ctx);
    return MPI_Comm_c2f(ctx->comm.mpi);
}

const char *mnp_ctx_device_kind(const mnp_ctx *ctx)
{
    MNP_NEED_OR("", ctx);
    return ctx->device->ops->kind;
}

int mnp_ctx_device_index(const mnp_ctx *ctx)
{
    MNP_NEED_OR(-1, ctx);
    return ctx->device->index;
}

const char *mnp_ctx_transport(const mnp_ctx *ctx)
{
    MNP_NEED_OR("", ctx);
    static const char *const names[] = {
        [MNP_TRANSPORT_MPI] = "mpi",
        [MNP_TRANSPORT_STAGED] = "mpi, staged through the host",
        [MNP_TRANSPORT_NCCL] = "nccl",
    };
    return ctx->comm.size == 1 ? "none: one rank" : names[ctx->comm.transport];
}

void mnp_mpi_begin(mnp_ctx *ctx, const char *doing)
{
    MNP_NEED_OR(, ctx);
    MNP_NEED_OR(, doing);
    mnp__pulse_enter(ctx->comm.pulse, doing, NULL);
}

void mnp_mpi_end(mnp_ctx *ctx)
{
    MNP_NEED_OR(, ctx);
    mnp__pulse_leave(ctx->comm.pulse);
}

mnp_status mnp_agree(mnp_ctx *ctx, mnp_status status)
{
    MNP_ENTER(ctx);
    return MNP_AGREE(ctx, status);
}

mnp_status mnp__ctx_wait(mnp_ctx *ctx, mnp__stream *stream)
{
    return mnp__comm_wait_stream(&ctx->comm, stream);
}

void mnp__ctx_drain(mnp_ctx *ctx)
{
    if (mnp__ctx_wait(ctx, ctx->compute) != MNP_OK)
        MNP_LOG(&ctx->config.logger, MNP_LOG_ERROR, "%s", mnp_error_message());
}

mnp_status mnp__ctx_order(mnp_ctx *ctx, mnp__stream *earlier, mnp__stream *later)
{
    const mnp__device_ops *ops = ctx->device->ops;
    MNP_TRY(ops->event_record(ctx->device, ctx->order, earlier));
    return ops->stream_wait(ctx->device, later, ctx->order);
}

mnp_status mnp_ctx_synchronize(mnp_ctx *ctx)
{
    MNP_ENTER(ctx);
    mnp_status computed = mnp__ctx_wait(ctx, ctx->compute), transferred = mnp__ctx_wait(ctx, ctx->transfer);
    return computed != MNP_OK ? computed : transferred;
}

static const char *string_of(const mnp__kernel_spec *spec, int which)
{
    const char *strings[STRINGS] = {spec->defines,   spec->function,      spec->file,
                                    spec->generated, spec->nvrtc_options, spec->host_options};
    return strings[which] ? strings[which] : "";
}

static uint64_t hash_of(const mnp__kernel_spec *spec)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, &spec->shared_bytes, sizeof spec->shared_bytes);
    for (int i = 0; i < STRINGS; i++)
        hash = mnp__hash(hash, string_of(spec, i), strlen(string_of(spec, i)) + 1);
    return hash;
}

static bool is_of(const mnp__loaded_kernel *entry, const mnp__kernel_spec *spec, uint64_t hash)
{
    bool same = entry->hash == hash && entry->shared_bytes == spec->shared_bytes;
    for (int i = 0; i < STRINGS && same; i++)
        same = strcmp(entry->strings[i], string_of(spec, i)) == 0;
    return same;
}

static mnp_status load_kernel(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__loaded_kernel **entry_p)
{
    mnp__loaded_kernel *entry;
    size_t length = 0;
    for (int i = 0; i < STRINGS; i++)
        length += strlen(string_of(spec, i)) + 1;
    MNP_TRY(mnp__calloc(1, sizeof *entry + length, &entry));
    entry->shared_bytes = spec->shared_bytes;
    char *at = entry->memory;
    for (int i = 0; i < STRINGS; i++) {
        entry->strings[i] = strcpy(at, string_of(spec, i));
        at += strlen(at) + 1;
    }
    mnp__text generated = MNP__TEXT_EMPTY;
    mnp__kernel_spec whole = *spec;
    if (spec->generate) {
        spec->generate(spec->generate_argument, &generated);
        whole.generated = mnp__text_string(&generated);
    }
    mnp_status st = mnp__text_status(&generated);
    if (st == MNP_OK)
        st = mnp__device_load_kernel(ctx->device, &whole, &entry->kernel);
    mnp__text_free(&generated);
    if (st == MNP_OK)
        *entry_p = entry;
    else
        free_entry(ctx, entry);
    return st;
}

mnp_status mnp__ctx_kernel(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    const uint64_t hash = hash_of(spec);
    mnp__loaded_kernel **list = &ctx->kernels[hash % MNP__KERNEL_LISTS], *entry = *list;
    while (entry && !is_of(entry, spec, hash))
        entry = entry->next;
    if (!entry) { /* then no rank has it: a kernel is cached only if all ranks could load it */
        mnp_status st = MNP_AGREE(ctx, load_kernel(ctx, spec, &entry));
        if (st != MNP_OK) {
            free_entry(ctx, entry);
            return st;
        }
        entry->hash = hash;
        entry->next = *list;
        *list = entry;
    }
    *kernel_p = entry->kernel;
    return MNP_OK;
}

static mnp_status texts_status(const mnp__text *defines, const mnp__text *generated)
{
    MNP_TRY(mnp__text_status(defines));
    return generated ? mnp__text_status(generated) : MNP_OK;
}

mnp_status mnp__ctx_kernel_of_text(mnp_ctx *ctx, const mnp__kernel_spec *spec, mnp__text *defines, mnp__text *generated,
                                   mnp__kernel **kernel_p)
{
    mnp__kernel_spec whole = *spec;
    mnp_status st = MNP_OK;
    /* the texts have the same lengths on all ranks, so all or none take this branch */
    if (mnp__text_has_grown(defines) || (generated && mnp__text_has_grown(generated)))
        st = MNP_AGREE(ctx, texts_status(defines, generated));
    if (st == MNP_OK) {
        whole.defines = mnp__text_string(defines);
        if (generated)
            whole.generated = mnp__text_string(generated);
        st = mnp__ctx_kernel(ctx, &whole, kernel_p);
    }
    mnp__text_free(defines);
    if (generated)
        mnp__text_free(generated);
    return st;
}

mnp_status mnp__ctx_launch(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, const void *params, size_t params_size)
{
    const mnp__launch launch = mnp__launch_of(count);
    if (count == 0)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, kernel, &launch, params, params_size, ctx->compute);
}

mnp_status mnp_event_new(mnp_ctx *ctx, mnp_event **event_p)
{
    MNP_ENTER(ctx, event_p);
    mnp_event *event;
    MNP_TRY(mnp__calloc(1, sizeof *event, &event));
    event->tag = MNP__TAG_event;
    event->ctx = ctx;
    mnp_status st = ctx->device->ops->event_new(ctx->device, &event->event);
    if (st != MNP_OK) {
        free(event);
        return st;
    }
    mnp__ctx_made(ctx, event);
    *event_p = event;
    return MNP_OK;
}

mnp_status mnp_event_record(mnp_event *event)
{
    MNP_ENTER(event);
    MNP_TRY(mnp__refuse_recording(event->ctx->device, "mnp_event_record()"));
    return event->ctx->device->ops->event_record(event->ctx->device, event->event, event->ctx->compute);
}

mnp_status mnp_event_seconds(mnp_event *first, mnp_event *second, double *seconds_p)
{
    MNP_ENTER(first, second, seconds_p);
    mnp_ctx *ctx = second->ctx;
    MNP_TRY(mnp__comm_wait_event(&ctx->comm, second->event));
    return ctx->device->ops->event_seconds(ctx->device, first->event, second->event, seconds_p);
}

void mnp_event_free(mnp_event *event)
{
    if (!event)
        return;
    MNP_NEED_OR(, event);
    mnp__ctx_gone(event->ctx, event);
    event->ctx->device->ops->event_free(event->ctx->device, event->event);
    mnp__object_free(event);
}
