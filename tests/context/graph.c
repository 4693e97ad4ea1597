/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Graphs: recorded calls, launched many times with other values in the same arrays, give the results of plain calls;
 * and what cannot be recorded is refused.  mnp_graph_new() does the same on GPUs and on the host, where nothing is
 * recorded.
 */
#include <maniple.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { ROWS = 61, COLUMNS = 45, FEW = 3, LAUNCHES = 100, PARTS = 5 };

static const char source[] =
    "extern \"C\" __global__ void add_neighbours(const float *x, float *y, int rows, int columns)\n"
    "{\n"
    "    for (int k = threadIdx.x; k < rows * columns; k += blockDim.x)\n"
    "        y[k] = x[k - columns] + x[k + columns];\n"
    "}\n";

/* What all parts work with; the first two change from launch to launch. */
struct work {
    mnp_ctx *ctx;
    mnp_array *x, *few; /* a matrix whose rows are cut, with a margin of a row; three elements for each rank */
    mnp_halo *halo;
    mnp_plan *plan; /* to cut columns, stored one after the other */
    mnp_raw_module *module;
    mnp_raw_kernel *add_neighbours;
};

/* ---- the parts ---- */

static mnp_status compute_elements(struct work *w, mnp_array **y_p)
{
    return mnp_eval(w->ctx, "y = 3 * x - abs(x - 100)", MNP_IN("x", w->x), MNP_OUT("y", y_p));
}

static mnp_status reduce_rows(struct work *w, mnp_array **y_p)
{
    return mnp_sum(w->x, MNP_AXIS(0), y_p); /* over ranks too */
}

static mnp_status redistribute(struct work *w, mnp_array **y_p)
{
    return mnp_plan_run(w->plan, w->x, y_p);
}

static mnp_status add_neighbours(struct work *w, mnp_array **y_p)
{
    const int rows = (int)mnp_array_local_shape(w->x)[0], columns = COLUMNS;
    const mnp_launch launch = {.grid = {1}, .block = {256}};
    mnp_status st = *y_p ? MNP_OK : mnp_array_new(w->ctx, MNP_FLOAT32, mnp_array_layout(w->x), y_p);
    if (st == MNP_OK)
        st = mnp_halo_exchange(w->halo);
    return st != MNP_OK
               ? st
               : mnp_raw_kernel_launch(w->add_neighbours, &launch,
                                       MNP_ARGS(MNP_ARG(w->x), MNP_ARG(*y_p), MNP_ARG(rows), MNP_ARG(columns)));
}

static mnp_status all_reduce(struct work *w, mnp_array **y_p)
{
    mnp_status st = *y_p ? MNP_OK : mnp_array_new(w->ctx, MNP_FLOAT64, mnp_array_layout(w->few), y_p);
    return st != MNP_OK ? st
                        : mnp_comm_all_reduce(mnp_comm_world(w->ctx), mnp_array_local_data(w->few),
                                              mnp_array_local_data(*y_p), FEW, MNP_FLOAT64, MNP_SUM);
}

static const struct part {
    const char *name;
    mnp_status (*run)(struct work *w, mnp_array **y_p); /* makes *y_p where it is NULL */
} parts[PARTS] = {
    {"an expression", compute_elements},
    {"a sum over ranks", reduce_rows},
    {"a plan", redistribute},
    {"a halo and a kernel that reads it", add_neighbours},
    {"an all-reduce", all_reduce},
};

/* ---- setting up ---- */

