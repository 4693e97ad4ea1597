/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple eval --plan: operands and results pass through memory once, as element-wise statements are fused.  What a
 * statement makes has the dtype and the number of dimensions that are known without data; its extents are taken to be
 * those that the operands have together, which is the most that element-wise statements make.
 */
#include "eval/eval.h"

#include <stdio.h>
#include <string.h>

/* The extents of all operands together, broadcast, in the last `ndim` dimensions. */
static void join_shapes(const job *j, int ndim, int64_t *shape)
{
    for (int d = 0; d < ndim; d++)
        shape[d] = 1;
    for (int i = 0; i < j->ninputs; i++) {
        const operand *from = &j->inputs[i].operand;
        for (int d = 0; !j->inputs[i].is_number && d < from->ndim && d < ndim; d++)
            if (from->shape[from->ndim - 1 - d] > shape[ndim - 1 - d])
                shape[ndim - 1 - d] = from->shape[from->ndim - 1 - d];
    }
}

static void plan_text(const void *run)
{
    const job *j = run;
    printf("evaluate  %s\n", j->file ? j->file : j->statements);
    for (int i = 0; i < j->ninputs; i++) {
        const named *input = &j->inputs[i];
        printf("operand   %s = %s", input->name, input->text);
        if (!input->is_number) {
            printf(": ");
            print_shape(input->operand.ndim, input->operand.shape);
            printf(" %s", mnp_dtype_name(input->operand.dtype));
        }
        puts("");
    }
}

static void plan_json(const void *run, json_writer *out)
{
    const job *j = run;
    json_text(out, "statements", j->statements);
    json_row(out, "operands", '{');
    for (int i = 0; i < j->ninputs; i++)
        if (!j->inputs[i].is_number)
            json_integers(out, j->inputs[i].name, j->inputs[i].operand.ndim, j->inputs[i].operand.shape);
    json_close(out);
}

/* How many statements there are: parts between semicolons and lines. */
static int count_statements(const char *text)
{
    int count = 0;
    for (const char *at = text; *at; at += strcspn(at, ";\n")) {
        at += strspn(at, ";\n \t");
        count += *at != '\0';
    }
    return count;
}

mnp_status eval_plan(mnp_ctx *ctx, const job *j, const mnp_dtype *dtypes, const int *ndims)
{
    plan p;
    int parts[MNP_MAX_DIMS];
    int64_t shape[MNP_MAX_DIMS];
    double in = 0, out = 0, numbers = 0;
    const mnp_status status = plan_begin(ctx, &j->plan, &p);
    if (status != MNP_OK)
        return status;
    for (int i = 0; i < j->ninputs; i++) {
        const operand *from = &j->inputs[i].operand;
        if (!j->inputs[i].is_number)
            in += plan_block(&p, from->ndim, from->shape, parts) * (double)mnp_dtype_size(from->dtype);
    }
    for (int i = 0; i < j->noutputs; i++) {
        join_shapes(j, ndims[i], shape);
        numbers += ndims[i] == 0;
        if (ndims[i] > 0)
            out += plan_block(&p, ndims[i], shape, parts) * (double)mnp_dtype_size(dtypes[i]);
    }
    const int statements = count_statements(j->statements);
    plan_by(&p, "%s", "fused kernels over each rank's block");
    plan_keep(&p, "operands", in);
    plan_keep(&p, "results", out);
    plan_add(&p, (plan_step){.what = "evaluate",
                             .at_least = true,
                             .bytes = in + out,
                             .fresh = out,
                             .launches = statements + numbers,
                             .joins = numbers});
    plan_note(&p, "operands are counted once; sorts, products, slices of other blocks and values in between are not");
    p.run = j;
    p.text = plan_text;
    p.json = plan_json;
    plan_print(&p, j->result.quiet, j->result.json);
    return MNP_OK;
}
