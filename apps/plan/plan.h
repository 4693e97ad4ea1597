/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --plan: what a command would do on so many ranks and hosts, without data, and without the machine that it is for.
 *
 * A command fills in what a rank keeps in memory, and steps: how many operations, bytes of memory, launches, messages
 * and bytes between ranks each has, on the rank that has most.  A model of the time makes seconds of them: operations
 * and memory overlap, so the longer of both counts; launches, messages and all-reduces are added.  Its constants are
 * those of one machine (machine.h), which the report shows.
 */
#ifndef APPS_PLAN_PLAN_H
#define APPS_PLAN_PLAN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "plan/machine.h"
#include "report/json.h"

typedef struct plan_request {
    bool wanted;
    int64_t ranks, hosts;   /* 0: as started */
    const machine *machine; /* NULL: as started */
    double network;         /* bytes a second between hosts; 0: what the machine has */
} plan_request;

#define PLAN_REQUEST_DEFAULTS                                                                                          \
    (plan_request)                                                                                                     \
    {                                                                                                                  \
        .wanted = false                                                                                                \
    }

/* Rows of a table of options. */
enum { KEY_PLAN = UCHAR_MAX + 2000, KEY_PLAN_RANKS, KEY_PLAN_HOSTS, KEY_PLAN_MACHINE, KEY_PLAN_NETWORK };
#define PLAN_ROWS                                                                                                      \
    {KEY_PLAN, "plan", NULL,                                                                                           \
     "say how it would be done, and predict memory, messages and time;\n"                                              \
     "no data is read, and nothing is computed or written"},                                                           \
        {KEY_PLAN_RANKS, "ranks", "N", "with --plan: for so many ranks (default: as started)"},                        \
        {KEY_PLAN_HOSTS, "hosts", "N", "with --plan: on so many hosts (default: 1, or as started)"},                   \
        {KEY_PLAN_MACHINE, "machine", "NAME", "with --plan: on h200, GPUs; or host, cores (default: as started)"},     \
    {                                                                                                                  \
        KEY_PLAN_NETWORK, "network", "GB/S", "with --plan: what a rank sends to other hosts, in GB/s"                  \
    }

/* Whether a key is of these, and take the option.  MNP_ERR_ARG.  Not collective. */
bool plan_is_option(int key);
mnp_status plan_option(int key, plan_request *request);

/* Refuse the others without --plan.  MNP_ERR_ARG.  Not collective. */
mnp_status plan_check_options(const plan_request *request);

/* A step, on the rank that has most.  What a rank sends goes to ranks of its host, or of others. */
typedef struct plan_step {
    const char *what;
    bool each;     /* of every iteration, whose number is not known */
    bool at_least; /* the model knows only what cannot be avoided */
    double operations;
    machine_work work;
    mnp_dtype dtype; /* of the operations */
    double bytes;    /* read from and written to memory */
    double fresh;    /* bytes of memory that is used for the first time */
    double launches;
    double near_bytes, far_bytes, messages;
    double joins;   /* all-reduces of a few numbers */
    double seconds; /* by the model; before plan_add(), what is known of it in another way */
} plan_step;

typedef struct plan_memory {
    const char *what;
    double bytes;
} plan_memory;

enum { PLAN_MOST_STEPS = 16, PLAN_MOST_NOTES = 6, PLAN_NOTE = 200 };
typedef struct plan {
    mnp_ctx *ctx;
    const machine *machine;
    int ranks, hosts;
    bool as_started;          /* on as many ranks as there are */
    int threads;              /* of a rank; 1 on GPUs */
    int64_t slabs, slab_rows; /* in which it goes through; 0: all at once */
    double network;           /* bytes a second between hosts */
    bool network_given;       /* by the command line */
    char algorithm[PLAN_NOTE];
    int nsteps, nmemory, nnotes;
    plan_step steps[PLAN_MOST_STEPS];
    plan_memory memory[PLAN_MOST_STEPS];
    char notes[PLAN_MOST_NOTES][PLAN_NOTE];
    /* A command's own lines and members, given `run`; NULL: none */
    const void *run;
    void (*text)(const void *run);
    void (*json)(const void *run, json_writer *out);
} plan;

/* Begin a plan.  MNP_ERR_ARG if there are more hosts than ranks.  Collective. */
mnp_status plan_begin(mnp_ctx *ctx, const plan_request *request, plan *p);

/* What a rank keeps in memory; how it is done; what a reader has to know.  Not collective, like what follows. */
void plan_keep(plan *p, const char *what, double bytes);
void plan_by(plan *p, const char *format, ...);
void plan_note(plan *p, const char *format, ...);

/* The bytes that the library has in use on this rank; the most by which they have grown on any rank, collective. */
int64_t plan_held(const plan *p);
double plan_grown(const plan *p, int64_t before);

/* Add a step, whose seconds are found here. */
void plan_add(plan *p, plan_step step);

/* The largest block of an array that is cut over the ranks as new arrays are, in elements; how often it is cut. */
double plan_block(const plan *p, int ndim, const int64_t *shape, int parts[MNP_MAX_DIMS]);

/* Add to a step that every rank sends so many bytes to all others in equal parts. */
void plan_spread(const plan *p, plan_step *step, double bytes);

/* Add to a step that every rank sends so many bytes to neighbours, in so many messages. */
void plan_neighbours(const plan *p, plan_step *step, double bytes, double messages);

/*
 * An array that is cut as new arrays are, and of which a result, cut alike, needs for index i of each dimension the
 * indices i + first to i + last, extended beyond the borders.
 */
typedef struct plan_window {
    int ndim;
    const int64_t *shape, *out; /* of the array; of the result, NULL: the same */
    int64_t first[MNP_MAX_DIMS], last[MNP_MAX_DIMS];
    mnp_boundary boundary;
    double size; /* bytes of an element */
} plan_window;

/* What ranks send for it: the most that one sends, in how many messages, and the most that comes to one; exact. */
typedef struct plan_sent {
    double bytes, messages, received;
} plan_sent;
plan_sent plan_around(const plan *p, const plan_window *w);

/* Print the plan on rank 0, as text or JSON. */
void plan_print(plan *p, bool quiet, bool json);

#endif
