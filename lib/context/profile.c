/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile: listening to calls, and events around them.
 */
#include "context/profile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/array.h>

#include "base/process/clock.h"

#if defined __has_include
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define PUSH_RANGE(name) ((void)nvtxRangePushA(name))
#define POP_RANGE() ((void)nvtxRangePop())
#endif
#endif
#ifndef PUSH_RANGE
#define PUSH_RANGE(name) ((void)(name))
#define POP_RANGE() ((void)0)
#endif

enum { MOST_ROWS = 512, MOST_BARS = 1 << 20 };

static _Atomic(mnp__profile *) active; /* of this process; NULL: none */
/* What this thread has opened, unless it is not the active one any more. */
static _Thread_local mnp__profile *of_thread;

static void set_name(char to[MNP__PROFILE_NAME], const char *name)
{
    snprintf(to, MNP__PROFILE_NAME, "%s", name);
}

/* ---- rows and bars ---- */

/* The row of a function; NULL if there are too many. */
static mnp__profile_row *row_of(mnp__profile *p, const char *function)
{
    const size_t slots = sizeof p->table / sizeof *p->table;
    size_t slot = ((uintptr_t)function >> 3) % slots;
    for (; p->table[slot]; slot = (slot + 1) % slots)
        if (p->rows[p->table[slot] - 1].function == function)
            return &p->rows[p->table[slot] - 1];
    if (p->nrows == MOST_ROWS)
        return NULL;
    mnp__profile_row *row = &p->rows[p->nrows++];
    *row = (mnp__profile_row){.function = function};
    set_name(row->name, function);
    p->table[slot] = p->nrows;
    return row;
}

static void add_bar(mnp__profile *p, const char *name, mnp__profile_track track, double begin, double seconds)
{
    if (!p->traces)
        return;
    if (p->nbars == p->most_bars) {
        const int64_t more = p->most_bars ? 2 * p->most_bars : 4096;
        mnp__profile_bar *bars = more <= MOST_BARS ? realloc(p->bars, (size_t)more * sizeof *bars) : NULL;
        if (!bars) {
            p->lost_bars++;
            return;
        }
        p->bars = bars;
        p->most_bars = more;
    }
    mnp__profile_bar *bar = &p->bars[p->nbars++];
    *bar = (mnp__profile_bar){.track = track, .begin = begin, .seconds = seconds};
    set_name(bar->name, name);
}

/* ---- events ---- */

/* An event that is recorded on the stream now; NULL if that cannot be. */
static mnp__device_event *record(mnp__profile *p, mnp__stream *stream)
{
    mnp__device *device = p->ctx->device;
    mnp__device_event *event = NULL;
    if (device->recording)
        return NULL;
    if (p->nfree > 0)
        event = p->free_events[--p->nfree];
    else if (device->ops->event_new(device, &event) != MNP_OK)
        return NULL;
    if (device->ops->event_record(device, event, stream) == MNP_OK)
        return event;
    device->ops->event_free(device, event);
    return NULL;
}

/* The event may be recorded anew. */
static void recycle(mnp__profile *p, mnp__device_event *event)
{
    if (!event)
        return;
    if (p->nfree == p->free_room) {
        const int64_t more = p->free_room ? 2 * p->free_room : 256;
        mnp__device_event **events = realloc(p->free_events, (size_t)more * sizeof(*events));
        if (!events) {
            p->ctx->device->ops->event_free(p->ctx->device, event);
            return;
        }
        p->free_events = events;
        p->free_room = more;
    }
    p->free_events[p->nfree++] = event;
}

/*
 * Read the oldest span, which is done.  Times are taken from the span before it, as an event's clock is not exact for
 * long.
 */
static void read_span(mnp__profile *p)
{
    mnp__device *device = p->ctx->device;
    const mnp__profile_span *span = &p->spans[p->spans_first++ % p->spans_room];
    double after = 0, seconds = 0;
    if (device->ops->event_seconds(device, span->first, span->last, &seconds) == MNP_OK &&
        device->ops->event_seconds(device, p->reference, span->first, &after) == MNP_OK) {
        p->reference_at += after;
        recycle(p, p->reference);
        p->reference = span->first;
        if (span->row >= 0)
            p->rows[span->row].device += seconds;
        add_bar(p, span->name, span->track, p->reference_at, seconds);
    } else {
        recycle(p, span->first);
    }
    recycle(p, span->last);
}

