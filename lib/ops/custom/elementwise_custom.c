/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's element-wise kernels.  A parameter list and a body become a loop (lib/ops/elementwise/loop.h) for every
 * set of types that calls give to the letters among the parameters.  A later call with the same types finds its loop.
 */
#include <stdlib.h>
#include <string.h>

#include <maniple/kernel.h>

#include "base/text.h"
#include "ops/elementwise/apply.h"
#include "ops/custom/custom.h"

struct mnp_elementwise {
    unsigned tag; /* MNP__TAG_elementwise: see base/call.h */
    mnp_ctx *ctx;
    char *name, *preamble, *options, *body;
    bool counts; /* the body may use i, n or _ind */
    int ninputs, noutputs;
    mnp__parameter parameters[MNP__MAX_OPERANDS]; /* inputs, then outputs */
    mnp__entry *loops;                            /* by the dtypes of the parameters */
};

/* ---- making one ---- */

/* Whether a word occurs in a text, even in a comment or a string. */
static bool has_word(const char *text, const char *wanted)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(wanted);
    for (const char *at = strstr(text, wanted); at; at = strstr(at + 1, wanted)) {
        if ((at == text || !strchr(word, at[-1])) && (!at[length] || !strchr(word, at[length])))
            return true;
    }
    return false;
}

/* Whether a text may use the index of an element, or the number of elements. */
static bool uses_index(const char *text)
{
    return has_word(text, "i") || has_word(text, "n") || has_word(text, "_ind");
}

static mnp_status parse(mnp_elementwise *kernel, const char *inputs, const char *outputs)
{
    int count = 0;
    MNP_TRY(mnp__parameters_parse(inputs, "inputs", kernel->parameters, &count));
    kernel->ninputs = count;
    MNP_TRY(mnp__parameters_parse(outputs, "outputs", kernel->parameters, &count));
    kernel->noutputs = count - kernel->ninputs;
    if (kernel->noutputs == 0)
        return MNP_FAIL(MNP_ERR_ARG, "an element-wise kernel has at least one output");
    for (int k = kernel->ninputs; k < count; k++) {
        if (kernel->parameters[k].raw)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                            "output '%s' is raw, and elements that a rank does not own cannot be written: use "
                            "a raw kernel (mnp_raw_module_new) on each rank's block",
                            kernel->parameters[k].name);
    }
    return MNP_OK;
}

mnp_status mnp_elementwise_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *body,
                               const mnp_elementwise_options *options, mnp_elementwise **kernel_p)
{
    MNP_ENTER(ctx, inputs, outputs, body, kernel_p);
    mnp_elementwise_options all = options ? *options : (mnp_elementwise_options){.name = NULL};
    mnp_elementwise *kernel;
    mnp_status st;
    if (!inputs || !outputs || !body)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_elementwise_new: %s NULL",
                        !inputs    ? "the inputs are"
                        : !outputs ? "the outputs are"
                                   : "the body is");
    MNP_TRY(mnp__calloc(1, sizeof *kernel, &kernel));
    kernel->tag = MNP__TAG_elementwise;
    kernel->ctx = ctx;
    mnp__ctx_made(ctx, kernel);
    MNP_TRY_OR(mnp__check_identifier("mnp_elementwise_new", "the name", all.name ? all.name : "elementwise"), st, fail);
    MNP_TRY_OR(parse(kernel, inputs, outputs), st, fail);
    MNP_TRY_OR(mnp__strdup(all.name ? all.name : "elementwise", &kernel->name), st, fail);
    MNP_TRY_OR(mnp__strdup(all.preamble ? all.preamble : "", &kernel->preamble), st, fail);
    MNP_TRY_OR(mnp__strdup(all.nvrtc_options ? all.nvrtc_options : "", &kernel->options), st, fail);
    MNP_TRY_OR(mnp__strdup(body, &kernel->body), st, fail);
    kernel->counts = uses_index(body) || uses_index(kernel->preamble);
    *kernel_p = kernel;
    return MNP_OK;
fail:
    mnp_elementwise_free(kernel);
    return st;
}

void mnp_elementwise_free(mnp_elementwise *kernel)
{
    if (!kernel)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, kernel);
    if (kernel->loops)
        mnp__ctx_drain(kernel->ctx);
    while (kernel->loops)
        mnp__loop_free(mnp__entries_take(&kernel->loops));
    mnp__ctx_gone(kernel->ctx, kernel);
    free(kernel->name);
    free(kernel->preamble);
    free(kernel->options);
    free(kernel->body);
    mnp__object_free(kernel);
}

/* ---- the loop of given types ---- */

/* Write the letters as types, and the user's preamble. */
static void write_preamble(const mnp_elementwise *kernel, const mnp_dtype *dtypes, mnp__text *text)
{
    mnp__text_add(text, "#include \"maniple/custom/custom.h\"\n");
    for (int k = 0; k < kernel->ninputs + kernel->noutputs; k++) {
        char letter = kernel->parameters[k].letter;
        if (letter) /* C++ allows the same typedef more than once */
            mnp__text_add(text, "typedef %s %c;\n", mnp__body_type(dtypes[k]), letter);
    }
    if (*kernel->preamble)
        mnp__text_add(text, "#line 1 \"preamble of %s\"\n%s", kernel->name, kernel->preamble);
}

