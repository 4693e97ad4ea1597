/*
 * mnp_eval(): from names and arrays to a loop that the context keeps, by text, names and types.
 *
 * A text that was seen before is found by its key without being looked at.  The key has all that the loop depends on:
 * of an integer scalar also which integer types it fits, as that decides what is an error.
 */
#include <maniple/eval.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/status.h"
#include "layout/layout.h"
#include "ops/apply.h"
#include "ops/expression.h"

enum { MAX_TEXT = 1 << 20 };

/* What an evaluation is about. */
typedef struct request {
    const char *function; /* of the public interface */
    const char *text;
    size_t length;
    int ninputs, noutputs;
    const char *input_names[MNP__MAX_NAMES], *output_names[MNP__MAX_OPERANDS];
    const mnp_array *inputs[MNP__MAX_NAMES];
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    mnp_dtype output_dtypes[MNP__MAX_OPERANDS]; /* MNP_DTYPE_AUTO: the value's */
    const mnp_layout *layout;                   /* of the outputs, or NULL */
} request;

/* ---- what is asked for ---- */

static mnp_status take_input(mnp_ctx *ctx, request *r, const mnp_input *input)
{
    if (r->ninputs == MNP__MAX_NAMES)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d inputs", r->function, MNP__MAX_NAMES);
    if (!input->array)
        return MNP_FAIL(MNP_ERR_ARG, "%s: input '%s' is NULL", r->function, input->name);
    if (input->array->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: input '%s' belongs to another context", r->function, input->name);
    r->input_names[r->ninputs] = input->name;
    r->inputs[r->ninputs++] = input->array;
    return MNP_OK;
}

static mnp_status take_output(mnp_ctx *ctx, request *r, const mnp_output *output)
{
    if (r->noutputs == MNP__MAX_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are more than %d outputs", r->function, MNP__MAX_OPERANDS);
    if (!output->array_p)
        return MNP_FAIL(MNP_ERR_ARG, "%s: output '%s' has NULL where its array should go", r->function, output->name);
    const mnp_array *given = *output->array_p;
    if (given && given->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: output '%s' belongs to another context", r->function, output->name);
    for (int i = 0; i < r->noutputs; i++) {
        if (r->outputs_p[i] == output->array_p)
            return MNP_FAIL(MNP_ERR_ARG, "%s: outputs '%s' and '%s' are the same array", r->function,
                            r->output_names[i], output->name);
    }
    r->output_names[r->noutputs] = output->name;
    r->outputs_p[r->noutputs] = output->array_p;
    r->output_dtypes[r->noutputs++] = given ? given->dtype : MNP_DTYPE_AUTO;
    return MNP_OK;
}

static mnp_status check_text(request *r)
{
    if (!r->text)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the text is NULL", r->function);
    r->length = strlen(r->text);
    if (r->length > MAX_TEXT)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the text has %zu bytes; %d are possible", r->function, r->length, MAX_TEXT);
    return MNP_OK;
}

static mnp_status check_names(const request *r, const char *role, int count, const char *const *names)
{
    for (int i = 0; i < count; i++) {
        bool last_value = *role == 'o' && !*names[i];
        if (!last_value && !mnp__expression_valid_name(names[i]))
            return MNP_FAIL(MNP_ERR_ARG, "%s: '%s' cannot be the name of an %s: names have letters, digits and _, "
                            "and are no keyword", r->function, names[i], role);
        for (int other = 0; other < i; other++) {
            if (strcmp(names[i], names[other]) == 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: there are two %ss '%s'", r->function, role, names[i]);
        }
    }
    return MNP_OK;
}

/* ---- the loop of a text that was not seen before ---- */

static void describe_inputs(const request *r, mnp__expression_input *inputs)
{
    for (int i = 0; i < r->ninputs; i++) {
        int64_t value = 0;
        char weak = r->inputs[i]->weak;
        if (weak == 'i')
            memcpy(&value, r->inputs[i]->value, sizeof value);
        else if (weak == 'b')
            value = *(const unsigned char *)r->inputs[i]->value;
        inputs[i] = (mnp__expression_input){.type = {r->inputs[i]->dtype, weak}, .value = value};
    }
}

/* The number of dimensions of the result is enough for the indices that are used. */
static mnp_status check_dims(const request *r, const mnp__expression *expression)
{
    int ndim = r->layout ? r->layout->ndim : 0;
    for (int i = 0; i < r->ninputs; i++) {
        int more = expression->used[i] ? r->inputs[i]->layout->ndim : 0;
        ndim = more > ndim ? more : ndim;
    }
    for (int i = 0; i < r->noutputs; i++) {
        const mnp_array *given = *r->outputs_p[i];
        ndim = given && given->layout->ndim > ndim ? given->layout->ndim : ndim;
    }
    if (expression->dims <= ndim)
        return MNP_OK;
    return mnp__expression_fail(expression, expression->dims_at, "there is no dimension %d: the result has %d",
                                expression->dims - 1, ndim);
}

static mnp_status check_count(const request *r, const mnp__expression *expression)
{
    int count = r->noutputs;
    for (int i = 0; i < r->ninputs; i++)
        count += expression->used[i];
    if (count > MNP__MAX_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d inputs that are used and outputs; %d are possible", r->function,
                        count, MNP__MAX_OPERANDS);
    return MNP_OK;
}

/* The names that operands have in the body, one after another in `names`. */
static mnp_status name_operands(const mnp__expression *expression, mnp__text *names)
{
    for (int i = 0; i < expression->ninputs; i++)
        mnp__text_add(names, "in_%s%c", expression->input_names[i], '\0');
    for (int i = 0; i < expression->noutputs; i++)
        mnp__text_add(names, "out_%s%c", expression->output_names[i], '\0');
    return mnp__text_status(names);
}

static mnp_status make_loop(mnp_ctx *ctx, const request *r, const mnp__expression *expression, const mnp_dtype *dtypes,
                            mnp__loop **loop_p)
{
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    mnp__text names = MNP__TEXT_EMPTY, body = MNP__TEXT_EMPTY;
    mnp_status st;
    int count = 0;
    mnp__expression_emit(expression, &body);
    MNP_TRY_OR(mnp__text_status(&body), st, done);
    MNP_TRY_OR(name_operands(expression, &names), st, done);
    const char *name = mnp__text_string(&names);
    for (int i = 0; i < r->ninputs; i++, name += strlen(name) + 1) {
        mnp_dtype dtype = r->inputs[i]->dtype;
        if (expression->used[i])
            operands[count++] = (mnp__loop_operand){.name = name, .type = dtype, .memory = dtype};
    }
    int ninputs = count;
    for (int i = 0; i < r->noutputs; i++, name += strlen(name) + 1)
        operands[count++] = (mnp__loop_operand){.name = name, .type = expression->output_types[i], .memory = dtypes[i]};
    mnp__loop_spec spec = {.name = "eval", .preamble = "", .body = mnp__text_string(&body), .operands = operands,
                           .indices = expression->indices, .ninputs = ninputs, .noutputs = r->noutputs};
    st = mnp__loop_new(ctx, &spec, loop_p);
done:
    mnp__text_free(&names);
    mnp__text_free(&body);
    return st;
}

static mnp_status translate(mnp_ctx *ctx, const request *r, mnp__loop **loop_p)
{
    mnp__expression expression = {.text = r->text, .ninputs = r->ninputs, .noutputs = r->noutputs,
                                  .input_names = r->input_names, .output_names = r->output_names};
    mnp__expression_input inputs[MNP__MAX_NAMES];
    mnp_dtype dtypes[MNP__MAX_OPERANDS];
    mnp_status st;
    describe_inputs(r, inputs);
    memcpy(dtypes, r->output_dtypes, sizeof dtypes);
    MNP_TRY_OR(check_names(r, "input", r->ninputs, r->input_names), st, done);
    MNP_TRY_OR(check_names(r, "output", r->noutputs, r->output_names), st, done);
    MNP_TRY_OR(mnp__expression_parse(&expression), st, done);
    MNP_TRY_OR(check_count(r, &expression), st, done);
    MNP_TRY_OR(check_dims(r, &expression), st, done);
    MNP_TRY_OR(mnp__expression_type(&expression, inputs, dtypes), st, done);
    st = make_loop(ctx, r, &expression, dtypes, loop_p);
done:
    mnp__expression_free(&expression);
    return st;
}

/* All ranks come here for the same text; memory can run out on one alone. */
static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const request *r = argument;
    mnp__loop *loop = NULL;
    MNP_TRY(mnp__check_same(&ctx->comm, r->function, mnp__hash(MNP__HASH_START, r->text, r->length)));
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0); /* numbers have points in any language */
    locale_t users = plain ? uselocale(plain) : (locale_t)0;
    mnp_status st = plain ? translate(ctx, r, &loop) : MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for a locale");
    if (plain) {
        uselocale(users);
        freelocale(plain);
    }
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *loop_p = loop;
    else
        mnp__loop_free(loop);
    return st;
}

/* ---- the key ---- */

/* Bytes that grow, at first on the stack. */
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

/* A bit for each integer type that has the value. */
static unsigned char types_that_fit(const mnp_array *scalar)
{
    int64_t value;
    unsigned bits = 0;
    memcpy(&value, scalar->value, sizeof value);
    for (int dtype = MNP_INT8; dtype <= MNP_UINT64; dtype++)
        bits |= (unsigned)mnp__wide_fits(value, (mnp_dtype)dtype) << (dtype - MNP_INT8);
    return (unsigned char)bits;
}

static mnp_status make_key(const request *r, key *k)
{
    static const char tag[] = "mnp_eval";
    size_t capacity = sizeof tag + r->length + 2;
    for (int i = 0; i < r->ninputs; i++)
        capacity += strlen(r->input_names[i]) + 5;
    for (int i = 0; i < r->noutputs; i++)
        capacity += strlen(r->output_names[i]) + 5;
    MNP_TRY(key_reserve(k, capacity));
    key_add(k, tag, sizeof tag);
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

static mnp_status find_loop(mnp_ctx *ctx, const request *r, mnp__loop **loop_p)
{
    key k = {.length = 0};
    MNP_TRY(make_key(r, &k));
    mnp_status st = mnp__ctx_loop(ctx, k.data, k.length, build, r, loop_p);
    if (k.data != k.near)
        free(k.data);
    return st;
}

/* The loop has those inputs alone that are used, in the order of the list. */
static mnp_status run(mnp_ctx *ctx, const request *r, mnp__loop *loop)
{
    const mnp__loop_spec *spec = mnp__loop_spec_of(loop);
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    for (int i = 0, used = 0; used < spec->ninputs; i++) {
        if (strcmp(r->input_names[i], spec->operands[used].name + strlen("in_")) == 0)
            inputs[used++] = r->inputs[i];
    }
    mnp__application application = {.function = r->function, .loop = loop, .inputs = inputs, .outputs_p = r->outputs_p,
                                    .layout = r->layout};
    return mnp__apply(ctx, &application);
}

mnp_status mnp_eval(mnp_ctx *ctx, const char *statements, const mnp_input *inputs, const mnp_output *outputs)
{
    request r = {.function = "mnp_eval", .text = statements};
    mnp__loop *loop;
    MNP_TRY(check_text(&r));
    for (; inputs && inputs->name; inputs++)
        MNP_TRY(take_input(ctx, &r, inputs));
    for (; outputs && outputs->name; outputs++)
        MNP_TRY(take_output(ctx, &r, outputs));
    if (r.noutputs == 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_eval: no output is asked for");
    MNP_TRY(find_loop(ctx, &r, &loop));
    return run(ctx, &r, loop);
}

mnp_status mnp_fromfunction(mnp_ctx *ctx, const char *expression, mnp_dtype dtype, int ndim, const int64_t *shape,
                            mnp_array **array_p)
{
    request r = {.function = "mnp_fromfunction", .text = expression};
    mnp_layout *layout;
    mnp__loop *loop;
    MNP_TRY(check_text(&r));
    if (dtype != MNP_DTYPE_AUTO && mnp_dtype_size(dtype) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%d is no dtype", (int)dtype);
    MNP_TRY(take_output(ctx, &r, &(mnp_output){"", array_p}));
    if (dtype != MNP_DTYPE_AUTO)
        r.output_dtypes[0] = dtype;
    MNP_TRY(mnp_layout_block(ctx->comm.size, ndim, shape, &layout));
    r.layout = layout;
    mnp_status st = find_loop(ctx, &r, &loop);
    if (st == MNP_OK)
        st = run(ctx, &r, loop);
    mnp_layout_free(layout);
    return st;
}
