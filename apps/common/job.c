/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a job, which is the same for all subcommands that make one result of one input.
 */
#include "common/job.h"

#include <stdio.h>
#include <stdlib.h>

#include <getopt.h>

#include "common/command.h"

/* ---- the command line ---- */

static mnp_status take_option(int key, job *j)
{
    if (plan_is_option(key))
        return plan_option(key, &j->plan);
    return j->kind->option ? j->kind->option(key, j) : result_option(key, &j->result);
}

static mnp_status take_input(int count, char **words, job *j)
{
    const job_kind *kind = j->kind;
    if (count == 0)
        return mnp_fail(MNP_ERR_ARG, "%s needs %s, as in: %s", kind->command, kind->input, kind->usage);
    if (count > 1)
        return mnp_fail(MNP_ERR_ARG, "%s takes %s, but was also given '%s'", kind->command, kind->input, words[1]);
    return operand_parse_file(kind->input, words[0], &j->input);
}

/* That the result goes somewhere. */
static mnp_status check_place(const job *j)
{
    const bool drawn = j->kind->draws_alone && j->result.picture.path;
    if (j->result.output.text || drawn || j->plan.wanted)
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "%s needs a place for the result: -o FILE:/DATASET or FILE.npy%s%s", j->kind->command,
                    j->kind->draws_alone ? "; or --picture" : "",
                    !j->kind->plan         ? ""
                    : j->kind->draws_alone ? " or --plan"
                                           : "; or --plan");
}

static mnp_status parse(int argc, char **argv, job *j)
{
    const job_kind *kind = j->kind;
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, kind->options)) != OPTIONS_END;)
        status = take_option(key, j);
    if (status == MNP_OK)
        status = (kind->operands ? kind->operands : take_input)(argc - optind, argv + optind, j);
    if (status == MNP_OK && kind->check)
        status = kind->check(j);
    if (status == MNP_OK)
        status = plan_check_options(&j->plan);
    if (status == MNP_OK)
        status = check_place(j);
    return status == MNP_OK ? result_check_options(&j->result) : status;
}

/* ---- before the work ---- */

static int list_inputs(job *j, operand *inputs[JOB_MOST_INPUTS + 1])
{
    int count = 0;
    inputs[count++] = &j->input;
    for (int i = 0; i < JOB_MOST_INPUTS; i++)
        if (j->more[i] && j->more[i]->text)
            inputs[count++] = j->more[i];
    return count;
}

/* Check the files, and find shapes and dtypes. */
static void look(job *j)
{
    operand *inputs[JOB_MOST_INPUTS + 1];
    const operand *read[JOB_MOST_INPUTS + 1];
    const int count = list_inputs(j, inputs);
    for (int i = 0; i < count; i++)
        read[i] = inputs[i];
    OR_EXIT(result_check_places(j->ctx, &j->result, count, read));
    for (int i = 0; i < count; i++)
        OR_EXIT(j->kind->inspects ? operand_inspect(j->ctx, inputs[i]) : operand_look(j->ctx, inputs[i]));
    if (j->kind->prepare)
        OR_EXIT(j->kind->prepare(j));
}

static void show_plan(job *j)
{
    plan p;
    progress_begin(j->ctx, j->kind->command, j->result.quiet);
    progress_stage(0, NULL, "planning");
    OR_EXIT(plan_begin(j->ctx, &j->plan, &p));
    if (j->plan.ranks || j->plan.hosts || j->plan.machine)
        j->streams = false; /* the memory of other ranks is not known */
    OR_EXIT(j->kind->plan(j, &p));
    if (j->streams)
        stream_show_plan(j, &p);
    progress_end();
    plan_print(&p, j->result.quiet, j->result.json);
}

/* ---- reports ---- */

