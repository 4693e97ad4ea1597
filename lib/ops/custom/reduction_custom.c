/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The user's reductions.  A parameter list and expressions become a reduction (lib/ops/reduction/reduction.h) for every
 * set of types that calls give to the letters among the parameters.  A later call with the same types finds it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"
#include "ops/custom/custom.h"
#include "ops/reduction/reduction.h"

/* What a reduction is made for. */
typedef struct key {
    mnp_dtype dtypes[MNP__MAX_OPERANDS]; /* of the parameters, followed by zeros */
    bool masked, unused[3];
} key;

struct mnp_reduction {
    unsigned tag; /* MNP__TAG_reduction: see base/call.h */
    mnp_ctx *ctx;
    char *name, *type, *preamble, *options; /* `type` NULL: the type of the first output */
    char *map, *reduce, *post, *identity;   /* `post` NULL: none */
    int ninputs, noutputs;
    mnp__parameter parameters[MNP__MAX_OPERANDS]; /* inputs, then outputs */
    mnp__entry *reductions;                       /* by key */
};

/* ---- making one ---- */

static mnp_status parse(mnp_reduction *reduction, const char *inputs, const char *outputs)
{
    int count = 0;
    MNP_TRY(mnp__parameters_parse(inputs, "inputs", reduction->parameters, &count));
    reduction->ninputs = count;
    MNP_TRY(mnp__parameters_parse(outputs, "outputs", reduction->parameters, &count));
    reduction->noutputs = count - reduction->ninputs;
    if (reduction->ninputs == 0 || reduction->noutputs == 0)
        return MNP_FAIL(MNP_ERR_ARG, "a reduction has at least one input and one output, and this has %d and %d",
                        reduction->ninputs, reduction->noutputs);
    if (count >= MNP__MAX_REDUCTION_OPERANDS) /* leaves room for a mask */
        return MNP_FAIL(MNP_ERR_ARG, "a reduction has at most %d inputs and outputs, and this has %d",
                        MNP__MAX_REDUCTION_OPERANDS - 1, count);
    for (int k = 0; k < count; k++) {
        if (reduction->parameters[k].raw)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "parameter '%s' is raw, and reductions take elements alone",
                            reduction->parameters[k].name);
    }
    return MNP_OK;
}

static mnp_status copy_texts(mnp_reduction *reduction, const mnp_reduction_options *options, const char *map,
                             const char *reduce, const char *post, const char *identity)
{
    MNP_TRY(mnp__strdup(options->name ? options->name : "reduction", &reduction->name));
    MNP_TRY(mnp__strdup(options->preamble ? options->preamble : "", &reduction->preamble));
    MNP_TRY(mnp__strdup(options->nvrtc_options ? options->nvrtc_options : "", &reduction->options));
    if (options->type)
        MNP_TRY(mnp__strdup(options->type, &reduction->type));
    MNP_TRY(mnp__strdup(map, &reduction->map));
    MNP_TRY(mnp__strdup(reduce, &reduction->reduce));
    if (post)
        MNP_TRY(mnp__strdup(post, &reduction->post));
    return mnp__strdup(identity, &reduction->identity);
}

mnp_status mnp_reduction_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *map, const char *reduce,
                             const char *post, const char *identity, const mnp_reduction_options *options,
                             mnp_reduction **reduction_p)
{
    MNP_ENTER(ctx, inputs, outputs, map, reduce, identity, reduction_p);
    mnp_reduction_options all = options ? *options : (mnp_reduction_options){.name = NULL};
    mnp_reduction *reduction;
    MNP_TRY(mnp__calloc(1, sizeof *reduction, &reduction));
    reduction->tag = MNP__TAG_reduction;
    reduction->ctx = ctx;
    mnp__ctx_made(ctx, reduction);
    mnp_status st;
    MNP_TRY_OR(mnp__check_identifier("mnp_reduction_new", "the name", all.name ? all.name : "reduction"), st, fail);
    MNP_TRY_OR(parse(reduction, inputs, outputs), st, fail);
    MNP_TRY_OR(copy_texts(reduction, &all, map, reduce, post, identity), st, fail);
    *reduction_p = reduction;
    return MNP_OK;
fail:
    mnp_reduction_free(reduction);
    return st;
}

