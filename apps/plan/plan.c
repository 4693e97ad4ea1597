/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: the options, the model of the time, and the report.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "common/command.h"
#include "common/options.h"
#include "report/report.h"

enum { MOST_RANKS = 1 << 20 };

/* ---- options ---- */

bool plan_is_option(int key)
{
    return key >= KEY_PLAN && key <= KEY_PLAN_NETWORK;
}

static mnp_status take_machine(plan_request *request)
{
    const char *names[8] = {NULL};
    int index = 0;
    for (int m = 0; machines[m].name; m++)
        names[m] = machines[m].name;
    const mnp_status status = options_choose("machine", optarg, names, &index);
    request->machine = &machines[index];
    return status;
}

static mnp_status take_network(plan_request *request)
{
    char *end;
    const double rate = strtod(optarg, &end);
    if (end == optarg || *end || !(rate > 0 && rate <= 1e6))
        return mnp_fail(MNP_ERR_ARG, "--network is '%s'; it must be a number of GB/s above 0, such as 50", optarg);
    request->network = rate * 1e9;
    return MNP_OK;
}

mnp_status plan_option(int key, plan_request *request)
{
    switch (key) {
    case KEY_PLAN_RANKS:
        return options_count("ranks", optarg, 1, MOST_RANKS, &request->ranks);
    case KEY_PLAN_HOSTS:
        return options_count("hosts", optarg, 1, MOST_RANKS, &request->hosts);
    case KEY_PLAN_MACHINE:
        return take_machine(request);
    case KEY_PLAN_NETWORK:
        return take_network(request);
    default:
        request->wanted = true;
        return MNP_OK;
    }
}

mnp_status plan_check_options(const plan_request *request)
{
    const char *option = request->ranks     ? "ranks"
                         : request->hosts   ? "hosts"
                         : request->machine ? "machine"
                         : request->network ? "network"
                                            : NULL;
    if (option && !request->wanted)
        return mnp_fail(MNP_ERR_ARG, "--%s goes with --plan", option);
    if (request->ranks && request->hosts > request->ranks)
        return mnp_fail(MNP_ERR_ARG, "--hosts is %lld, more than --ranks, which is %lld", (long long)request->hosts,
                        (long long)request->ranks);
    return MNP_OK;
}

/* ---- plans ---- */

/* The hosts that the ranks of a context are on, and the threads of a rank. */
static mnp_status count_hosts(mnp_ctx *ctx, int *hosts_p, int *threads_p)
{
    mnp_rank_info *ranks = NULL;
    const mnp_status status = rank_infos(ctx, &ranks, NULL);
    int hosts = 0;
    for (int r = 0; status == MNP_OK && r < mnp_ctx_size(ctx); r++) {
        int before = 0;
        while (before < r && strcmp(ranks[before].host, ranks[r].host) != 0)
            before++;
        hosts += before == r;
    }
    *threads_p = status == MNP_OK && ranks[0].device_index < 0 ? ranks[0].multiprocessors : 1;
    free(ranks);
    *hosts_p = hosts;
    return status;
}

mnp_status plan_begin(mnp_ctx *ctx, const plan_request *request, plan *p)
{
    int hosts, threads;
    const mnp_status status = count_hosts(ctx, &hosts, &threads);
    if (status != MNP_OK)
        return status;
    const int size = mnp_ctx_size(ctx), ranks = request->ranks ? (int)request->ranks : size;
    *p = (plan){.ctx = ctx,
                .machine = request->machine ? request->machine : machine_of(ctx),
                .ranks = ranks,
                .hosts = request->hosts  ? (int)request->hosts
                         : ranks == size ? hosts
                                         : 1};
    p->as_started = ranks == size && p->machine == machine_of(ctx);
    p->threads = p->as_started && !p->machine->gpu ? threads : 1;
    p->network = request->network > 0 ? request->network : p->machine->network;
    p->network_given = request->network > 0;
    return p->hosts <= ranks
               ? MNP_OK
               : mnp_fail(MNP_ERR_ARG, "--hosts is %d, and there are %d rank%s", p->hosts, ranks, plural(ranks));
}

