/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile's end: the counts of all ranks as a table or as JSON, and the trace of all ranks.
 */
#include "context/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/process/clock.h"

/* A function, over all ranks. */
typedef struct total {
    char name[MNP__PROFILE_NAME];
    int64_t calls, launches;           /* the most of a rank */
    mnp__traffic sent;                 /* the most of a rank */
    double cpu, device, waited, bytes; /* sums */
    double slowest;                    /* device seconds of a rank, the most */
} total;

typedef struct totals {
    int ranks, count;
    total *functions;
    double seconds, compile; /* of the slowest rank */
    double ceiling;          /* bytes a second that copies of all ranks read and write; 0: it could not be measured */
    int64_t kernels;         /* the most of a rank */
    int64_t heap, scratch;   /* bytes, the most of a rank */
} totals;

/* ---- gathering ---- */

static void add_row(totals *t, const mnp__profile_row *row)
{
    int i = 0;
    if (row->calls == 0)
        return;
    while (i < t->count && strcmp(t->functions[i].name, row->name) != 0)
        i++;
    total *f = &t->functions[i];
    if (i == t->count) {
        *f = (total){.calls = 0};
        memcpy(f->name, row->name, sizeof f->name);
        t->count++;
    }
    f->calls = mnp__max(f->calls, row->calls);
    f->launches = mnp__max(f->launches, row->launches);
    f->sent.bytes = mnp__max(f->sent.bytes, row->sent.bytes);
    f->sent.messages = mnp__max(f->sent.messages, row->sent.messages);
    f->sent.collectives = mnp__max(f->sent.collectives, row->sent.collectives);
    f->cpu += row->cpu;
    f->device += row->device;
    f->waited += row->waited;
    f->bytes += row->bytes;
    f->slowest = row->device > f->slowest ? row->device : f->slowest;
}

static int by_time(const void *a, const void *b)
{
    const total *x = a, *y = b;
    const double p = x->device > x->cpu ? x->device : x->cpu, q = y->device > y->cpu ? y->device : y->cpu;
    return (p < q) - (p > q);
}

/* Bring the rows of all ranks to rank 0.  False: there is no memory for them there. */
static bool gather(mnp__profile *p, totals *t)
{
    const mnp__comm *comm = &p->ctx->comm;
    const int own = p->nrows * (int)sizeof *p->rows;
    int *sizes = NULL, *places = NULL, all = 0, ready = 1;
    mnp__profile_row *rows = NULL;
    if (comm->rank == 0)
        ready = (sizes = calloc(2 * (size_t)comm->size, sizeof *sizes)) != NULL;
    MPI_Bcast(&ready, 1, MPI_INT, 0, comm->mpi);
    if (!ready)
        return false;
    MPI_Gather(&own, 1, MPI_INT, sizes, 1, MPI_INT, 0, comm->mpi);
    for (int r = 0; comm->rank == 0 && r < comm->size; r++) {
        places = sizes + comm->size;
        places[r] = all;
        all += sizes[r];
    }
    if (comm->rank == 0) {
        rows = malloc((size_t)all + 1);
        t->functions = calloc((size_t)all / sizeof *rows + 1, sizeof *t->functions);
        ready = rows && t->functions;
    }
    MPI_Bcast(&ready, 1, MPI_INT, 0, comm->mpi);
    if (ready)
        MPI_Gatherv(p->rows, own, MPI_BYTE, rows, sizes, places, MPI_BYTE, 0, comm->mpi);
    for (int i = 0; ready && i < all / (int)sizeof *rows; i++)
        add_row(t, &rows[i]);
    if (t->count > 0)
        qsort(t->functions, (size_t)t->count, sizeof *t->functions, by_time);
    free(rows);
    free(sizes);
    return ready;
}