/* Read the spans that the device has passed; all of them if it is known to have no work. */
static void read_spans(mnp__profile *p, bool all)
{
    mnp__device *device = p->ctx->device;
    while (p->spans_first < p->spans_last) {
        bool done = all;
        if (!done && device->ops->event_query(device, p->spans[p->spans_first % p->spans_room].last, &done) != MNP_OK)
            return;
        if (!done)
            return;
        read_span(p);
    }
}

static bool make_room(mnp__profile *p)
{
    if (p->spans_last - p->spans_first < p->spans_room)
        return true;
    const int64_t room = p->spans_room ? 2 * p->spans_room : 1024;
    mnp__profile_span *spans = malloc((size_t)room * sizeof *spans);
    if (!spans)
        return false;
    for (int64_t i = p->spans_first; i < p->spans_last; i++)
        spans[i % room] = p->spans[i % p->spans_room];
    free(p->spans);
    p->spans = spans;
    p->spans_room = room;
    return true;
}

static void add_span(mnp__profile *p, int row, const char *name, mnp__profile_track track, mnp__device_event *first,
                     mnp__stream *stream)
{
    mnp__device_event *last = first ? record(p, stream) : NULL;
    if (!last || !make_room(p)) {
        recycle(p, first);
        recycle(p, last);
        return;
    }
    mnp__profile_span *span = &p->spans[p->spans_last++ % p->spans_room];
    *span = (mnp__profile_span){.row = row, .track = track, .first = first, .last = last};
    set_name(span->name, name);
}

/* ---- calls ---- */

/* The profile that this thread has opened; NULL: there is none, or it has been closed, by whichever thread. */
static mnp__profile *own_profile(void)
{
    mnp__profile *p = of_thread;
    return p && p == atomic_load(&active) && pthread_equal(p->thread, pthread_self()) ? p : NULL;
}

/* The same, or NULL while nothing is counted. */
static mnp__profile *listening(void)
{
    mnp__profile *p = own_profile();
    return p && p->muted == 0 ? p : NULL;
}

static void hear_begin(const char *function)
{
    mnp__profile *p = listening();
    if (!p)
        return;
    PUSH_RANGE(function);
    p->in_call = true;
    p->noutputs = 0;
    p->row = row_of(p, function);
    p->waited = mnp__watch_waited;
    p->sent = mnp__watch_sent;
    p->first = p->on_device ? record(p, p->ctx->compute) : NULL;
    p->begin = mnp__seconds_now();
}

static double bytes_of(const mnp_array *array)
{
    return (double)mnp_array_local_size(array) * (double)mnp_dtype_size(mnp_array_dtype(array));
}

static void hear_pointer(const void *pointer, unsigned tag)
{
    mnp__profile *p = listening();
    if (!p || !p->in_call || !p->row)
        return;
    if (tag == MNP__TAG_array)
        p->row->bytes += bytes_of(pointer);
    else if (tag == MNP__TAG_OUTPUT && p->noutputs < (int)(sizeof p->outputs / sizeof *p->outputs))
        p->outputs[p->noutputs++] = (mnp_array **)(uintptr_t)pointer;
}

static void hear_end(void)
{
    mnp__profile *p = listening();
    if (!p || !p->in_call)
        return;
    const double end = mnp__seconds_now();
    p->in_call = false;
    POP_RANGE();
    if (p->first)
        add_span(p, p->row ? (int)(p->row - p->rows) : -1, p->row ? p->row->name : "?", MNP__TRACK_DEVICE_CALLS,
                 p->first, p->ctx->compute);
    read_spans(p, false);
    if (!p->row)
        return;
    p->row->calls++;
    p->row->cpu += end - p->begin;
    p->row->waited += mnp__watch_waited - p->waited;
    p->row->sent.bytes += mnp__watch_sent.bytes - p->sent.bytes;
    p->row->sent.messages += mnp__watch_sent.messages - p->sent.messages;
    p->row->sent.collectives += mnp__watch_sent.collectives - p->sent.collectives;
    if (!p->on_device)
        p->row->device += end - p->begin;
    for (int i = 0; i < p->noutputs; i++)
        if (*p->outputs[i])
            p->row->bytes += bytes_of(*p->outputs[i]);
    add_bar(p, p->row->name, MNP__TRACK_CALLS, p->begin - p->origin, end - p->begin);
}

static const mnp__call_listener listener = {.begin = hear_begin, .see = hear_pointer, .end = hear_end};

/* ---- operations of the device ---- */