static mnp_status make_arrays(struct work *w)
{
    const int64_t shape[] = {ROWS, COLUMNS}, few = (int64_t)FEW * mnp_ctx_size(w->ctx), margin[] = {1, 0};
    const int ranks = mnp_ctx_size(w->ctx), rows[] = {0, MNP_NO_AXIS}, columns[] = {MNP_NO_AXIS, 0}, turned[] = {1, 0};
    mnp_layout *by_rows = NULL, *by_columns = NULL, *stored = NULL, *evenly = NULL;
    mnp_status st = mnp_layout_new(1, &ranks, 2, shape, rows, NULL, &by_rows);
    if (st == MNP_OK)
        st = mnp_layout_new(1, &ranks, 2, shape, columns, NULL, &by_columns);
    if (st == MNP_OK)
        st = mnp_layout_with_order(by_columns, turned, &stored);
    if (st == MNP_OK)
        st = mnp_layout_new(1, &ranks, 1, &few, rows, NULL, &evenly);
    if (st == MNP_OK)
        st = mnp_array_new_margins(w->ctx, MNP_FLOAT32, by_rows, margin, margin, &w->x);
    if (st == MNP_OK)
        st = mnp_array_new(w->ctx, MNP_FLOAT64, evenly, &w->few);
    if (st == MNP_OK)
        st = mnp_plan_new(w->x, stored, &w->plan);
    mnp_layout_free(by_rows);
    mnp_layout_free(by_columns);
    mnp_layout_free(stored);
    mnp_layout_free(evenly);
    return st;
}

/* Values that no rank and no row has twice: small integers, of which sums are exact. */
static mnp_status fill(struct work *w)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    mnp_array *ramp = NULL;
    mnp_status st = mnp_fromfunction(w->ctx, "(7 * i0 + 3 * i1) % 101", MNP_FLOAT32, 2, shape, &ramp);
    if (st == MNP_OK)
        st = mnp_copyto(w->x, ramp, MNP_CASTING_SAME_KIND);
    mnp_array_free(ramp);
    const double first = mnp_ctx_rank(w->ctx), own[FEW] = {first, 10 * first, 100 - first};
    return st == MNP_OK ? mnp_array_set_local(w->few, own) : st;
}

static mnp_status begin_work(struct work *w)
{
    const mnp_boundary wrap[] = {MNP_BOUNDARY_WRAP, MNP_BOUNDARY_WRAP};
    mnp_status st = make_arrays(w);
    if (st == MNP_OK)
        st = fill(w);
    if (st == MNP_OK)
        st = mnp_halo_new(w->ctx, 1, &w->x, &(mnp_halo_options){.boundary = wrap}, &w->halo);
    if (st == MNP_OK)
        st = mnp_raw_module_new(w->ctx, source, NULL, &w->module);
    return st == MNP_OK ? mnp_raw_module_kernel(w->module, "add_neighbours", &w->add_neighbours) : st;
}

static void end_work(struct work *w)
{
    mnp_raw_module_free(w->module);
    mnp_halo_free(w->halo);
    mnp_plan_free(w->plan);
    mnp_free_all(w->x, w->few);
}

/* Other values in the same arrays. */
static mnp_status change(struct work *w)
{
    mnp_status st = mnp_add(w->x, MNP_SCALAR(w->ctx, 1.0f), &w->x);
    return st == MNP_OK ? mnp_multiply(w->few, MNP_SCALAR(w->ctx, -1.5), &w->few) : st;
}

/* ---- comparing ---- */

static bool same_values(const mnp_array *a, const mnp_array *b)
{
    const size_t bytes = (size_t)mnp_array_local_size(a) * mnp_dtype_size(mnp_array_dtype(a));
    char *blocks = malloc(2 * bytes + 1);
    bool same = blocks && mnp_array_get_local(a, blocks) == MNP_OK &&
                mnp_array_get_local(b, blocks + bytes) == MNP_OK && memcmp(blocks, blocks + bytes, bytes) == 0;
    free(blocks);
    return same;
}

static mnp_status run_parts(struct work *w, const bool *chosen, mnp_array **results)
{
    mnp_status st = MNP_OK;
    for (int p = 0; p < PARTS && st == MNP_OK; p++)
        st = chosen[p] ? parts[p].run(w, &results[p]) : MNP_OK;
    return st;
}

static mnp_status record(struct work *w, const bool *chosen, mnp_array **results, mnp_graph **graph_p)
{
    mnp_status st = mnp_graph_begin(w->ctx), ended;
    if (st != MNP_OK)
        return st;
    st = run_parts(w, chosen, results);
    ended = mnp_graph_end(w->ctx, graph_p);
    return st != MNP_OK ? st : ended;
}

