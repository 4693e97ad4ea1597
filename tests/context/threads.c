/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two contexts, each in a thread of its own, that compute at the same time on all ranks: MPI_THREAD_MULTIPLE.
 */
#include <maniple.h>

#include <pthread.h>
#include <string.h>

#include "tests/tap.h"

enum { THREADS = 2, ROUNDS = 30, EXTENT = 5000 };

static pthread_barrier_t both;

struct work {
    MPI_Comm comm;
    int number;
    mnp_status st;
    bool right, has_own_message;
    char message[512];
};

/* Sums and sorted values of numbers that the other thread does not have. */
static mnp_status compute(mnp_ctx *ctx, const struct work *w, bool *right_p)
{
    const int64_t shape[] = {EXTENT}, size = EXTENT;
    mnp_array *x = NULL, *sorted = NULL, *first = NULL, *sum = NULL;
    mnp_status st = MNP_OK;
    double total = 0, least = 0;
    const double scale = w->number + 1;
    for (int round = 0; round < ROUNDS && st == MNP_OK; round++) {
        const double offset = round + 100 * w->number;
        st = mnp_fromfunction(ctx, "-i0", MNP_FLOAT64, 1, shape, &x);
        if (st == MNP_OK)
            st = mnp_eval(ctx, "x = scale * x + offset",
                          MNP_IN("x", x, "scale", MNP_SCALAR(ctx, scale), "offset", MNP_SCALAR(ctx, offset)),
                          MNP_OUT("x", &x));
        if (st == MNP_OK)
            st = mnp_sort(x, 0, &sorted);
        if (st == MNP_OK)
            st = mnp_index(sorted, "0", &first);
        if (st == MNP_OK)
            st = mnp_sum(x, MNP_ALL_AXES, &sum);
        if (st == MNP_OK)
            st = mnp_items(MNP_ITEM(sum, &total), MNP_ITEM(first, &least));
        const double wanted = -scale * (double)(size * (size - 1) / 2) + offset * (double)size;
        *right_p = *right_p && total == wanted && least == offset - scale * (EXTENT - 1);
        mnp_clear(&x);
        mnp_clear(&first);
        mnp_clear(&sum);
    }
    mnp_clear(&sorted);
    return st;
}

/* Whether a thread's message is its own while both have one.  Both threads come here, also without a context. */
static bool has_own_message(mnp_ctx *ctx, int number)
{
    mnp_array *x = NULL;
    const char wanted[] = {'-', '7', (char)('0' + number), '\0'};
    const mnp_status st = ctx ? mnp_zeros(ctx, MNP_FLOAT64, 1, (const int64_t[]){-70 - number}, &x) : MNP_OK;
    pthread_barrier_wait(&both);
    const bool own = st == MNP_ERR_ARG && strstr(mnp_error_message(), wanted);
    pthread_barrier_wait(&both);
    return own;
}

static void *run(void *argument)
{
    struct work *w = argument;
    mnp_ctx *ctx = NULL;
    w->st = mnp_init(w->comm, NULL, &ctx);
    if (w->st == MNP_OK)
        w->st = compute(ctx, w, &w->right);
    snprintf(w->message, sizeof w->message, "%s", w->st == MNP_OK ? "" : mnp_error_message());
    w->has_own_message = has_own_message(ctx, w->number);
    mnp_clear(&ctx);
    return NULL;
}

int main(void)
{
    struct work works[THREADS];
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        skip_all("this MPI has no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < THREADS; i++) {
        works[i] = (struct work){.number = i, .right = true};
        MPI_Comm_dup(MPI_COMM_WORLD, &works[i].comm);
    }
    pthread_barrier_init(&both, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &works[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        ok(works[i].st == MNP_OK, "the context of thread %d works%s%s", i, *works[i].message ? ": " : "",
           works[i].message);
        ok(works[i].right, "and all its numbers are right, while thread %d computes", 1 - i);
        ok(works[i].has_own_message, "each thread has a message of its own");
        MPI_Comm_free(&works[i].comm);
    }
    const int status = done_testing();
    MPI_Finalize();
    return status;
}
