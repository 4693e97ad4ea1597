/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job of a subcommand that makes one result of one input: command line, checks, reading, work, writing, drawing
 * and the report, in that order.  What differs between subcommands is a job_kind.  A subcommand's own struct begins
 * with a job, so that its functions find their struct behind the job that they are given.
 */
#ifndef APPS_COMMON_JOB_H
#define APPS_COMMON_JOB_H

#include <stdbool.h>

#include <maniple.h>

#include "common/operand.h"
#include "common/options.h"
#include "common/result.h"
#include "common/words.h"
#include "picture/array.h"
#include "plan/plan.h"
#include "report/progress.h"
#include "report/report.h"
#include "stream/stream.h"

typedef struct job job;

/*
 * The stages of all jobs, "compile" and "write" and so on in reports.  JOB_PREPARE is for what has to be done before
 * the input is read, and is not reported by kinds without `prepares`.
 */
enum { JOB_READ = FIRST_STAGE, JOB_PREPARE, JOB_COMPUTE, JOB_WRITE, JOB_PICTURE, JOB_STAGES };

/* Functions return a status that all ranks share, unless it says otherwise; those that may be NULL say so. */
typedef struct job_kind {
    const char *command;  /* "fft" */
    const char *usage;    /* "maniple fft INPUT -o OUTPUT" */
    const char *input;    /* the name of the input, "INPUT" */
    const char *stage;    /* the name of the work in reports, "transform"; and in the progress line, "transforming" */
    const char *progress; /* the same */
    const char *prepares; /* the name of JOB_PREPARE; NULL: there is none */
    const option_row *options;
    const words_row *words;
    bool draws_alone; /* a picture will do as a result */
    bool inspects;    /* inputs must have elements, and no more dimensions than generated arrays may have */

    /* Before MPI starts, not collective.  Take an option that result_option() and plan_option() do not know. */
    mnp_status (*option)(int key, job *j);
    /* Take the operands.  NULL: one, the input, in a file. */
    mnp_status (*operands)(int count, char **words, job *j);
    /* Refuse options that contradict each other.  NULL: there are none. */
    mnp_status (*check)(job *j);

    /* When shapes and dtypes of the inputs are known.  NULL: there is nothing to find. */
    mnp_status (*prepare)(job *j);
    /* Fill in what would be done.  NULL: there is no --plan. */
    mnp_status (*plan)(job *j, plan *p);
    /* Do what JOB_PREPARE is for.  NULL: nothing. */
    mnp_status (*begin)(job *j);
    /* Read the inputs: j->x.  NULL: j->x is what the input's file has. */
    mnp_status (*load)(job *j);
    /* Make j->y of j->x. */
    mnp_status (*compute)(job *j);
    /*
     * Where j->streams: fill in what a slab needs of the input; then j->x is that, and compute() makes j->y of it, in
     * which the slab's rows of the result are.  NULL: it is never streamed.
     */
    void (*needs)(const job *j, stream_slab *slab);
    /* Write the result.  NULL: j->y, as it is. */
    mnp_status (*write)(job *j);
    /* Draw it.  NULL: there are no pictures. */
    mnp_status (*draw)(job *j);
    report_text *text; /* the lines after the first, up to those of the picture and the times */
    report_json *json; /* the members before those of the picture and the times */
    /* More lines and members at the end.  NULL: none. */
    report_text *text_end;
    report_json *json_end;
    /* Release what the subcommand's own struct has.  NULL: nothing. */
    void (*release)(job *j);
} job_kind;

enum { JOB_MOST_INPUTS = 3 };

struct job {
    const job_kind *kind;
    mnp_ctx *ctx;
    operand input;
    operand
        *more[JOB_MOST_INPUTS]; /* further inputs in the subcommand's own struct; those without text are not there */
    result_request result;
    plan_request plan;
    bool streams; /* it goes through in slabs, as stream_plan() has found */
    stream stream;
    stopwatch watch;
    mnp_array *x, *y;
    char drawn[ARRAY_WORDS]; /* what the report says of the picture */
};

/* How a job begins: every other member is 0. */
#define JOB_START(its_kind)                                                                                            \
    {                                                                                                                  \
        .kind = (its_kind), .result.picture = PICTURE_REQUEST_DEFAULTS, .plan = PLAN_REQUEST_DEFAULTS                  \
    }

/* The whole main program of a subcommand; argv[0] is its name.  Returns the exit status. */
int job_main(job *j, int argc, char **argv);

#endif