/* The profile whose operations a device has. */
static mnp__profile *profile_of(const mnp__device *device)
{
    return (mnp__profile *)(void *)((char *)(uintptr_t)device->ops - offsetof(mnp__profile, recording));
}

/* Do an operation of the device, which is counted as a launch and, for a trace, has a bar. */
#define WITH_BAR(name_, stream_, call)                                                                                 \
    do {                                                                                                               \
        mnp__profile *p_ = profile_of(device);                                                                         \
        if (p_ != listening())                                                                                         \
            return call;                                                                                               \
        if (p_->in_call && p_->row)                                                                                    \
            p_->row->launches++;                                                                                       \
        if (!p_->traces)                                                                                               \
            return call;                                                                                               \
        mnp__device_event *first_ = record(p_, stream_);                                                               \
        const mnp_status st_ = call;                                                                                   \
        add_span(p_, -1, name_, (stream_) == p_->ctx->transfer ? MNP__TRACK_TRANSFER : MNP__TRACK_COMPUTE, first_,     \
                 stream_);                                                                                             \
        return st_;                                                                                                    \
    } while (0)

/* Where a kernel's name is, or can be; NULL: there is no room. */
static mnp__profile_kernel *name_slot(mnp__profile *p, const mnp__kernel *kernel)
{
    const size_t slots = sizeof p->named / sizeof *p->named;
    size_t slot = ((uintptr_t)kernel >> 4) % slots;
    for (size_t tries = 0; tries < slots; tries++, slot = (slot + 1) % slots)
        if (!p->named[slot].kernel || p->named[slot].kernel == kernel)
            return &p->named[slot];
    return NULL;
}

static mnp_status record_kernel_load(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p)
{
    mnp__profile *p = profile_of(device);
    MNP_TRY(p->ops->kernel_load(device, spec, kernel_p));
    p->kernels++;
    mnp__profile_kernel *slot = name_slot(p, *kernel_p);
    if (slot) {
        slot->kernel = *kernel_p;
        set_name(slot->name, spec->function);
    }
    return MNP_OK;
}

static mnp_status record_launch(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                                size_t params_size, mnp__stream *stream)
{
    const mnp__profile_kernel *slot = name_slot(profile_of(device), kernel);
    WITH_BAR(slot && slot->kernel ? slot->name : "kernel", stream,
             profile_of(device)->ops->launch(device, kernel, launch, params, params_size, stream));
}

static mnp_status record_function_launch(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                         size_t shared_bytes, void *const *arguments, mnp__stream *stream)
{
    WITH_BAR("raw kernel", stream,
             profile_of(device)->ops->function_launch(device, function, launch, shared_bytes, arguments, stream));
}

static mnp_status record_copy(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream)
{
    WITH_BAR("copy", stream, profile_of(device)->ops->copy(device, dst, src, size, stream));
}

static mnp_status record_copy_rows(mnp__device *device, void *dst, const void *src, const mnp__row_copy *rows,
                                   mnp__stream *stream)
{
    WITH_BAR("copy", stream, profile_of(device)->ops->copy_rows(device, dst, src, rows, stream));
}

static mnp_status record_fft(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                             mnp__stream *stream)
{
    WITH_BAR("Fourier transform", stream, profile_of(device)->ops->fft_execute(device, fft, in, out, work, stream));
}

static mnp_status record_graph_launch(mnp__device *device, mnp__device_graph *graph, mnp__stream *stream)
{
    WITH_BAR("graph", stream, profile_of(device)->ops->graph_launch(device, graph, stream));
}

/* Let the device record what it does: its loads and its work, which are counted, and have bars in a trace. */
static void replace_operations(mnp__profile *p)
{
    mnp__device *device = p->ctx->device;
    p->ops = device->ops;
    p->recording = *device->ops;
    p->recording.kernel_load = record_kernel_load;
    p->recording.launch = record_launch;
    p->recording.function_launch = record_function_launch;
    p->recording.copy = record_copy;
    p->recording.copy_rows = record_copy_rows;
    p->recording.fft_execute = record_fft;
    if (device->ops->graph_launch)
        p->recording.graph_launch = record_graph_launch;
    device->ops = &p->recording;
}

/* ---- opening and closing ---- */

static void free_profile(mnp__profile *p)
{
    mnp__device *device = p->ctx->device;
    if (p->ops)
        device->ops = p->ops;
    recycle(p, p->reference);
    for (int64_t i = 0; i < p->nfree; i++)
        device->ops->event_free(device, p->free_events[i]);
    if (p->trace)
        fclose(p->trace);
    free(p->free_events);
    free(p->spans);
    free(p->bars);
    free(p->rows);
    free(p);
}