static void gather_figures(mnp__profile *p, totals *t)
{
    mnp_memory_pool_info heap = {.peak = 0}, scratch = {.peak = 0};
    (void)mnp_memory_info(p->ctx, MNP_MEMORY_HEAP, &heap);
    (void)mnp_memory_info(p->ctx, MNP_MEMORY_SCRATCH, &scratch);
    double figures[] = {mnp__seconds_now() - p->origin, p->ctx->device->load_seconds, (double)p->kernels,
                        (double)heap.peak, (double)scratch.peak};
    const bool root = p->ctx->comm.rank == 0;
    MPI_Reduce(root ? MPI_IN_PLACE : figures, figures, sizeof figures / sizeof *figures, MPI_DOUBLE, MPI_MAX, 0,
               p->ctx->comm.mpi);
    t->ranks = p->ctx->comm.size;
    t->seconds = figures[0];
    t->compile = figures[1];
    t->kernels = (int64_t)figures[2];
    t->heap = (int64_t)figures[3];
    t->scratch = (int64_t)figures[4];
}

/* ---- the ceiling ---- */

/* The seconds of a copy of so many bytes in the memory of this rank's device, the least of a few. */
static mnp_status time_copy(mnp__profile *p, size_t size, double *seconds_p)
{
    enum { COPIES = 4 };
    const mnp__device_ops *ops = p->ops; /* those that are not recorded */
    mnp__device *device = p->ctx->device;
    mnp__stream *stream = p->ctx->compute;
    mnp__device_event *events[COPIES + 1] = {NULL};
    void *memory = NULL;
    mnp_status st = ops->alloc(device, 2 * size, &memory);
    if (st == MNP_OK)
        st = ops->fill(device, memory, 0, 2 * size, stream); /* memory is there once it has been written */
    for (int i = 0; st == MNP_OK && i <= COPIES; i++) {
        st = ops->event_new(device, &events[i]);
        if (st == MNP_OK)
            st = ops->event_record(device, events[i], stream);
        if (st == MNP_OK && i < COPIES)
            st = ops->copy(device, memory, (char *)memory + size, size, stream);
    }
    if (st == MNP_OK)
        st = mnp_ctx_synchronize(p->ctx);
    *seconds_p = INFINITY;
    for (int i = 0; st == MNP_OK && i < COPIES; i++) {
        double seconds;
        st = ops->event_seconds(device, events[i], events[i + 1], &seconds);
        *seconds_p = seconds < *seconds_p ? seconds : *seconds_p;
    }
    for (int i = 0; i <= COPIES; i++)
        if (events[i])
            ops->event_free(device, events[i]);
    if (memory)
        ops->free(device, memory);
    return st;
}

/*
 * What the memory of all devices gives: copies by all ranks at once, larger than most caches, and than what memcpy()
 * takes through them.  It is measured after the program's work, which is not delayed by it.
 */
static void measure_ceiling(mnp__profile *p, totals *t)
{
    const size_t size = (size_t)(p->on_device ? 256 : 128) << 20;
    double seconds, slowest = 0;
    MPI_Barrier(p->ctx->comm.mpi);
    if (time_copy(p, size, &seconds) != MNP_OK)
        seconds = INFINITY;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, p->ctx->comm.mpi);
    t->ceiling = slowest > 0 ? 2 * (double)size * t->ranks / slowest : 0;
}

/* ---- printing ---- */

static double rate(const total *f)
{
    return f->slowest > 0 ? 1e-9 * f->bytes / f->slowest : 0;
}

/* How much longer the slowest rank took than the mean. */
static double imbalance(const totals *t, const total *f)
{
    return f->device > 0 ? f->slowest * t->ranks / f->device : 1;
}

/* The bandwidth in per cent of the ceiling, of functions that have used the device. */
static void print_share(const totals *t, const total *f, FILE *out)
{
    if (t->ceiling > 0 && f->launches > 0)
        fprintf(out, " %7.1f%%", 100 * 1e9 * rate(f) / t->ceiling);
    else
        fprintf(out, " %8s", "-");
}

