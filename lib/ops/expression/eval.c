/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_eval() finds the program for a text, its names and the types of its arrays, which the context keeps, and runs it.
 *
 * A text is parsed at its first call only; later calls find the program by its key.  The key has everything that the
 * program depends on; for an integer scalar this includes the integer types that can hold it, as others give an error.
 */
#include <maniple/eval.h>

#include <stdlib.h>
#include <string.h>

#include "array/output.h"
#include "base/hash.h"
#include "base/status.h"
#include "layout/layout.h"
#include "ops/expression/eval_program.h"
#include "ops/common/kernel_table.h"

enum { MAX_TEXT = 1 << 20 };

/* ---- what is asked for ---- */

static mnp_status take_input(mnp_ctx *ctx, mnp__request *r, const mnp_input *input)
{
    if (r->ninputs == MNP__MAX_INPUTS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d inputs", r->function, MNP__MAX_INPUTS);
    if (!mnp__is_object(input->array, MNP__TAG_array))
        return MNP_FAIL(MNP_ERR_ARG, "%s: input '%s' is %s", r->function, input->name,
                        input->array ? "not an array: it was never set, or was freed" : "NULL");
    if (input->array->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: input '%s' belongs to another context", r->function, input->name);
    r->input_names[r->ninputs] = input->name;
    r->inputs[r->ninputs++] = input->array;
    return MNP_OK;
}

static mnp_status take_output(mnp_ctx *ctx, mnp__request *r, const mnp_output *output)
{
    if (r->noutputs == MNP__MAX_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d outputs", r->function, MNP__MAX_OPERANDS);
    if (!output->array_p)
        return MNP_FAIL(MNP_ERR_ARG, "%s: output '%s' has NULL where its array should go", r->function, output->name);
    const mnp_array *given = *output->array_p;
    const mnp__output_spec spec = {
        .function = r->function, .name = output->name, .ctx = ctx, .dtype = given ? given->dtype : MNP_DTYPE_AUTO};
    MNP_TRY(mnp__output_check(&spec, given));
    for (int i = 0; i < r->noutputs; i++) {
        if (r->outputs_p[i] == output->array_p || (given && *r->outputs_p[i] == given))
            return MNP_FAIL(MNP_ERR_ARG, "%s: outputs '%s' and '%s' are the same array", r->function,
                            r->output_names[i], output->name);
    }
    r->output_names[r->noutputs] = output->name;
    r->outputs_p[r->noutputs] = output->array_p;
    r->output_dtypes[r->noutputs++] = given ? given->dtype : MNP_DTYPE_AUTO;
    return MNP_OK;
}

/* Outputs that are given can be read by their names too, unless an input has that name. */
static void add_outputs_to_inputs(mnp__request *r)
{
    int ninputs = r->ninputs;
    for (int o = 0; o < r->noutputs; o++) {
        bool known = !*r->outputs_p[o] || !*r->output_names[o];
        for (int i = 0; i < ninputs; i++)
            known = known || strcmp(r->input_names[i], r->output_names[o]) == 0;
        if (known)
            continue;
        r->input_names[r->ninputs] = r->output_names[o];
        r->inputs[r->ninputs++] = *r->outputs_p[o];
    }
}

static mnp_status check_text(mnp__request *r)
{
    r->length = strlen(r->text);
    if (r->length > MAX_TEXT)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the text has %zu bytes; %d are possible", r->function, r->length, MAX_TEXT);
    return MNP_OK;
}

static mnp_status check_names(const mnp__request *r, const char *role, int count, const char *const *names)
{
    for (int i = 0; i < count; i++) {
        bool last_value = *role == 'o' && !*names[i];
        if (!last_value && !mnp__expression_valid_name(names[i]))
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: '%s' cannot be the name of an %s: names have letters, digits and _, "
                            "and are not keywords",
                            r->function, names[i], role);
        for (int other = 0; other < i; other++) {
            if (strcmp(names[i], names[other]) == 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: there are two %ss '%s'", r->function, role, names[i]);
        }
    }
    return MNP_OK;
}

/* ---- the program of a text that was not seen before ---- */

static void describe_inputs(const mnp__request *r, mnp__expression_input *inputs)
{
    for (int i = 0; i < r->ninputs; i++) {
        int64_t value = 0;
        char weak = r->inputs[i]->weak;
        if (weak == 'i')
            memcpy(&value, mnp__scalar_value(r->inputs[i]), sizeof value);
        else if (weak == 'b')
            value = *(const unsigned char *)mnp__scalar_value(r->inputs[i]);
        inputs[i] = (mnp__expression_input){
            .type = {r->inputs[i]->dtype, weak}, .ndim = r->inputs[i]->layout->ndim, .value = value};
    }
}

static mnp_status translate(mnp_ctx *ctx, const mnp__request *r, mnp__program **program_p)
{
    mnp__expression expression = {.text = r->text,
                                  .ninputs = r->ninputs,
                                  .noutputs = r->noutputs,
                                  .input_names = r->input_names,
                                  .output_names = r->output_names};
    mnp__expression_input inputs[MNP__MAX_NAMES];
    mnp_dtype dtypes[MNP__MAX_OPERANDS];
    mnp_status st;
    describe_inputs(r, inputs);
    memcpy(dtypes, r->output_dtypes, sizeof dtypes);
    MNP_TRY_OR(check_names(r, "input", r->ninputs, r->input_names), st, done);
    MNP_TRY_OR(check_names(r, "output", r->noutputs, r->output_names), st, done);
    MNP_TRY_OR(mnp__expression_parse(&expression), st, done);
    MNP_TRY_OR(mnp__expression_type(&expression, inputs, dtypes), st, done);
    st = mnp__program_new(ctx, r, &expression, dtypes, program_p);
done:
    mnp__expression_free(&expression);
    return st;
}

/* Make a program.  All ranks do so for the same text, but one alone can run out of memory, so they agree. */
static mnp_status make(mnp_ctx *ctx, const mnp__request *r, mnp__program **program_p)
{
    mnp__program *program = NULL;
    MNP_TRY(mnp__check_same(&ctx->comm, r->function, mnp__hash(MNP__HASH_START, r->text, r->length)));
    mnp_status st = MNP_AGREE(ctx, translate(ctx, r, &program));
    if (st == MNP_OK)
        *program_p = program;
    else
        mnp__program_free(program);
    return st;
}

static void free_program(void *program)
{
    mnp__program_free(program);
}

/* ---- the key ---- */

/* A growing buffer of bytes, which starts on the stack. */
typedef struct key {
    unsigned char *data, near[1024];
    size_t length, capacity;
} key;

static mnp_status key_reserve(key *k, size_t capacity)
{
    k->data = k->near;
    k->capacity = sizeof k->near;
    if (capacity <= k->capacity)
        return MNP_OK;
    k->capacity = capacity;
    return mnp__malloc(capacity, &k->data);
}

static void key_add(key *k, const void *bytes, size_t length)
{
    memcpy(k->data + k->length, bytes, length);
    k->length += length;
}

static void key_add_operand(key *k, const char *name, mnp_dtype dtype, int ndim, char weak, unsigned char fits)
{
    unsigned char facts[] = {(unsigned char)dtype, (unsigned char)ndim, (unsigned char)weak, fits};
    key_add(k, name, strlen(name) + 1);
    key_add(k, facts, sizeof facts);
}

/* Find the integer types that can hold the value, as bits. */
static unsigned char types_that_fit(const mnp_array *scalar)
{
    int64_t value;
    unsigned bits = 0;
    memcpy(&value, mnp__scalar_value(scalar), sizeof value);
    for (int dtype = MNP_INT8; dtype <= MNP_UINT64; dtype++)
        bits |= (unsigned)mnp__wide_fits(value, (mnp_dtype)dtype) << (dtype - MNP_INT8);
    return (unsigned char)bits;
}

static mnp_status make_key(const mnp__request *r, key *k)
{
    size_t capacity = r->length + 2;
    for (int i = 0; i < r->ninputs; i++)
        capacity += strlen(r->input_names[i]) + 5;
    for (int i = 0; i < r->noutputs; i++)
        capacity += strlen(r->output_names[i]) + 5;
    MNP_TRY(key_reserve(k, capacity));
    for (int i = 0; i < r->ninputs; i++) {
        const mnp_array *input = r->inputs[i];
        key_add_operand(k, r->input_names[i], input->dtype, input->layout->ndim, input->weak,
                        input->weak == 'i' ? types_that_fit(input) : 0);
    }
    key_add(k, "=", 2);
    for (int i = 0; i < r->noutputs; i++) {
        const mnp_array *given = *r->outputs_p[i];
        int ndim = given ? given->layout->ndim : r->layout ? r->layout->ndim : 0;
        key_add_operand(k, r->output_names[i], r->output_dtypes[i], ndim, 0, 0);
    }
    key_add(k, r->text, r->length);
    return MNP_OK;
}

/* ---- evaluation ---- */

static mnp_status get_program(mnp_ctx *ctx, const mnp__request *r, const mnp__program **program_p)
{
    key k = {.length = 0};
    MNP_TRY(make_key(r, &k));
    mnp_status st = MNP_OK;
    mnp__program *program = mnp__kernel_table_find(ctx, (mnp__maker)make, k.data, k.length);
    if (!program) {
        MNP_TRY_OR(make(ctx, r, &program), st, done);
        st = mnp__kernel_table_add(ctx, (mnp__maker)make, k.data, k.length, program, free_program);
    }
    *program_p = program;
done:
    if (k.data != k.near)
        free(k.data);
    return st;
}

/* Check the arguments of a call that function and text of `r` belong to, and find the program. */
static mnp_status prepare(mnp_ctx *ctx, mnp__request *r, const mnp_input *inputs, const mnp_output *outputs,
                          const mnp__program **program_p)
{
    MNP_TRY(check_text(r));
    for (; inputs && inputs->name; inputs++)
        MNP_TRY(take_input(ctx, r, inputs));
    for (; outputs && outputs->name; outputs++)
        MNP_TRY(take_output(ctx, r, outputs));
    if (r->noutputs == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: no output is asked for", r->function);
    add_outputs_to_inputs(r);
    return get_program(ctx, r, program_p);
}

mnp_status mnp_eval(mnp_ctx *ctx, const char *statements, const mnp_input *inputs, const mnp_output *outputs)
{
    MNP_ENTER(ctx, statements, outputs);
    mnp__request r = {.function = "mnp_eval", .text = statements};
    const mnp__program *program;
    MNP_TRY(prepare(ctx, &r, inputs, outputs, &program));
    return mnp__program_run(ctx, program, &r);
}

mnp_status mnp_eval_types(mnp_ctx *ctx, const char *statements, const mnp_input *inputs, const mnp_output *outputs,
                          mnp_dtype *dtypes, int *ndims)
{
    MNP_ENTER(ctx, statements, outputs);
    mnp__request r = {.function = "mnp_eval_types", .text = statements};
    const mnp__program *program;
    MNP_TRY(prepare(ctx, &r, inputs, outputs, &program));
    for (int o = 0; o < program->noutputs; o++) {
        if (dtypes)
            dtypes[o] = program->dtypes[o];
        if (ndims)
            ndims[o] = program->ndims[o];
    }
    return MNP_OK;
}

mnp_status mnp_fromfunction(mnp_ctx *ctx, const char *expression, mnp_dtype dtype, int ndim, const int64_t *shape,
                            mnp_array **array_p)
{
    MNP_ENTER(ctx, expression, array_p);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__request r = {.function = "mnp_fromfunction", .text = expression};
    mnp_layout *layout;
    const mnp__program *program;
    MNP_TRY(check_text(&r));
    if (dtype != MNP_DTYPE_AUTO && mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is not a dtype", (int)dtype);
    MNP_TRY(take_output(ctx, &r, &(mnp_output){"", array_p}));
    if (dtype != MNP_DTYPE_AUTO)
        r.output_dtypes[0] = dtype;
    MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &layout));
    r.layout = layout;
    mnp_status st = get_program(ctx, &r, &program);
    if (st == MNP_OK)
        st = mnp__program_run(ctx, program, &r);
    mnp_layout_free(layout);
    return st;
}