/* Write the user's body as a function, and the loop's body, which converts its operands to call that function. */
static void write_body(const mnp_elementwise *kernel, const mnp_dtype *dtypes, mnp__text *text)
{
    int count = kernel->ninputs + kernel->noutputs;
    for (int k = 0; k < count; k++) {
        const mnp__parameter *parameter = &kernel->parameters[k];
        const char *type = mnp__body_type(dtypes[k]), *name = parameter->name;
        if (parameter->raw)
            mnp__text_add(text, "const mnp_given_raw<mnp_raw<mnp_type%d, mnp_memory%d>> %s{mnp_%d};\n", k, k, name, k);
        else if (k < kernel->ninputs)
            mnp__text_add(text, "const %s %s = mnp_given(mnp_%d);\n", type, name, k);
        else
            mnp__text_add(text, "%s %s = %s();\n", type, name, type);
    }
    if (kernel->counts)
        mnp__text_add(text, "const int64_t i = mnp_i, n = mnp_n;\nconst mnp_indices _ind{mnp_n};\n");
    mnp__text_add(text, "[&]() {\n#line 1 \"body of %s\"\n%s\n#line 1 \"behind the body of %s\"\n;}();\n", kernel->name,
                  kernel->body, kernel->name);
    for (int k = kernel->ninputs; k < count; k++)
        mnp__text_add(text, "mnp_%d = mnp_stored(%s);\n", k, kernel->parameters[k].name);
}

static mnp_status make_loop(const mnp_elementwise *kernel, const mnp_dtype *dtypes, mnp__loop **loop_p)
{
    int count = kernel->ninputs + kernel->noutputs;
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    char names[MNP__MAX_OPERANDS][16];
    mnp__text preamble = MNP__TEXT_EMPTY, body = MNP__TEXT_EMPTY;
    for (int k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], "mnp_%d", k);
        operands[k] = (mnp__loop_operand){
            .name = names[k], .type = dtypes[k], .memory = dtypes[k], .raw = kernel->parameters[k].raw};
    }
    write_preamble(kernel, dtypes, &preamble);
    write_body(kernel, dtypes, &body);
    mnp__loop_spec spec = {.name = kernel->name,
                           .preamble = mnp__text_string(&preamble),
                           .body = mnp__text_string(&body),
                           .options = kernel->options,
                           .contract = true,
                           .indices = kernel->counts,
                           .ninputs = kernel->ninputs,
                           .noutputs = kernel->noutputs,
                           .operands = operands};
    mnp_status st = mnp__text_status(&preamble);
    if (st == MNP_OK)
        st = mnp__text_status(&body);
    if (st == MNP_OK)
        st = mnp__loop_new(kernel->ctx, &spec, loop_p);
    mnp__text_free(&preamble);
    mnp__text_free(&body);
    return st;
}

static mnp_status get_loop(mnp_elementwise *kernel, const mnp_dtype *dtypes, mnp__loop **loop_p)
{
    size_t size = (size_t)(kernel->ninputs + kernel->noutputs) * sizeof *dtypes;
    mnp__loop *loop = mnp__entries_find(kernel->loops, dtypes, size);
    if (!loop) {
        mnp_status st = make_loop(kernel, dtypes, &loop);
        if (st == MNP_OK)
            st = mnp__entries_add(&kernel->loops, dtypes, size, loop);
        const bool added = st == MNP_OK;
        st = MNP_AGREE(kernel->ctx, st);
        if (st != MNP_OK) { /* so that the next call finds the same on all ranks */
            if (added)
                (void)mnp__entries_take(&kernel->loops);
            mnp__loop_free(loop);
            return st;
        }
    }
    *loop_p = loop;
    return MNP_OK;
}

/* ---- calls ---- */

/* Check that an operand determines the shape of the outputs. */
static mnp_status check_shape_is_known(const mnp_elementwise *kernel, const mnp_array *const *inputs,
                                       mnp_array **const *outputs_p)
{
    for (int k = 0; k < kernel->ninputs; k++) {
        if (!kernel->parameters[k].raw && !mnp__array_is_scalar(inputs[k]))
            return MNP_OK;
    }
    for (int k = 0; k < kernel->noutputs; k++) {
        if (*outputs_p[k])
            return MNP_OK;
    }
    return MNP_FAIL(MNP_ERR_ARG,
                    "kernel %s: nothing tells the shape of the outputs: give an output, or an input that is neither "
                    "raw "
                    "nor a scalar",
                    kernel->name);
}

mnp_status mnp_elementwise_call(mnp_elementwise *kernel, int ninputs, const mnp_array *const *inputs, int noutputs,
                                mnp_array **const *outputs_p)
{
    MNP_ENTER(kernel);
    MNP_NEED_ALL(ninputs, inputs);
    MNP_NEED_IF(noutputs > 0, outputs_p);
    mnp_dtype dtypes[MNP__MAX_OPERANDS];
    mnp__loop *loop;
    if (ninputs != kernel->ninputs || noutputs != kernel->noutputs)
        return MNP_FAIL(MNP_ERR_ARG, "kernel %s has %d inputs and %d outputs, and was called with %d and %d",
                        kernel->name, kernel->ninputs, kernel->noutputs, ninputs, noutputs);
    MNP_TRY(mnp__parameters_resolve(kernel->name, kernel->parameters, ninputs, noutputs, inputs, outputs_p, dtypes));
    MNP_TRY(check_shape_is_known(kernel, inputs, outputs_p));
    MNP_TRY(get_loop(kernel, dtypes, &loop));
    return mnp__apply(
        kernel->ctx,
        &(mnp__application){.function = kernel->name, .loop = loop, .inputs = inputs, .outputs_p = outputs_p});
}