/* Whether launching the graph and calling the functions give the same results. */
static bool same_round(struct work *w, const bool *chosen, mnp_graph *graph, mnp_array **results, mnp_array **plain)
{
    bool same = change(w) == MNP_OK && mnp_graph_launch(graph) == MNP_OK && run_parts(w, chosen, plain) == MNP_OK;
    for (int p = 0; p < PARTS && same; p++)
        same = !chosen[p] || same_values(results[p], plain[p]);
    return same;
}

/* Ranks that share a GPU exchange messages through the host, where nothing else is possible. */
static bool is_staged(const struct work *w, mnp_status st)
{
    return st == MNP_ERR_ARG && strstr(mnp_ctx_transport(w->ctx), "staged") &&
           strstr(mnp_error_message(), "through the host");
}

/* Record these parts, and launch them; gives whether they can be recorded at all. */
static bool check_parts(struct work *w, const char *name, const bool *chosen)
{
    mnp_array *results[PARTS] = {NULL}, *plain[PARTS] = {NULL}, *before[PARTS] = {NULL};
    mnp_graph *graph = NULL;
    bool good = run_parts(w, chosen, results) == MNP_OK && run_parts(w, chosen, plain) == MNP_OK;
    for (int p = 0; p < PARTS && good; p++)
        good = !chosen[p] || mnp_copy(results[p], &before[p]) == MNP_OK;
    good = good && change(w) == MNP_OK;
    mnp_status st = good ? record(w, chosen, results, &graph) : MNP_ERR_INTERNAL;
    const bool staged = is_staged(w, st);
    if (staged) {
        skip(name, "its messages go through the host");
    } else {
        ok(st == MNP_OK && graph, "%s is recorded%s%s", name, st == MNP_OK ? "" : ": ",
           st == MNP_OK ? "" : mnp_error_message());
        good = st == MNP_OK;
        for (int p = 0; p < PARTS && good; p++)
            good = !chosen[p] || same_values(results[p], before[p]);
        ok(good, "%s is not done when it is recorded", name);
        for (int i = 0; i < LAUNCHES && good; i++)
            good = same_round(w, chosen, graph, results, plain);
        ok(good, "%s, launched %d times, gives what plain calls give", name, LAUNCHES);
        good = fill(w) == MNP_OK; /* values stay small */
    }
    mnp_graph_free(graph);
    for (int p = 0; p < PARTS; p++)
        mnp_free_all(results[p], plain[p], before[p]);
    return !staged;
}

static void check_all_parts(struct work *w)
{
    bool possible[PARTS];
    for (int p = 0; p < PARTS; p++) {
        bool chosen[PARTS] = {false};
        chosen[p] = true;
        possible[p] = check_parts(w, parts[p].name, chosen);
    }
    check_parts(w, "all of it", possible);
}

/* ---- two graphs, and what a graph leaves alone ---- */

static void check_two_graphs(struct work *w)
{
    mnp_array *y = NULL;
    mnp_graph *doubles = NULL, *adds = NULL;
    float sum = 0;
    bool good = mnp_full(w->ctx, MNP_FLOAT32, 0, NULL, &(const float){1}, &y) == MNP_OK &&
                mnp_add(y, MNP_SCALAR(w->ctx, 0), &y) == MNP_OK && mnp_multiply(y, MNP_SCALAR(w->ctx, 1), &y) == MNP_OK;
    good = good && mnp_graph_begin(w->ctx) == MNP_OK && mnp_multiply(y, MNP_SCALAR(w->ctx, 2), &y) == MNP_OK &&
           mnp_graph_end(w->ctx, &doubles) == MNP_OK;
    good = good && mnp_graph_begin(w->ctx) == MNP_OK && mnp_add(y, MNP_SCALAR(w->ctx, 1), &y) == MNP_OK &&
           mnp_graph_end(w->ctx, &adds) == MNP_OK;
    for (int i = 0; i < 5 && good; i++) /* 1 -> 3 -> 7 -> 15 ... */
        good = mnp_graph_launch(doubles) == MNP_OK && mnp_graph_launch(adds) == MNP_OK;
    mnp_graph_free(doubles); /* it may still be running */
    good = good && mnp_graph_launch(adds) == MNP_OK && mnp_array_get_local(y, &sum) == MNP_OK;
    ok(good && sum == 64, "two graphs take turns, in the order of their launches: %g", (double)sum);
    mnp_graph_free(adds);
    mnp_array_free(y);
}