void plan_keep(plan *p, const char *what, double bytes)
{
    if (p->nmemory < PLAN_MOST_STEPS && bytes > 0)
        p->memory[p->nmemory++] = (plan_memory){what, bytes};
}

int64_t plan_held(const plan *p)
{
    mnp_memory_pool_info heap = {.used = 0}, scratch = {.used = 0};
    (void)mnp_memory_info(p->ctx, MNP_MEMORY_HEAP, &heap);
    (void)mnp_memory_info(p->ctx, MNP_MEMORY_SCRATCH, &scratch);
    return heap.used + scratch.used;
}

double plan_grown(const plan *p, int64_t before)
{
    int64_t grown = plan_held(p) - before;
    all_reduce(p->ctx, &grown, 1, MPI_INT64_T, MPI_MAX);
    return (double)grown;
}

static void write_words(char *words, const char *format, va_list arguments)
{
    vsnprintf(words, PLAN_NOTE, format, arguments);
}

void plan_by(plan *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_words(p->algorithm, format, arguments);
    va_end(arguments);
}

void plan_note(plan *p, const char *format, ...)
{
    va_list arguments;
    if (p->nnotes == PLAN_MOST_NOTES)
        return;
    va_start(arguments, format);
    write_words(p->notes[p->nnotes++], format, arguments);
    va_end(arguments);
}

double plan_block(const plan *p, int ndim, const int64_t *shape, int parts[MNP_MAX_DIMS])
{
    double block = 1;
    mnp_layout *layout = NULL;
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        parts[d] = 1;
    if (mnp_layout_block(p->ranks, ndim, shape, &layout) != MNP_OK)
        return 0;
    for (int d = 0; d < ndim; d++) {
        parts[d] = mnp_layout_parts(layout, d);
        block *= ceil((double)shape[d] / (double)parts[d]);
    }
    mnp_layout_free(layout);
    return block;
}

/* ---- the model ---- */

static double ranks_of_host(const plan *p)
{
    return ceil((double)p->ranks / (double)p->hosts);
}

void plan_spread(const plan *p, plan_step *step, double bytes)
{
    const double others = p->ranks - 1, near = ranks_of_host(p) - 1;
    if (others < 1)
        return;
    step->near_bytes += bytes * near / others;
    step->far_bytes += bytes * (others - near) / others;
    step->messages += others;
}

/* With several hosts some rank has half of its neighbours on another one. */
void plan_neighbours(const plan *p, plan_step *step, double bytes, double messages)
{
    const double far = p->hosts > 1 ? ranks_of_host(p) > 1 ? 0.5 : 1 : 0;
    step->near_bytes += bytes * (1 - far);
    step->far_bytes += bytes * far;
    step->messages += messages;
}

/* Bytes a second of memory that is used for the first time; 0: it costs nothing. */
static double new_memory(const plan *p)
{
    return ranks_of_host(p) > 1 ? p->machine->fresh_shared : p->machine->fresh;
}

static double steps_of_tree(double n)
{
    return n > 1 ? ceil(log2(n)) : 0;
}

void plan_add(plan *p, plan_step s)
{
    const machine *m = p->machine;
    const double rate = s.operations > 0 ? machine_rate(m, s.work, s.dtype) : 0,
                 arithmetic = rate > 0 ? s.operations / rate / p->threads : 0,
                 memory = s.bytes / m->memory / p->threads;
    s.at_least = s.at_least || (s.operations > 0 && rate == 0);
    s.seconds += (arithmetic > memory ? arithmetic : memory) + s.launches * m->launch;
    if (m->fresh > 0)
        s.seconds += s.fresh / new_memory(p);
    const double near = s.near_bytes / m->link, far = s.far_bytes / p->network;
    s.seconds += near > far ? near : far;
    /* ranks of a host are reached side by side; of messages to other hosts each takes its time */
    const double far_messages =
        s.near_bytes + s.far_bytes > 0 ? s.messages * s.far_bytes / (s.near_bytes + s.far_bytes) : 0;
    s.seconds += (s.messages > far_messages ? m->link_latency : 0) + far_messages * m->network_latency;
    if (p->ranks > 1)
        s.seconds += s.joins * (m->join + 2 * steps_of_tree(p->hosts) * m->network_latency);
    if (p->nsteps < PLAN_MOST_STEPS)
        p->steps[p->nsteps++] = s;
}

