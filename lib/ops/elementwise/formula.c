/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas as loops, which the context keeps by formula, dtype and number of dimensions.
 */
#include "ops/elementwise/formula.h"

#include <string.h>

#include "array/output.h"
#include "base/hash.h"
#include "base/text.h"
#include "ops/elementwise/apply.h"

struct key {
    const mnp__formula *formula;
    mnp_dtype dtype;
    int ndim;
};

/* The body with the indices that are counted from the end, mnp_index[-1], counted from the first dimension. */
static void add_body(const char *body, int ndim, mnp__text *text)
{
    const char *index;
    while ((index = strstr(body, "[-")) != NULL) {
        mnp__text_add_bytes(text, body, (size_t)(index - body));
        mnp__text_add(text, "[%d]", ndim - (index[2] - '0'));
        body = index + strlen("[-1]");
    }
    mnp__text_add(text, "%s", body);
}

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const struct key *key = argument;
    const mnp__formula *formula = key->formula;
    mnp__loop_operand operands[MNP__MAX_FORMULA_INPUTS + 1];
    mnp__text body = MNP__TEXT_EMPTY;
    for (int i = 0; i < formula->ninputs; i++) {
        mnp_dtype type = formula->inputs[i].type;
        operands[i] = (mnp__loop_operand){.name = formula->inputs[i].name, .type = type, .memory = type};
        if (type == MNP_DTYPE_AUTO)
            operands[i].type = operands[i].memory = key->dtype;
        else if (type == MNP_FLOAT32)
            operands[i].memory = MNP_FLOAT64;
    }
    operands[formula->ninputs] = (mnp__loop_operand){
        .name = "out", .type = formula->type == MNP_DTYPE_AUTO ? key->dtype : formula->type, .memory = key->dtype};
    add_body(formula->body, key->ndim, &body);
    mnp_status st = mnp__text_status(&body);
    if (st == MNP_OK)
        st = mnp__loop_new(ctx,
                           &(mnp__loop_spec){.name = formula->name,
                                             .preamble = formula->preamble ? formula->preamble : "",
                                             .body = body.data,
                                             .indices = true,
                                             .ninputs = formula->ninputs,
                                             .noutputs = 1,
                                             .operands = operands},
                           loop_p);
    mnp__text_free(&body);
    return st;
}

static uint64_t hash_scalars(int count, const mnp_array *const *inputs)
{
    uint64_t hash = MNP__HASH_START;
    for (int i = 0; i < count; i++) {
        if (inputs[i] && mnp__array_is_scalar(inputs[i]))
            hash = mnp__hash(hash, inputs[i]->value, sizeof inputs[i]->value);
    }
    return hash;
}

mnp_status mnp__formula_run(mnp_ctx *ctx, const char *function, const mnp__formula *formula,
                            const mnp_array *const *inputs, mnp_dtype dtype, int ndim, const int64_t *shape,
                            const mnp_layout *layout, mnp_array **array_p)
{
    struct key key;
    mnp_layout *natural;
    mnp__loop *loop;
    mnp__output output = {.array = NULL};
    mnp_status st;
    if (mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is no dtype", function, (int)dtype);
    memset(&key, 0, sizeof key); /* its padding too is hashed */
    key.formula = formula;
    key.dtype = dtype;
    key.ndim = ndim;
    if (layout)
        natural = mnp_layout_retain(layout);
    else
        MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &natural));
    const mnp__output_spec spec = {
        .function = function, .ctx = ctx, .dtype = dtype, .layout = natural, .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, done);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, function, hash_scalars(formula->ninputs, inputs)), st, done);
    MNP_TRY_OR(mnp__loop_get(ctx, build, &key, sizeof key, &loop), st, done);
    mnp_array **result_p = &output.array;
    st = mnp__apply(ctx, &(mnp__application){.function = function,
                                             .loop = loop,
                                             .inputs = inputs,
                                             .outputs_p = &result_p,
                                             .layout = output.array->layout});
done:
    mnp_layout_free(natural);
    return mnp__output_close(1, &output, st);
}
