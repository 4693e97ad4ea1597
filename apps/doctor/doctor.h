/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: findings about where Maniple runs, one line each.
 *
 * A topic is a file with one function, which is called on all ranks and may communicate.  It gathers what each rank
 * sees, and rank 0 judges it: fine, slow or wrong, and then what to do.
 */
#ifndef APPS_DOCTOR_DOCTOR_H
#define APPS_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef enum verdict_kind { FINE, SLOW, WRONG } verdict_kind;

typedef struct finding {
    const char *topic;
    verdict_kind verdict;
    char text[512];
    const char *advice; /* NULL: nothing is to be done */
} finding;

enum { MOST_FINDINGS = 32 };

typedef struct doctor {
    mnp_ctx *ctx; /* NULL before MPI is started */
    int rank, ranks, hosts;
    int host_rank, host_ranks; /* among the ranks of this host */
    mnp_rank_info *infos;
    mnp_link_info *links;
    const char *folder; /* for files */
    bool compiles;      /* kernels can be compiled, without which nothing can be moved or written */
    int count;
    finding findings[MOST_FINDINGS];
} doctor;

/* Add a finding; ranks other than 0 need not call this. */
void doctor_say(doctor *d, const char *topic, verdict_kind verdict, const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Gather a number of every rank, as all ranks get them; `all` has room for d->ranks.  Collective. */
void doctor_gather(const doctor *d, double own, double *all);

/* Find what is wrong before MPI is started, where it would end the program.  Not collective. */
void doctor_look_at_launcher(doctor *d);

/* The topics.  Collective. */
void doctor_look_at_ranks(doctor *d);
void doctor_look_at_cores(doctor *d);
void doctor_look_at_clocks(doctor *d);
void doctor_look_at_devices(doctor *d);
void doctor_look_at_links(doctor *d);
void doctor_look_at_memory(doctor *d);
void doctor_look_at_limits(doctor *d);
void doctor_look_at_kernels(doctor *d);
void doctor_look_at_lapack(doctor *d);
void doctor_look_at_files(doctor *d);

#endif