/* The names of the stages; without JOB_PREPARE its time, which is none, is not among them. */
static int list_stages(const job *j, const run_facts *facts, const char *names[JOB_STAGES], double seconds[JOB_STAGES])
{
    const char *const all[] = {"compile", "read", j->kind->prepares, j->kind->stage, "write", "picture"};
    int count = 0;
    for (int s = 0; s < JOB_STAGES; s++) {
        if (!all[s] || (s == JOB_PICTURE && !j->result.picture.path))
            continue;
        names[count] = all[s];
        seconds[count++] = facts->seconds[s];
    }
    return count;
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    const char *names[JOB_STAGES];
    double seconds[JOB_STAGES];
    const int count = list_stages(j, facts, names, seconds);
    j->kind->text(run, facts);
    if (j->streams)
        stream_print(j, facts->seconds);
    if (*j->drawn)
        printf("picture   %s: %s\n", j->result.picture.path, j->drawn);
    print_times(count, names, seconds);
    if (j->kind->text_end)
        j->kind->text_end(run, facts);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    run_facts named = *facts;
    const char *names[JOB_STAGES];
    const int count = list_stages(j, facts, names, named.seconds);
    j->kind->json(run, facts, out);
    if (j->kind->needs)
        stream_json(j, facts->seconds, out);
    if (*j->drawn)
        json_text(out, "picture", j->result.picture.path);
    json_facts(out, &named, count, names);
    if (j->kind->json_end)
        j->kind->json_end(run, facts, out);
}

/* ---- the work ---- */

/* All at once.  Returns the exit status. */
static int run_whole(job *j)
{
    const job_kind *kind = j->kind;
    int status = EXIT_SUCCESS;
    progress_stage(shape_bytes(j->input.dtype, j->input.ndim, j->input.shape), "B", "reading %s", kind->input);
    OR_EXIT(kind->load ? kind->load(j) : operand_load(j->ctx, &j->input, &j->x));
    stopwatch_lap(&j->watch, JOB_READ);
    progress_stage(array_bytes(j->x), "B", "%s", kind->progress);
    OR_EXIT(kind->compute(j));
    stopwatch_lap(&j->watch, JOB_COMPUTE);
    if (j->result.output.text) {
        progress_stage(array_bytes(j->y), "B", "writing OUTPUT");
        OR_EXIT(kind->write ? kind->write(j) : operand_write(&j->result.output, j->y));
        stopwatch_lap(&j->watch, JOB_WRITE);
    }
    if (j->result.picture.path) {
        progress_stage(0, NULL, "drawing");
        mnp_status drawn = result_check_picture(j->ctx, &j->result);
        if (drawn == MNP_OK)
            drawn = kind->draw(j);
        status = command_say(j->ctx, "", drawn);
        stopwatch_lap(&j->watch, JOB_PICTURE);
    }
    return status;
}

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    if (j->streams && j->result.picture.path)
        OR_EXIT(mnp_fail(MNP_ERR_ARG, "--picture needs all of %s in memory, whose limit it exceeds", j->kind->input));
    j->watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, j->kind->command, j->result.quiet);
    if (j->streams)
        OR_EXIT(stream_begin(j));
    if (j->kind->begin)
        OR_EXIT(j->kind->begin(j));
    stopwatch_lap(&j->watch, JOB_PREPARE);
    if (j->streams) {
        progress_stage(0, NULL, "%s slab by slab", j->kind->progress);
        OR_EXIT(stream_run(j));
    } else {
        status = run_whole(j);
    }
    progress_end();
    if (!j->result.quiet)
        report_print(&j->watch, j->result.json, j, print_text, print_json);
    return status;
}

int job_main(job *j, int argc, char **argv)
{
    operand *inputs[JOB_MOST_INPUTS + 1];
    int status = EXIT_SUCCESS;
    words_set(j->kind->words);
    if (parse(argc, argv, j) != MNP_OK)
        misused_exit();

    j->ctx = command_begin(NULL);
    look(j);
    if (j->plan.wanted)
        show_plan(j);
    else
        status = run(j);
    mnp_free_all(j->x, j->y);
    if (j->kind->release)
        j->kind->release(j);
    status = close_output(status);
    mnp_finalize(j->ctx);
    for (int i = list_inputs(j, inputs); i-- > 0;)
        operand_free(inputs[i]);
    operand_free(&j->result.output);
    return status;
}