static void print_table(const totals *t, const char *device, FILE *out)
{
    enum { WIDTH = 34 };
    fprintf(out, "\nprofile of %d rank%s, %.4f s, device %s; times are seconds, means over the ranks\n", t->ranks,
            t->ranks == 1 ? "" : "s", t->seconds, device);
    fprintf(out, "%-*s %9s %9s %10s %10s %10s %10s %9s %8s %10s %9s\n", WIDTH, "function", "calls", "launches", "CPU",
            "device", "waits", "GB", "GB/s", "of copy", "sent, GB", "imbalance");
    for (int i = 0; i < t->count; i++) {
        const total *f = &t->functions[i];
        fprintf(out, "%-*s %9lld %9lld %10.6f %10.6f %10.6f %10.4f %9.2f", WIDTH, f->name, (long long)f->calls,
                (long long)f->launches, f->cpu / t->ranks, f->device / t->ranks, f->waited / t->ranks, 1e-9 * f->bytes,
                rate(f));
        print_share(t, f, out);
        fprintf(out, " %10.6f %9.2f\n", 1e-9 * (double)f->sent.bytes, imbalance(t, f));
    }
    if (t->ceiling > 0)
        fprintf(out, "a copy by all ranks at once reads and writes %.2f GB/s, measured after the program's work\n",
                1e-9 * t->ceiling);
    fprintf(out, "%lld kernels loaded in %.4f s; a rank's arrays took at most %.1f MiB, and scratch memory %.1f MiB\n",
            (long long)t->kernels, t->compile, (double)t->heap / (1 << 20), (double)t->scratch / (1 << 20));
}

static void print_json(const totals *t, const char *device, FILE *out)
{
    fprintf(out, "{\n  \"ranks\": %d,\n  \"device\": \"%s\",\n  \"seconds\": %.6g,\n  \"functions\": [", t->ranks,
            device, t->seconds);
    for (int i = 0; i < t->count; i++) {
        const total *f = &t->functions[i];
        fprintf(
            out,
            "%s\n    {\"name\": \"%s\", \"calls\": %lld, \"cpu\": %.6g, \"device\": %.6g, \"waits\": %.6g, "
            "\"bytes\": %.0f, \"slowest_device\": %.6g, \"launches\": %lld, \"sent_bytes\": %lld, \"messages\": %lld, "
            "\"collectives\": %lld}",
            i > 0 ? "," : "", f->name, (long long)f->calls, f->cpu / t->ranks, f->device / t->ranks,
            f->waited / t->ranks, f->bytes, f->slowest, (long long)f->launches, (long long)f->sent.bytes,
            (long long)f->sent.messages, (long long)f->sent.collectives);
    }
    fprintf(out,
            "\n  ],\n  \"copy_bytes_per_second\": %.6g,\n  \"kernels\": %lld,\n  \"kernel_seconds\": %.6g,\n  "
            "\"heap_bytes\": %lld,\n  \"scratch_bytes\": "
            "%lld\n}\n",
            t->ceiling, (long long)t->kernels, t->compile, (long long)t->heap, (long long)t->scratch);
}

/* Say what has become of a file that was written. */
static void close_file(const mnp__profile *p, FILE *file, const char *variable, const char *path)
{
    const bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        MNP_LOG(&p->ctx->config.logger, MNP_LOG_ERROR, "%s: '%s' could not be written", variable, path);
}