void mnp_reduction_free(mnp_reduction *reduction)
{
    if (!reduction)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, reduction);
    if (reduction->reductions)
        mnp__ctx_drain(reduction->ctx);
    while (reduction->reductions)
        mnp__reduction_free(mnp__entries_take(&reduction->reductions));
    mnp__ctx_gone(reduction->ctx, reduction);
    free(reduction->name);
    free(reduction->type);
    free(reduction->preamble);
    free(reduction->options);
    free(reduction->map);
    free(reduction->reduce);
    free(reduction->post);
    free(reduction->identity);
    mnp__object_free(reduction);
}

/* ---- the reduction of given types ---- */

/* Write the letters as types, the user's preamble, and the type of the values to be reduced. */
static void write_types(const mnp_reduction *self, const mnp_dtype *dtypes, mnp__text *text)
{
    mnp__text_add(text, "#include \"maniple/custom/custom.h\"\n");
    for (int k = 0; k < self->ninputs + self->noutputs; k++) {
        if (self->parameters[k].letter) /* C++ allows the same typedef more than once */
            mnp__text_add(text, "typedef %s %c;\n", mnp__body_type(dtypes[k]), self->parameters[k].letter);
    }
    if (*self->preamble)
        mnp__text_add(text, "#line 1 \"preamble of %s\"\n%s\n", self->name, self->preamble);
    mnp__text_add(text, "#line 1 \"type of %s\"\ntypedef %s mnp_reduced;\n", self->name,
                  self->type ? self->type : mnp__body_type(dtypes[self->ninputs]));
}

/* Write each of the user's expressions as a function. */
static void write_expressions(const mnp_reduction *self, const mnp_dtype *dtypes, mnp__text *text)
{
    const char *separator = "";
    mnp__text_add(text, "static MNP_INLINE mnp_reduced mnp_map(");
    for (int k = 0; k < self->ninputs; k++, separator = ", ")
        mnp__text_add(text, "%sconst %s %s", separator, mnp__body_type(dtypes[k]), self->parameters[k].name);
    mnp__text_add(text, ")\n{\nreturn (mnp_reduced)(\n#line 1 \"map of %s\"\n%s\n);\n}\n", self->name, self->map);
    mnp__text_add(text,
                  "static MNP_INLINE mnp_reduced mnp_reduce(const mnp_reduced a, const mnp_reduced b)\n"
                  "{\nreturn (mnp_reduced)(\n#line 1 \"reduce of %s\"\n%s\n);\n}\n",
                  self->name, self->reduce);
    mnp__text_add(text,
                  "static MNP_INLINE mnp_reduced mnp_identity()\n{\nreturn (mnp_reduced)(\n"
                  "#line 1 \"identity of %s\"\n%s\n);\n}\n",
                  self->name, self->identity);
    mnp__text_add(text, "static MNP_INLINE void mnp_post(const mnp_reduced a, const int64_t n");
    for (int k = self->ninputs; k < self->ninputs + self->noutputs; k++)
        mnp__text_add(text, ", %s &%s", mnp__body_type(dtypes[k]), self->parameters[k].name);
    mnp__text_add(text, ")\n{\n");
    if (self->post)
        mnp__text_add(text, "#line 1 \"post of %s\"\n%s\n;\n", self->name, self->post);
    for (int k = self->ninputs; k < self->ninputs + self->noutputs && !self->post; k++)
        mnp__text_add(text, "%s = (%s)a;\n", self->parameters[k].name, mnp__body_type(dtypes[k]));
    mnp__text_add(text, "}\n#line 1 \"after the expressions\"\n");
}