/* ---- the report ---- */

typedef struct sums {
    double seconds, bytes, messages, joins; /* of a rank */
    bool at_least, any;
} sums;

static sums add_up(const plan *p, bool each)
{
    sums t = {0};
    for (int i = 0; i < p->nsteps; i++) {
        const plan_step *s = &p->steps[i];
        if (s->each != each)
            continue;
        t.any = true;
        t.seconds += s->seconds;
        t.bytes += s->near_bytes + s->far_bytes;
        t.messages += s->messages;
        t.joins += p->ranks > 1 ? s->joins : 0;
        t.at_least = t.at_least || s->at_least;
    }
    return t;
}

static double total_memory(const plan *p)
{
    double bytes = 0;
    for (int i = 0; i < p->nmemory; i++)
        bytes += p->memory[i].bytes;
    return bytes;
}

static void print_sums(const char *title, const sums *t, const char *when)
{
    char bytes[BYTES_TEXT];
    printf("%-10s%s%.3g s%s, by the model\n", title, t->at_least ? "at least " : "", t->seconds, when);
    printf("sent      %s in %.0f messages by the rank that sends most%s", bytes_text((int64_t)t->bytes, bytes),
           t->messages, when);
    if (t->joins > 0)
        printf(", and %.0f all-reduces of a few numbers", t->joins);
    puts("");
}

static void print_steps(const plan *p)
{
    for (int i = 0; i < p->nsteps; i++) {
        const plan_step *s = &p->steps[i];
        printf("%-10s%-34s%s%.3g s%s\n", i == 0 ? "steps" : "", s->what, s->at_least ? "at least " : "", s->seconds,
               s->each ? " an iteration" : "");
    }
}

static void print_constants(const plan *p)
{
    const machine *m = p->machine;
    printf("constants %s: %s\n", m->what, m->source);
    printf("          memory %.4g GB/s, link %.4g GB/s, launch %.3g us, all-reduce %.3g us\n", m->memory / 1e9,
           m->link / 1e9, m->launch * 1e6, m->join * 1e6);
    if (m->fresh > 0)
        printf("          new memory %.4g GB/s\n", new_memory(p) / 1e9);
    for (int i = 0; i < p->nsteps; i++) {
        const plan_step *s = &p->steps[i];
        const double rate = s->operations > 0 ? machine_rate(m, s->work, s->dtype) : 0;
        if (rate > 0)
            printf("          %s: %.4g GFLOP/s in %s\n", s->what, rate / 1e9, mnp_dtype_name(s->dtype));
        else if (s->operations > 0)
            printf("          %s: the rate in %s was not measured\n", s->what, mnp_dtype_name(s->dtype));
    }
    if (p->threads > 1)
        printf("          times %d, as many threads as a rank has\n", p->threads);
    if (p->hosts > 1)
        printf("          between hosts %.4g GB/s a rank, %s\n", p->network / 1e9,
               p->network_given ? "as given by --network" : m->network_source);
}

static void print_text(const plan *p)
{
    char bytes[BYTES_TEXT];
    const sums once = add_up(p, false), each = add_up(p, true);
    printf("planned   for %d rank%s on %d host%s: %s\n", p->ranks, plural(p->ranks), p->hosts, plural(p->hosts),
           p->machine->name);
    if (p->text)
        p->text(p->run);
    printf("algorithm %s\n", p->algorithm);
    if (p->slabs > 0)
        printf("streamed  %lld slabs of %lld rows, each read and written while another is computed\n",
               (long long)p->slabs, (long long)p->slab_rows);
    printf("memory    %s a rank", bytes_text((int64_t)total_memory(p), bytes));
    for (int i = 0; i < p->nmemory; i++)
        printf("%s %s %s", i == 0 ? ":" : ",", p->memory[i].what, bytes_text((int64_t)p->memory[i].bytes, bytes));
    puts("");
    print_steps(p);
    if (once.any)
        print_sums("predicted", &once, each.any ? " before the first iteration" : "");
    if (each.any)
        print_sums("predicted", &each, " an iteration");
    print_constants(p);
    for (int i = 0; i < p->nnotes; i++)
        printf("note      %s\n", p->notes[i]);
}