void mnp__profile_report(mnp__profile *p)
{
    totals t = {.count = 0};
    const char *path = p->ctx->config.profile, *device = p->ctx->device->ops->kind;
    const bool complete = gather(p, &t);
    gather_figures(p, &t);
    measure_ceiling(p, &t);
    if (p->ctx->comm.rank == 0 && complete) {
        FILE *file = strcmp(path, "1") == 0 ? stderr : fopen(path, "w");
        if (!file)
            MNP_LOG(&p->ctx->config.logger, MNP_LOG_ERROR, "MANIPLE_PROFILE: cannot write '%s': %s", path,
                    strerror(errno));
        else if (file == stderr)
            print_table(&t, device, stderr);
        else
            print_json(&t, device, file);
        if (file && file != stderr)
            close_file(p, file, "MANIPLE_PROFILE", path);
    }
    free(t.functions);
}

/* ---- the trace ---- */

static const char *const track_names[] = {"calls", "calls on the device", "compute stream", "transfer stream"};
enum { TRACKS = sizeof track_names / sizeof *track_names };

static void write_names(FILE *out, int rank, const char *host)
{
    fprintf(out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"rank %d on %s\"}}",
            rank > 0 ? ",\n" : "", rank, rank, host);
    for (int track = 0; track < TRACKS; track++)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
                rank, track, track_names[track]);
}

static void write_bars(FILE *out, int rank, int64_t count, const mnp__profile_bar *bars)
{
    for (int64_t i = 0; i < count; i++)
        fprintf(out, ",\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f}", bars[i].name,
                rank, (int)bars[i].track, 1e6 * bars[i].begin, 1e6 * bars[i].seconds);
}

/* Write what another rank sends, piece by piece. */
static void receive_bars(FILE *out, const mnp__comm *comm, int rank)
{
    enum { PIECE = 1024 };
    mnp__profile_bar bars[PIECE];
    for (int bytes = sizeof bars; bytes == sizeof bars;) {
        MPI_Status status;
        MPI_Recv(bars, sizeof bars, MPI_BYTE, rank, 0, comm->mpi, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        write_bars(out, rank, bytes / (int)sizeof *bars, bars);
    }
}

static void send_bars(const mnp__profile *p, const mnp__comm *comm)
{
    enum { PIECE = 1024 };
    int64_t sent = 0;
    for (int64_t piece = PIECE; piece == PIECE; sent += piece) {
        piece = p->nbars - sent < PIECE ? p->nbars - sent : PIECE;
        MPI_Send(p->bars ? p->bars + sent : NULL, (int)piece * (int)sizeof *p->bars, MPI_BYTE, 0, 0, comm->mpi);
    }
}

void mnp__profile_write_trace(mnp__profile *p)
{
    const mnp__comm *comm = &p->ctx->comm;
    mnp_rank_info *infos = NULL;
    const bool known = mnp__calloc((size_t)comm->size, sizeof *infos, &infos) == MNP_OK;
    if (comm->rank == 0 && ftruncate(fileno(p->trace), 0) != 0)
        MNP_LOG(&p->ctx->config.logger, MNP_LOG_WARN, "MANIPLE_TRACE: '%s' keeps what it had: %s", p->ctx->config.trace,
                strerror(errno));
    if (MNP_AGREE(p->ctx, known ? MNP_OK : MNP_ERR_MEMORY) == MNP_OK && mnp_ctx_info(p->ctx, infos, NULL) == MNP_OK) {
        if (comm->rank != 0)
            send_bars(p, comm);
        else
            fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", p->trace);
        for (int r = 0; comm->rank == 0 && r < comm->size; r++) {
            write_names(p->trace, r, infos[r].host);
            if (r == 0)
                write_bars(p->trace, 0, p->nbars, p->bars);
            else
                receive_bars(p->trace, comm, r);
        }
        if (comm->rank == 0)
            fputs("\n]}\n", p->trace);
    }
    if (p->lost_bars > 0)
        MNP_LOG(&p->ctx->config.logger, MNP_LOG_WARN, "MANIPLE_TRACE: the last %lld bars are missing",
                (long long)p->lost_bars);
    if (comm->rank == 0)
        close_file(p, p->trace, "MANIPLE_TRACE", p->ctx->config.trace);
    p->trace = NULL;
    free(infos);
}