static void check_empty_graph(struct work *w)
{
    mnp_graph *graph = NULL;
    ok(mnp_graph_begin(w->ctx) == MNP_OK && mnp_graph_end(w->ctx, &graph) == MNP_OK &&
           mnp_graph_launch(graph) == MNP_OK && mnp_ctx_synchronize(w->ctx) == MNP_OK,
       "a graph may be empty");
    mnp_graph_free(graph);
}

/* An array that is freed while a graph is recorded: its memory goes back afterwards. */
static void check_freeing(struct work *w)
{
    mnp_array *y = NULL, *again = NULL;
    mnp_graph *graph = NULL;
    bool good =
        mnp_zeros(w->ctx, MNP_FLOAT32, 1, (const int64_t[]){1000}, &y) == MNP_OK && mnp_graph_begin(w->ctx) == MNP_OK;
    mnp_array_free(y);
    good = good && mnp_graph_end(w->ctx, &graph) == MNP_OK && mnp_graph_launch(graph) == MNP_OK;
    good = good && mnp_zeros(w->ctx, MNP_FLOAT32, 1, (const int64_t[]){1000}, &again) == MNP_OK &&
           mnp_ctx_synchronize(w->ctx) == MNP_OK;
    ok(good, "an array may be freed while a graph is recorded");
    mnp_graph_free(graph);
    mnp_array_free(again);
}

/* ---- what is refused ---- */

static mnp_status read_values(struct work *w)
{
    float block[ROWS * COLUMNS];
    return mnp_array_get_local(w->x, block);
}

static mnp_status synchronize(struct work *w)
{
    return mnp_ctx_synchronize(w->ctx);
}

static mnp_status make_array(struct work *w)
{
    mnp_array *y = NULL;
    mnp_status st = mnp_add(w->x, w->x, &y);
    mnp_array_free(y);
    return st;
}

static mnp_status record_event(struct work *w)
{
    mnp_event *event = NULL;
    mnp_status st = mnp_event_new(w->ctx, &event);
    if (st == MNP_OK)
        st = mnp_event_record(event);
    mnp_event_free(event);
    return st;
}

static void check_refused(struct work *w, mnp_status (*call)(struct work *w), const char *words)
{
    mnp_graph *graph = NULL;
    mnp_status st = mnp_graph_begin(w->ctx);
    if (st == MNP_OK)
        st = call(w);
    bool good =
        st == MNP_ERR_ARG && strstr(mnp_error_message(), words) && strstr(mnp_error_message(), "being recorded");
    ok(good, "refused: %s", mnp_error_message());
    st = mnp_graph_end(w->ctx, &graph);
    ok(st == MNP_ERR_ARG && !graph && strstr(mnp_error_message(), words), "then there is no graph: %s",
       mnp_error_message());
    ok(call(w) == MNP_OK && mnp_ctx_synchronize(w->ctx) == MNP_OK, "afterwards it is possible again");
}

static void check_order(struct work *w)
{
    mnp_graph *graph = NULL, *none = NULL;
    ok(mnp_graph_end(w->ctx, &none) == MNP_ERR_ARG && !none && strstr(mnp_error_message(), "no graph"),
       "an end needs a beginning");
    bool good = mnp_graph_begin(w->ctx) == MNP_OK;
    ok(good && mnp_graph_begin(w->ctx) == MNP_ERR_ARG && strstr(mnp_error_message(), "already"), "one graph at a time");
    ok(mnp_graph_end(w->ctx, &graph) == MNP_OK && graph, "which does no harm");
    good = mnp_graph_begin(w->ctx) == MNP_OK && mnp_graph_launch(graph) == MNP_ERR_ARG;
    ok(good && mnp_graph_end(w->ctx, &none) == MNP_ERR_ARG && !none,
       "a graph is not launched while another is recorded");
    ok(mnp_graph_launch(graph) == MNP_OK && mnp_ctx_synchronize(w->ctx) == MNP_OK, "but afterwards");
    mnp_graph_free(graph);
}

