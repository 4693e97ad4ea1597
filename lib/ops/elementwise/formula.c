/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A formula becomes a loop at its first call with given dtypes; the context keeps the loop for later calls.
 */
#include "ops/elementwise/formula.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "array/output.h"
#include "base/hash.h"
#include "base/text.h"
#include "ops/common/kernel_table.h"
#include "ops/elementwise/apply.h"

/* What a loop depends on.  The key ends with the last operand in use. */
struct key {
    const mnp__formula *formula;
    int facts[MNP__FORMULA_FACTS];
    signed char ninputs, noutputs, type, memory[MNP__MAX_OPERANDS];
};

static mnp_status fill_key(const mnp__formula_call *call, struct key *key, size_t *size_p)
{
    const int ninputs = call->ninputs ? call->ninputs : call->formula->ninputs;
    const int noutputs = call->noutputs ? call->noutputs : 1;
    signed char *memory = key->memory;
    key->formula = call->formula;
    memcpy(key->facts, call->facts, sizeof key->facts);
    key->ninputs = (signed char)ninputs;
    key->noutputs = (signed char)noutputs;
    key->type = (signed char)call->type;
    for (int i = 0; i < ninputs; i++) {
        *memory++ = (signed char)call->inputs[i]->dtype;
    }
    for (int o = 0; o < noutputs; o++)
        *memory++ = (signed char)(*call->outputs_p[o] ? (*call->outputs_p[o])->dtype : call->result);
    *size_p = (size_t)((const char *)memory - (const char *)key);
    return MNP_OK;
}

/* ---- making the loop ---- */

/* Write the body, in which negative indices such as mnp_index[-1] are replaced by those from the first dimension. */
static void add_body(const mnp__formula *formula, const int *facts, mnp__text *text)
{
    const char *body = formula->body, *index;
    if (formula->write) {
        formula->write(facts, text);
        return;
    }
    while (formula->indices && (index = strstr(body, "[-")) != NULL) {
        mnp__text_add_bytes(text, body, (size_t)(index - body));
        mnp__text_add(text, "[%d]", facts[0] - (index[2] - '0'));
        body = index + strlen("[-1]");
    }
    mnp__text_add(text, "%s", body);
}

static mnp_status make_loop(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const struct key *key = argument;
    const mnp__formula *formula = key->formula;
    const int count = key->ninputs + key->noutputs;
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    char names[MNP__MAX_OPERANDS][16];
    mnp__text body = MNP__TEXT_EMPTY;
    mnp_status st;
    for (int k = 0; k < count; k++) {
        mnp_dtype memory = (mnp_dtype)key->memory[k], type = formula->type;
        const bool listed = k < formula->ninputs, input = k < key->ninputs;
        if (input)
            type = listed ? formula->inputs[k].type : memory;
        if (k == key->ninputs)
            snprintf(names[k], sizeof names[k], "out");
        else
            snprintf(names[k], sizeof names[k], input ? "x%d" : "out%d", input ? k : k - key->ninputs);
        operands[k] = (mnp__loop_operand){.name = listed ? formula->inputs[k].name : names[k],
                                          .type = type == MNP_DTYPE_AUTO ? (mnp_dtype)key->type : type,
                                          .memory = memory,
                                          .raw = listed && formula->inputs[k].raw};
    }
    add_body(formula, key->facts, &body);
    MNP_TRY_OR(mnp__text_status(&body), st, done);
    st = mnp__loop_new(ctx,
                       &(mnp__loop_spec){.name = formula->name,
                                         .preamble = formula->preamble ? formula->preamble : "",
                                         .body = mnp__text_string(&body),
                                         .indices = formula->indices,
                                         .ninputs = key->ninputs,
                                         .noutputs = key->noutputs,
                                         .operands = operands},
                       loop_p);
done:
    mnp__text_free(&body);
    return st;
}

/* ---- calls ---- */

mnp_status mnp__formula_run(mnp_ctx *ctx, const mnp__formula_call *call)
{
    struct key key;
    mnp__loop *loop;
    size_t size = 0;
    MNP_TRY(fill_key(call, &key, &size));
    MNP_TRY(mnp__loop_get(ctx, make_loop, &key, size, &loop));
    return mnp__apply(ctx, &(mnp__application){.function = call->function,
                                               .loop = loop,
                                               .inputs = call->inputs,
                                               .outputs_p = call->outputs_p,
                                               .layout = call->layout});
}

static uint64_t hash_scalars(int count, const mnp_array *const *inputs)
{
    uint64_t hash = MNP__HASH_START;
    for (int i = 0; i < count; i++) {
        if (inputs[i] && mnp__array_is_scalar(inputs[i]))
            hash = mnp__hash(hash, mnp__scalar_value(inputs[i]), sizeof inputs[i]->value);
    }
    return hash;
}

mnp_status mnp__formula_create(mnp_ctx *ctx, const mnp__formula_call *call, int ndim, const int64_t *shape,
                               mnp_array **array_p)
{
    mnp__formula_call made = *call;
    mnp_layout *natural;
    mnp__output output = {.array = NULL};
    mnp_status st;
    if (mnp_dtype_size(call->type) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a dtype", call->function, (int)call->type);
    if (call->layout)
        natural = mnp_layout_retain(call->layout);
    else
        MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &natural));
    const mnp__output_spec spec = {.function = call->function,
                                   .ctx = ctx,
                                   .dtype = call->type,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, done);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, call->function, hash_scalars(call->formula->ninputs, call->inputs)), st,
               done);
    mnp_array **result_p = &output.array;
    made.outputs_p = &result_p;
    made.result = call->type;
    made.layout = output.array->layout;
    made.facts[0] = ndim;
    st = mnp__formula_run(ctx, &made);
done:
    mnp_layout_free(natural);
    return mnp__output_close(1, &output, st);
}
