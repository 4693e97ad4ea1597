/*
 * Times the sorting of lines on a rank, with the figures of mnp__order_tuning that are wanted.
 *
 *   mpirun -n RANKS tests/ops/order_speed [n=N] [lines=N] [repeats=N] [case=NAME] [threads=LIST] [items=LIST] [match=LIST]
 *
 * n is the length of a line, 2^24 if not given.  Prints the median in ms, and millions of keys a second, of the slowest
 * rank.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"
#include "ops/order.h"

enum { MOST_VALUES = 16, MOST_REPEATS = 100 };

static mnp_ctx *ctx;

static const struct sort_case {
    const char *name;
    mnp_dtype dtype;
    bool normal;
    size_t payload_size;
    bool keep_keys;
} cases[] = {
    {"float32", MNP_FLOAT32, true, 0, true},        {"argsort-float32", MNP_FLOAT32, true, 4, false},
    {"pairs-float32", MNP_FLOAT32, true, 4, true},  {"float64", MNP_FLOAT64, true, 0, true},
    {"argsort-float64", MNP_FLOAT64, true, 8, false}, {"int32", MNP_INT32, false, 0, true},
    {"int64", MNP_INT64, false, 0, true},           {"uint8", MNP_UINT8, false, 0, true},
    {"uint16", MNP_UINT16, false, 0, true},         {"complex128", MNP_COMPLEX128, true, 0, true},
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of all bits, or floats of a normal distribution. */
static mnp_array *make_keys(const struct sort_case *c, int64_t count)
{
    mnp_array *keys = NULL;
    mnp_rng *rng;
    const mnp_dtype bits = mnp_dtype_size(c->dtype) == 1 ? MNP_UINT8 : mnp_dtype_size(c->dtype) == 2 ? MNP_UINT16 : c->dtype;
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    if (c->dtype == MNP_COMPLEX128)
        MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 1, (int64_t[]){2 * count}, &keys));
    else if (c->normal)
        MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, c->dtype, 1, &count, &keys));
    else
        MNP_OR_EXIT(mnp_random_integers(rng, 0, mnp_dtype_size(bits) < 4 ? 200 : 1 << 30, false, bits, 1, &count, &keys));
    mnp_rng_free(rng);
    return keys;
}

static double measure(const struct sort_case *c, int64_t lines, int64_t n, const mnp__order_tuning *tuning, int repeats)
{
    double seconds[MOST_REPEATS];
    mnp_event *first, *second;
    mnp_array *keys = make_keys(c, lines * n * mnp_ctx_size(ctx));
    void *sorted, *payload;
    const size_t count = (size_t)(lines * n);
    mnp__device *device = ctx->device;
    MNP_OR_EXIT(device->ops->alloc(device, count * mnp_dtype_size(c->dtype), &sorted));
    MNP_OR_EXIT(device->ops->alloc(device, count * c->payload_size, &payload));
    const mnp__order order = {.dtype = c->dtype,
                              .lines = lines,
                              .length = n,
                              .keys = keys->data,
                              .sorted = c->keep_keys ? sorted : NULL,
                              .payload_size = c->payload_size,
                              .sorted_payload = payload};
    MNP_OR_EXIT(mnp_event_new(ctx, &first));
    MNP_OR_EXIT(mnp_event_new(ctx, &second));
    for (int i = -2; i < repeats; i++) {
        double own;
        MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
        MPI_Barrier(MPI_COMM_WORLD);
        MNP_OR_EXIT(mnp_event_record(first));
        MNP_OR_EXIT(mnp__order_sort_tuned(ctx, &order, tuning));
        MNP_OR_EXIT(mnp_event_record(second));
        MNP_OR_EXIT(mnp_event_seconds(first, second, &own));
        if (i >= 0)
            MPI_Allreduce(&own, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    mnp_event_free(first);
    mnp_event_free(second);
    device->ops->free(device, sorted);
    device->ops->free(device, payload);
    mnp_array_free(keys);
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    return seconds[repeats / 2];
}

typedef struct list {
    const char *name;
    int count;
    int64_t values[MOST_VALUES];
} list;

static bool parse(int argc, char **argv, list *lists, int nlists, const char **wanted)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        bool known = equals && strncmp(argv[i], "case=", 5) == 0;
        if (known)
            *wanted = equals + 1;
        for (int l = 0; equals && l < nlists; l++) {
            if (strncmp(argv[i], lists[l].name, (size_t)(equals - argv[i])) != 0)
                continue;
            known = true;
            lists[l].count = 0;
            for (const char *at = equals; at && lists[l].count < MOST_VALUES; at = strchr(at + 1, ','))
                lists[l].values[lists[l].count++] = strtoll(at + 1, NULL, 10);
        }
        if (!known)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    enum { N, LINES, REPEATS, THREADS, ITEMS, MATCH, SHORT, NUM };
    const mnp__order_tuning d = mnp__order_tuning_default;
    list l[] = {{"n", 1, {1 << 24}},          {"lines", 1, {1}},       {"repeats", 1, {5}},
                {"threads", 1, {d.threads}}, {"items", 1, {d.items}}, {"match", 1, {d.match}},
                {"short", 1, {d.short_items}}};
    const char *wanted = NULL;
    if (!parse(argc, argv, l, NUM, &wanted)) {
        fprintf(stderr, "usage: order_speed [n=N] [lines=N] [repeats=N] [case=NAME] [threads=LIST] [items=LIST] "
                        "[match=LIST] [short=N]\n");
        return 2;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    const int repeats = l[REPEATS].values[0] < MOST_REPEATS ? (int)l[REPEATS].values[0] : MOST_REPEATS;
    const int64_t n = l[N].values[0], lines = l[LINES].values[0];
    const int combinations = l[THREADS].count * l[ITEMS].count * l[MATCH].count;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int i = 0; i < combinations && (!wanted || strcmp(wanted, cases[c].name) == 0); i++) {
            const int left = i / l[THREADS].count;
            const mnp__order_tuning tuning = {.threads = (int)l[THREADS].values[i % l[THREADS].count],
                                              .items = (int)l[ITEMS].values[left % l[ITEMS].count],
                                              .match = (int)l[MATCH].values[left / l[ITEMS].count],
                                              .short_items = (int)l[SHORT].values[0]};
            const double median = measure(&cases[c], lines, n, &tuning, repeats);
            if (mnp_ctx_rank(ctx) == 0)
                printf("%-16s %8" PRId64 " x %-10" PRId64 " threads %d items %2d match %d: %9.3f ms %9.1f Mkeys/s\n",
                       cases[c].name, lines, n, tuning.threads, tuning.items, tuning.match, 1e3 * median,
                       1e-6 * (double)(lines * n) / median);
            fflush(stdout);
        }
    }
    mnp_finalize(ctx);
    return 0;
}