/* Begun in a graph, and not finished there; with one rank there is nothing to be finished. */
static void check_unfinished(struct work *w)
{
    mnp_graph *graph = NULL;
    if (mnp_ctx_size(w->ctx) == 1) {
        skip("a halo that is not finished", "one rank has no neighbours");
        return;
    }
    mnp_status st = mnp_graph_begin(w->ctx), begun = st == MNP_OK ? mnp_halo_begin(w->halo) : st;
    const bool staged = is_staged(w, begun);
    st = mnp_graph_end(w->ctx, &graph);
    ok((begun == MNP_OK || staged) && st == MNP_ERR_ARG && !graph, "a halo that is not finished is no graph: %s",
       mnp_error_message());
    ok((begun != MNP_OK || mnp_halo_finish(w->halo) == MNP_OK) && mnp_halo_exchange(w->halo) == MNP_OK &&
           mnp_ctx_synchronize(w->ctx) == MNP_OK,
       "afterwards it can be finished, and goes on");
}

/* ---- graphs of functions, on both devices ---- */

/* A function's argument: the parts that it runs, or a call that cannot be recorded; and how often it was called. */
struct step {
    struct work *work;
    const bool *chosen;
    mnp_array **results;
    mnp_status (*call)(struct work *w);
    int calls;
};

static mnp_status run_step(void *argument)
{
    struct step *step = argument;
    step->calls++;
    return step->call ? step->call(step->work) : run_parts(step->work, step->chosen, step->results);
}

static bool is_host(const struct work *w)
{
    return strcmp(mnp_ctx_device_kind(w->ctx), "cuda") != 0;
}

static void check_function(struct work *w, const char *name, const bool *chosen)
{
    mnp_array *results[PARTS] = {NULL}, *plain[PARTS] = {NULL};
    struct step step = {.work = w, .chosen = chosen, .results = results};
    mnp_graph *graph = NULL;
    bool good = run_parts(w, chosen, plain) == MNP_OK;
    mnp_status st = mnp_graph_new(w->ctx, run_step, &step, &graph);
    if (is_staged(w, st)) {
        skip(name, "its messages go through the host");
    } else {
        for (int p = 0; p < PARTS; p++)
            good = good && (!chosen[p] || same_values(results[p], plain[p]));
        ok(good && st == MNP_OK && graph, "a function: %s is done when the graph is made%s%s", name,
           st == MNP_OK ? "" : ": ", st == MNP_OK ? "" : mnp_error_message());
        for (int i = 0; i < LAUNCHES && good; i++)
            good = same_round(w, chosen, graph, results, plain);
        ok(good, "launched %d times, it gives what plain calls give", LAUNCHES);
        ok(step.calls == (is_host(w) ? 1 + LAUNCHES : 2), "and was called %d times", step.calls);
        good = fill(w) == MNP_OK;
    }
    mnp_graph_free(graph);
    for (int p = 0; p < PARTS; p++)
        mnp_free_all(results[p], plain[p]);
}

/* Refused: by a GPU when it is recorded, by the host when it is launched. */
static void check_function_refused(struct work *w, mnp_status (*call)(struct work *w), const char *words)
{
    struct step step = {.work = w, .call = call};
    mnp_graph *graph = NULL;
    mnp_status st = mnp_graph_new(w->ctx, run_step, &step, &graph);
    bool good = is_host(w) ? st == MNP_OK && graph : !graph;
    if (is_host(w) && good)
        st = mnp_graph_launch(graph);
    ok(good && st == MNP_ERR_ARG && strstr(mnp_error_message(), words), "refused in a function: %s",
       mnp_error_message());
    mnp_graph_free(graph);
    ok(call(w) == MNP_OK && mnp_ctx_synchronize(w->ctx) == MNP_OK, "afterwards it is possible again");
}

static mnp_status draw(struct work *w)
{
    mnp_rng *rng = NULL;
    mnp_status st = mnp_rng_new(w->ctx, 1, &rng);
    if (st == MNP_OK)
        st = mnp_random_uniform(rng, 0, 1, MNP_FLOAT32, 2, mnp_array_shape(w->x), &w->x);
    mnp_rng_free(rng);
    return st;
}