/* Write the struct that kernels/reduction/reduce_ops.h requires of a reduction. */
static void write_struct(const mnp_reduction *self, const mnp_dtype *dtypes, bool masked, mnp__text *text)
{
    mnp__text_add(text, "struct mnp_custom {\n"
                        "typedef mnp_reduced acc;\n"
                        "template <int W> struct lanes {\n"
                        "acc value[W];\n"
                        "MNP_INLINE void start(int j) { value[j] = mnp_identity(); }\n"
                        "MNP_INLINE acc end(int j) const { return value[j]; }\n"
                        "template <typename... Given> MNP_INLINE void take(int64_t j, Given... given)\n"
                        "{ value[j] = mnp_reduce(value[j], mnp_take(given...)); }\n};\n");
    mnp__text_add(text, "static MNP_INLINE void join(acc &a, const acc &b) { a = mnp_reduce(a, b); }\n"
                        "static MNP_INLINE void give(const acc &a, const mnp_reduce_end &end");
    for (int k = self->ninputs; k < self->ninputs + self->noutputs; k++)
        mnp__text_add(text, ", mnp_type%d &result%d", k + masked, k);
    mnp__text_add(text, ")\n{\n");
    for (int k = self->ninputs; k < self->ninputs + self->noutputs; k++)
        mnp__text_add(text, "%s mnp_%d = %s();\n", mnp__body_type(dtypes[k]), k, mnp__body_type(dtypes[k]));
    mnp__text_add(text, "mnp_post(a, end.count");
    for (int k = self->ninputs; k < self->ninputs + self->noutputs; k++)
        mnp__text_add(text, ", mnp_%d", k);
    mnp__text_add(text, ");\n");
    for (int k = self->ninputs; k < self->ninputs + self->noutputs; k++)
        mnp__text_add(text, "result%d = mnp_stored(mnp_%d);\n", k, k);
    mnp__text_add(text, "}\n};\n");
}

static void write_preamble(const mnp_reduction *self, const mnp_dtype *dtypes, bool masked, mnp__text *text)
{
    write_types(self, dtypes, text);
    write_expressions(self, dtypes, text);
    mnp__text_add(text, "static MNP_INLINE mnp_reduced mnp_take(");
    for (int k = 0; k < self->ninputs; k++)
        mnp__text_add(text, "const mnp_type%d mnp_%d, ", k, k);
    mnp__text_add(text, "int64_t)\n{\nreturn mnp_map(");
    for (int k = 0; k < self->ninputs; k++)
        mnp__text_add(text, "%smnp_given(mnp_%d)", k ? ", " : "", k);
    mnp__text_add(text, ");\n}\n");
    write_struct(self, dtypes, masked, text);
}

/* Make the reduction; a mask, if there is one, is an input after the user's. */
static mnp_status make(const mnp_reduction *self, const mnp_dtype *dtypes, bool masked, mnp__reduction **reduction_p)
{
    mnp__loop_operand operands[MNP__MAX_REDUCTION_OPERANDS];
    mnp__text text = MNP__TEXT_EMPTY;
    int count = 0, mask = -1;
    for (int k = 0; k < self->ninputs + self->noutputs; k++) {
        if (k == self->ninputs && masked) {
            mask = count;
            operands[count++] = (mnp__loop_operand){"where", MNP_BOOL, MNP_BOOL, false};
        }
        operands[count++] = (mnp__loop_operand){"", dtypes[k], dtypes[k], false};
    }
    write_preamble(self, dtypes, masked, &text);
    mnp__reduction_spec spec = {.name = self->name,
                                .preamble = mnp__text_string(&text),
                                .op = "mnp_custom",
                                .finish = "",
                                .options = self->options,
                                .accumulator = self->type ? 64 : 16,
                                .contract = true,
                                .mask = mask,
                                .ninputs = self->ninputs + masked,
                                .noutputs = self->noutputs,
                                .operands = operands};
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK)
        st = mnp__reduction_new(self->ctx, &spec, reduction_p);
    mnp__text_free(&text);
    return st;
}