/* The device's clock and the CPU's at the same time: nothing runs on the device. */
static mnp_status set_origin(mnp__profile *p)
{
    MNP_TRY(mnp_ctx_synchronize(p->ctx));
    p->reference = record(p, p->ctx->compute);
    if (!p->reference)
        return MNP_FAIL(MNP_ERR_DEVICE, "no event for the profile");
    MNP_TRY(mnp_ctx_synchronize(p->ctx));
    return MNP_OK;
}

/* Files are replaced, so a name that was given by mistake must not be that of data. */
static mnp_status check_name(const char *setting, const char *name)
{
    const size_t length = strlen(name), end = strlen(".json");
    if (length > end && strcmp(name + length - end, ".json") == 0)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s is '%s', which does not end in .json", setting, name);
}

static mnp_status open_here(mnp__profile *p)
{
    const mnp__config *config = &p->ctx->config;
    if (p->traces)
        MNP_TRY(check_name("MANIPLE_TRACE", config->trace));
    if (strcmp(config->profile, "0") != 0 && strcmp(config->profile, "1") != 0)
        MNP_TRY(check_name("MANIPLE_PROFILE", config->profile));
    if (p->traces && strcmp(config->trace, config->profile) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "MANIPLE_TRACE and MANIPLE_PROFILE are both '%s'", config->trace);
    MNP_TRY(mnp__calloc(MOST_ROWS, sizeof *p->rows, &p->rows));
    if (p->traces && p->ctx->comm.rank == 0 && !(p->trace = fopen(config->trace, "a")))
        return MNP_FAIL(MNP_ERR_IO, "MANIPLE_TRACE: cannot write '%s': %s", config->trace, strerror(errno));
    return set_origin(p);
}

/* Whether this profile becomes the active one of the processes of all ranks.  Collective. */
static mnp_status become_active(mnp__profile *p, bool *is_p)
{
    mnp__profile *none = NULL;
    int others = !atomic_compare_exchange_strong(&active, &none, p);
    const bool own = !others;
    const mnp_status st = mnp__all_reduce(&p->ctx->comm, &others, 1, MPI_INT, MPI_MAX);
    *is_p = st == MNP_OK && !others;
    if (own && !*is_p)
        atomic_store(&active, NULL);
    return st;
}

static mnp_status open_if_first(mnp__profile *p)
{
    bool is_active;
    MNP_TRY(become_active(p, &is_active));
    if (!is_active)
        return MNP_OK;
    const mnp_status st = MNP_AGREE(p->ctx, open_here(p));
    if (st != MNP_OK) {
        atomic_store(&active, NULL);
        return st;
    }
    p->origin = mnp__seconds_now(); /* the agreement has brought the ranks together */
    p->ctx->profile = of_thread = p;
    replace_operations(p);
    mnp__watch_counts = true;
    mnp__current.listener = &listener;
    return MNP_OK;
}

mnp_status mnp__profile_open(mnp_ctx *ctx)
{
    mnp__profile *p = NULL;
    const bool traces = *ctx->config.trace;
    if (!traces && strcmp(ctx->config.profile, "0") == 0)
        return MNP_OK;
    mnp_status st = mnp__calloc(1, sizeof *p, &p);
    if (st == MNP_OK) {
        p->ctx = ctx;
        p->thread = pthread_self();
        p->on_device = !ctx->device->cpu_memory;
        p->traces = traces;
    }
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = open_if_first(p);
    if (p && !ctx->profile)
        free_profile(p);
    return st;
}

void mnp__profile_mute(int change)
{
    mnp__profile *p = own_profile();
    if (!p)
        return;
    if (p->in_call) { /* the call that opens the rehearsal */
        POP_RANGE();
        recycle(p, p->first);
        p->first = NULL;
        p->in_call = false;
    }
    p->muted += change;
}

void mnp__profile_close(mnp_ctx *ctx)
{
    mnp__profile *p = ctx->profile;
    if (!p)
        return;
    mnp__current.listener = NULL;
    mnp__watch_counts = false;
    read_spans(p, true);
    if (!mnp__watch_lost(&ctx->comm)) {
        if (strcmp(ctx->config.profile, "0") != 0)
            mnp__profile_report(p);
        if (p->traces)
            mnp__profile_write_trace(p);
    }
    ctx->profile = of_thread = NULL;
    atomic_store(&active, NULL);
    free_profile(p);
}