static mnp_status ignore_a_failure(struct work *w)
{
    (void)synchronize(w);
    return MNP_OK;
}

static mnp_status nothing(void *argument)
{
    (void)argument;
    return MNP_OK;
}

static mnp_status make_graph(struct work *w)
{
    mnp_graph *graph = NULL;
    mnp_status st = mnp_graph_new(w->ctx, nothing, NULL, &graph);
    mnp_graph_free(graph);
    return st;
}

static mnp_graph *another;

static mnp_status launch_another(struct work *w)
{
    (void)w;
    return mnp_graph_launch(another);
}

static mnp_status fail_on_one_rank(struct work *w)
{
    return mnp_ctx_rank(w->ctx) == mnp_ctx_size(w->ctx) - 1 ? mnp_fail(MNP_ERR_IO, "no more paper") : MNP_OK;
}

static int until_failure;

static mnp_status fail_later(struct work *w)
{
    return until_failure-- > 0 ? MNP_OK : fail_on_one_rank(w);
}

static void check_failing_functions(struct work *w)
{
    const bool last = mnp_ctx_rank(w->ctx) == mnp_ctx_size(w->ctx) - 1;
    struct step step = {.work = w, .call = fail_on_one_rank};
    mnp_graph *graph = NULL;
    mnp_status st = mnp_graph_new(w->ctx, run_step, &step, &graph);
    ok(st == (last ? MNP_ERR_IO : MNP_ERR_PEER) && !graph && strstr(mnp_error_message(), "no more paper"),
       "a function that fails on one rank: %s", mnp_error_message());
    step.call = fail_later; /* at the first launch on the host, when it is recorded on a GPU */
    until_failure = 1;
    st = mnp_graph_new(w->ctx, run_step, &step, &graph);
    if (is_host(w))
        st = st == MNP_OK ? mnp_graph_launch(graph) : MNP_ERR_INTERNAL;
    ok(st == (last ? MNP_ERR_IO : MNP_ERR_PEER) && strstr(mnp_error_message(), "no more paper"), "later: %s",
       mnp_error_message());
    mnp_graph_free(graph);
}

static void check_functions(struct work *w)
{
    bool all[PARTS];
    for (int p = 0; p < PARTS; p++) {
        bool chosen[PARTS] = {false};
        chosen[p] = all[p] = true;
        check_function(w, parts[p].name, chosen);
    }
    check_function(w, "all of it", all);
    check_function_refused(w, read_values, "waiting for the device");
    check_function_refused(w, make_array, "allocating memory");
    check_function_refused(w, draw, "drawing random numbers");
    check_function_refused(w, ignore_a_failure, "waiting for the device");
    check_function_refused(w, make_graph, "making another graph");
    MNP_OR_EXIT(mnp_graph_new(w->ctx, nothing, NULL, &another));
    check_function_refused(w, launch_another, "launching another graph");
    mnp_clear(&another);
    check_failing_functions(w);
}

static void check_host(mnp_ctx *ctx)
{
    mnp_graph *graph = NULL;
    ok(mnp_graph_begin(ctx) == MNP_ERR_UNSUPPORTED && strstr(mnp_error_message(), "graphs need a GPU"), "refused: %s",
       mnp_error_message());
    ok(mnp_graph_end(ctx, &graph) == MNP_ERR_ARG && !graph, "and there is nothing to end");
    mnp_graph_free(NULL);
    skip("recording", "graphs need a GPU");
}

static void check_gpu(struct work *w)
{
    check_empty_graph(w);
    check_two_graphs(w);
    check_freeing(w);
    check_all_parts(w);
    check_order(w);
    check_refused(w, read_values, "waiting for the device");
    check_refused(w, synchronize, "waiting for the device");
    check_refused(w, make_array, "allocating memory");
    check_refused(w, record_event, "mnp_event_record()");
    check_unfinished(w);
}

int main(void)
{
    struct work w = {.ctx = NULL};
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &w.ctx));
    MNP_OR_EXIT(begin_work(&w));
    if (is_host(&w))
        check_host(w.ctx);
    else
        check_gpu(&w);
    check_functions(&w);
    end_work(&w);
    int status = done_testing();
    mnp_finalize(w.ctx);
    return status;
}
