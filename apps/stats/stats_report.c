/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of maniple stats, and the picture of the histogram.
 */
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/command.h"
#include "common/paths.h"
#include "picture/plot.h"

static const char *const stage_names[] = {"compile", "read", "compute"};

/* ---- the report ---- */

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    stats_print_json(&j->found, out);
    json_facts(out, facts, NUM_STAGES, stage_names);
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    const operand *op = &j->input;
    char bytes[BYTES_TEXT];
    printf("INPUT     %s: ", op->text);
    print_shape(op->ndim, op->shape);
    printf(" %s, %s", mnp_dtype_name(op->dtype),
           bytes_text((int64_t)shape_bytes(op->dtype, op->ndim, op->shape), bytes));
    if (j->plan.count > 1)
        printf(", in %lld pieces", (long long)j->plan.count);
    putchar('\n');
    if (j->found.axis >= 0)
        printf("along     dimension %d, %lld element%s\n", j->found.axis, (long long)op->shape[j->found.axis],
               plural(op->shape[j->found.axis]));
    stats_print(&j->found);
    if (*j->made.size)
        printf("picture   %s: %s\n", j->result.picture.path, j->made.size);
    print_times(NUM_STAGES, stage_names, facts->seconds);
}

void stats_report(const job *j, const stopwatch *watch)
{
    report_print(watch, j->result.json, j, print_text, print_json);
}

/* ---- the picture ---- */

/* A number for people. */
static const char *short_text(double value, char text[32])
{
    snprintf(text, 32, "%.6g", value);
    return text;
}

static mnp_status draw_histogram(job *j)
{
    static const char *const names[] = {"red", "green", "blue", "opacity"};
    static const colour colours[] = {{213, 94, 0}, {0, 158, 115}, {0, 114, 178}, {120, 120, 120}};
    const statistics *found = &j->found;
    const moments *m = found->rows;
    char subtitle[160], mean[32], deviation[32];
    const int64_t *counts[MOST_CHANNELS] = {found->counts};
    for (int k = 0; k < j->channels; k++)
        counts[k] = j->channel_counts[k];
    snprintf(subtitle, sizeof subtitle, "%lld values, mean %s, standard deviation %s", (long long)moments_count(m),
             short_text(moments_mean(m, 0), mean), short_text(moments_std(m), deviation));
    const plot_histogram plot = {
        .words = {without_folders(j->input.text), subtitle, "value",
                  found->whole && found->high - found->low == found->bins ? "count" : "values per bin"},
        .bins = found->bins,
        .low = found->low,
        .high = found->high,
        .whole = found->whole,
        .count = j->channels > 0 ? j->channels : 1,
        .counts = counts,
        .names = names,
        .colours = colours,
    };
    return plot_write_histogram(&j->result.picture, &plot, &j->made);
}

int stats_draw(job *j)
{
    const statistics *found = &j->found;
    mnp_status status = MNP_OK;
    if (!j->result.picture.path)
        return EXIT_SUCCESS;
    if (found->bins == 0)
        status = mnp_fail(MNP_ERR_ARG, "INPUT '%s' has no finite values for a histogram", j->input.text);
    else if (mnp_ctx_rank(j->ctx) == 0)
        status = draw_histogram(j);
    return command_say(j->ctx, "", mnp_agree(j->ctx, status));
}