static mnp_status get(mnp_reduction *self, const key *k, mnp__reduction **reduction_p)
{
    mnp__reduction *reduction = mnp__entries_find(self->reductions, k, sizeof *k);
    if (!reduction) {
        mnp_status st = make(self, k->dtypes, k->masked, &reduction);
        if (st == MNP_OK)
            st = mnp__entries_add(&self->reductions, k, sizeof *k, reduction);
        const bool added = st == MNP_OK;
        st = MNP_AGREE(self->ctx, st);
        if (st != MNP_OK) { /* so that the next call finds the same on all ranks */
            if (added)
                (void)mnp__entries_take(&self->reductions);
            mnp__reduction_free(reduction);
            return st;
        }
    }
    *reduction_p = reduction;
    return MNP_OK;
}

/* ---- calls ---- */

static mnp_status check(const mnp_reduction *self, int ninputs, int noutputs, const mnp_axes *axes)
{
    if (ninputs != self->ninputs || noutputs != self->noutputs)
        return MNP_FAIL(MNP_ERR_ARG, "reduction %s has %d inputs and %d outputs, and was called with %d and %d",
                        self->name, self->ninputs, self->noutputs, ninputs, noutputs);
    if (axes && (axes->dtype || axes->initial))
        return MNP_FAIL(MNP_ERR_ARG, "reduction %s: there is no %s to choose", self->name,
                        axes->dtype ? "dtype" : "initial");
    if (axes && axes->where && (mnp__array_is_scalar(axes->where) || axes->where->dtype != MNP_BOOL))
        return MNP_FAIL(MNP_ERR_ARG, "reduction %s: where is %s, and must be an array of bool", self->name,
                        mnp_dtype_name(axes->where->dtype));
    return MNP_OK;
}

/* Find the number of dimensions of the broadcast inputs, at least one of which must be an array. */
static mnp_status find_ndim(const mnp_reduction *self, int ninputs, const mnp_array *const *inputs, int *ndim_p)
{
    bool any = false;
    *ndim_p = 0;
    for (int i = 0; i < ninputs; i++) {
        any = any || !mnp__array_is_scalar(inputs[i]);
        *ndim_p = inputs[i]->layout->ndim > *ndim_p ? inputs[i]->layout->ndim : *ndim_p;
    }
    return any ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "reduction %s: all inputs are numbers: give an array", self->name);
}

mnp_status mnp_reduction_call(mnp_reduction *reduction, int ninputs, const mnp_array *const *inputs,
                              const mnp_axes *axes, int noutputs, mnp_array **const *outputs_p)
{
    MNP_ENTER(reduction);
    MNP_NEED_ALL(ninputs, inputs);
    MNP_NEED_IF(noutputs > 0, outputs_p);
    key k = {.masked = axes && axes->where};
    const mnp_array *all[MNP__MAX_REDUCTION_OPERANDS];
    mnp__reduction_call call = {.function = reduction->name, .inputs = all, .outputs_p = outputs_p};
    mnp__reduction *run;
    int ndim;
    MNP_TRY(check(reduction, ninputs, noutputs, axes));
    MNP_TRY(mnp__parameters_resolve(reduction->name, reduction->parameters, ninputs, noutputs, inputs, outputs_p,
                                    k.dtypes));
    memcpy(all, inputs, (size_t)ninputs * sizeof *inputs);
    all[ninputs] = axes ? axes->where : NULL;
    MNP_TRY(find_ndim(reduction, ninputs + (all[ninputs] != NULL), all, &ndim));
    MNP_TRY(mnp__reduction_axes(reduction->name, ndim, axes, &call.axes));
    MNP_TRY(get(reduction, &k, &run));
    call.keepdims = axes && axes->keepdims;
    return mnp__reduction_run(run, &call);
}