static void json_sums(json_writer *out, const char *name, const plan *p, bool each)
{
    const sums t = add_up(p, each);
    if (!t.any)
        return;
    json_row(out, name, '{');
    json_measured(out, "seconds", t.seconds);
    json_bool(out, "at_least", t.at_least);
    json_number(out, "sent_bytes", t.bytes);
    json_number(out, "messages", t.messages);
    json_number(out, "all_reduces", t.joins);
    json_close(out);
}

static void json_steps(json_writer *out, const plan *p)
{
    json_open(out, "steps", '[');
    for (int i = 0; i < p->nsteps; i++) {
        const plan_step *s = &p->steps[i];
        json_row(out, NULL, '{');
        json_text(out, "what", s->what);
        json_bool(out, "each_iteration", s->each);
        json_measured(out, "seconds", s->seconds);
        json_bool(out, "at_least", s->at_least);
        json_number(out, "operations", s->operations);
        json_number(out, "operations_a_second", s->operations > 0 ? machine_rate(p->machine, s->work, s->dtype) : 0);
        json_number(out, "bytes", s->bytes);
        json_number(out, "new_bytes", s->fresh);
        json_number(out, "launches", s->launches);
        json_number(out, "messages", s->messages);
        json_number(out, "near_bytes", s->near_bytes);
        json_number(out, "far_bytes", s->far_bytes);
        json_close(out);
    }
    json_close(out);
}

static void json_constants(json_writer *out, const plan *p)
{
    const machine *m = p->machine;
    json_row(out, "constants", '{');
    json_text(out, "machine", m->name);
    json_text(out, "source", m->source);
    json_integer(out, "threads", p->threads);
    json_number(out, "memory", m->memory);
    json_number(out, "new_memory", new_memory(p));
    json_number(out, "link", m->link);
    json_number(out, "network", p->network);
    json_text(out, "network_source", p->network_given ? "--network" : m->network_source);
    json_number(out, "launch_seconds", m->launch);
    json_number(out, "all_reduce_seconds", m->join);
    json_close(out);
}

static void print_json(const plan *p)
{
    json_writer out = json_start(stdout);
    json_open(&out, NULL, '{');
    json_integer(&out, "ranks", p->ranks);
    json_integer(&out, "hosts", p->hosts);
    if (p->json)
        p->json(p->run, &out);
    json_text(&out, "algorithm", p->algorithm);
    json_integer(&out, "slabs", p->slabs);
    if (p->slabs > 0)
        json_integer(&out, "rows", p->slab_rows);
    json_row(&out, "memory_a_rank", '{');
    for (int i = 0; i < p->nmemory; i++)
        json_number(&out, p->memory[i].what, p->memory[i].bytes);
    json_number(&out, "all", total_memory(p));
    json_close(&out);
    json_steps(&out, p);
    json_sums(&out, "predicted", p, false);
    json_sums(&out, "predicted_iteration", p, true);
    json_constants(&out, p);
    json_open(&out, "notes", '[');
    for (int i = 0; i < p->nnotes; i++)
        json_text(&out, NULL, p->notes[i]);
    json_close(&out);
    json_close(&out);
}

void plan_print(plan *p, bool quiet, bool json)
{
    plan_note(p, "reading, writing and compiling are not in the model");
    if (mnp_ctx_rank(p->ctx) != 0)
        return;
    if (json)
        print_json(p);
    else if (!quiet)
        print_text(p);
}
