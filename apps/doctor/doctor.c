/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: look at everything on which a run depends, and say what is slow or wrong, and what to do about it.
 */
#include "doctor/doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "common/command.h"
#include "common/options.h"
#include "common/result.h"
#include "report/json.h"
#include "report/report.h"

static const option_row options[] = {
    JSON_ROW,
    HELP_ROW,
    {0},
};

void doctor_help(void)
{
    puts("Usage: maniple doctor [DIR]\n"
         "       mpirun -n RANKS maniple doctor [DIR]\n"
         "\n"
         "Look at what a run depends on: how ranks were started, their cores, devices and links, memory,\n"
         "limits, the compiler of kernels, and files, which are written to and read from DIR (default: the\n"
         "current folder).  Start it as the run itself is started, with as many ranks on as many hosts.\n"
         "\n"
         "Each line is fine, slow or wrong, and then says what to do.  The exit status is 1 if something is\n"
         "wrong.\n"
         "\n"
         "Options:");
    options_print(options);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple doctor .");
}

void doctor_say(doctor *d, const char *topic, verdict_kind verdict, const char *advice, const char *format, ...)
{
    va_list arguments;
    if (d->rank != 0 || d->count == MOST_FINDINGS)
        return;
    finding *f = &d->findings[d->count++];
    *f = (finding){.topic = topic, .verdict = verdict, .advice = verdict == FINE ? NULL : advice};
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    size_t length = strlen(f->text);
    while (length > 0 && strchr(":\n ", f->text[length - 1])) /* of a compiler's words, of which there may be none */
        f->text[--length] = '\0';
    for (char *c = f->text; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
}

void doctor_gather(const doctor *d, double own, double *all)
{
    mnp_mpi_begin(d->ctx, "looking at all ranks");
    MPI_Allgather(&own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, mnp_ctx_comm(d->ctx));
    mnp_mpi_end(d->ctx);
}

/* ---- the report ---- */

static const char *const verdicts[] = {"fine", "slow", "wrong"};

static int count_of(const doctor *d, verdict_kind verdict)
{
    int count = 0;
    for (int i = 0; i < d->count; i++)
        count += d->findings[i].verdict == verdict;
    return count;
}

static void print_text(const doctor *d)
{
    for (int i = 0; i < d->count; i++) {
        const finding *f = &d->findings[i];
        printf("%-5s  %-9s %s\n", verdicts[f->verdict], f->topic, f->text);
        if (f->advice)
            printf("%-16s -> %s\n", "", f->advice);
    }
    printf("\n%d fine, %d slow, %d wrong\n", count_of(d, FINE), count_of(d, SLOW), count_of(d, WRONG));
}

static void print_json(const doctor *d)
{
    json_writer j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_open(&j, "findings", '[');
    for (int i = 0; i < d->count; i++) {
        const finding *f = &d->findings[i];
        json_row(&j, NULL, '{');
        json_text(&j, "topic", f->topic);
        json_text(&j, "verdict", verdicts[f->verdict]);
        json_text(&j, "text", f->text);
        json_text(&j, "advice", f->advice);
        json_close(&j);
    }
    json_close(&j);
    json_integer(&j, "slow", count_of(d, SLOW));
    json_integer(&j, "wrong", count_of(d, WRONG));
    if (d->infos)
        json_where(&j, d->ctx, d->infos);
    json_close(&j);
}

static void print_report(const doctor *d, bool as_json)
{
    if (as_json)
        print_json(d);
    else
        print_text(d);
}

/* ---- the examination ---- */

/* Which ranks are on this rank's host. */
static void count_hosts(doctor *d)
{
    const int own = d->infos[d->rank].node;
    for (int r = 0; r < d->ranks; r++) {
        d->hosts = d->infos[r].node >= d->hosts ? d->infos[r].node + 1 : d->hosts;
        d->host_ranks += d->infos[r].node == own;
        d->host_rank += d->infos[r].node == own && r < d->rank;
    }
}

static void examine(doctor *d)
{
    d->rank = mnp_ctx_rank(d->ctx);
    d->ranks = mnp_ctx_size(d->ctx);
    OR_EXIT(rank_infos(d->ctx, &d->infos, &d->links));
    count_hosts(d);
    doctor_look_at_ranks(d);
    doctor_look_at_cores(d);
    doctor_look_at_clocks(d);
    doctor_look_at_devices(d);
    doctor_look_at_kernels(d);
    doctor_look_at_lapack(d);
    if (d->compiles)
        doctor_look_at_links(d);
    doctor_look_at_memory(d);
    doctor_look_at_limits(d);
    if (d->compiles)
        doctor_look_at_files(d);
}

int doctor_main(int argc, char **argv)
{
    bool as_json = false;
    doctor d = {.folder = "."};
    for (int key; (key = options_next(argc, argv, options)) != OPTIONS_END;) {
        if (key != 'j')
            misused_exit();
        as_json = true;
    }
    if (argc - optind > 1) {
        mnp_fail(MNP_ERR_ARG, "doctor takes one DIR, but was also given '%s'", argv[optind + 1]);
        misused_exit();
    }
    if (optind < argc)
        d.folder = argv[optind];
    doctor_look_at_launcher(&d);
    if (count_of(&d, WRONG) > 0) { /* MPI would end the program */
        if (first_process())
            print_report(&d, as_json);
        return close_output(EXIT_FAILED);
    }
    d.ctx = command_begin(NULL);
    examine(&d);
    int wrong = count_of(&d, WRONG) > 0;
    broadcast(d.ctx, &wrong, 1, MPI_INT);
    if (d.rank == 0)
        print_report(&d, as_json);
    const int status = close_output(wrong ? EXIT_FAILED : EXIT_SUCCESS);
    free(d.infos);
    free(d.links);
    mnp_finalize(d.ctx);
    return status;
}
