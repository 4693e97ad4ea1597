/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generated operands.  Such an array is the outer product of one vector a dimension, so every rank makes its own block
 * from its parts of short vectors, without communication.
 */
#include "common/generator.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"

static const struct generator {
    const char *name, *form;
} generators[] = {
    [OPERAND_DIRAC] = {"dirac", "dirac:SHAPE/PERIOD, such as dirac:4096x4096/512"},
    [OPERAND_HANNING] = {"hanning", "hanning:SHAPE, such as hanning:31x31"},
    [OPERAND_GAUSS] = {"gauss", "gauss:SHAPE@SIGMA, such as gauss:31x31@5"},
};

/* ---- parsing ---- */

static mnp_status fail_form(const operand *op)
{
    return mnp_fail(MNP_ERR_ARG, "%s '%s' is not of the form %s", op->role, op->text, generators[op->kind].form);
}

/* Parse digits at *text and move *text past them; -1 if there are none, or the number is too large. */
static int64_t parse_count(const char **text)
{
    if (!isdigit((unsigned char)**text))
        return -1;
    char *end;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    *text = end;
    return errno ? -1 : (int64_t)value;
}

static mnp_status parse_shape(operand *op, const char **text)
{
    int64_t size = 1;
    do {
        if (op->ndim == OPERAND_MAX_DIMS)
            return mnp_fail(MNP_ERR_ARG, "%s '%s' has more than %d dimensions", op->role, op->text, OPERAND_MAX_DIMS);
        *text += op->ndim > 0; /* skip the x between extents */
        int64_t extent = parse_count(text);
        if (extent < 0)
            return fail_form(op);
        if (extent == 0)
            return mnp_fail(MNP_ERR_ARG, "%s '%s' is empty; every extent must be at least 1", op->role, op->text);
        if (extent > MOST_ELEMENTS / size)
            return mnp_fail(MNP_ERR_ARG, "%s '%s' has more elements than a machine can hold", op->role, op->text);
        size *= extent;
        op->shape[op->ndim++] = extent;
    } while (**text == 'x');
    return MNP_OK;
}

static mnp_status parse_sigma(operand *op, const char **text)
{
    int count = 0;
    if (**text != '@')
        return fail_form(op);
    do {
        char *end;
        double sigma = isdigit((unsigned char)(*text)[1]) || (*text)[1] == '.' ? strtod(*text + 1, &end) : NAN;
        if (!(sigma > 0 && isfinite(sigma)))
            return mnp_fail(MNP_ERR_ARG, "%s '%s': a standard deviation must be a positive number, as in %s", op->role,
                            op->text, generators[op->kind].form);
        if (count == op->ndim)
            return mnp_fail(MNP_ERR_ARG, "%s '%s' has more standard deviations than dimensions", op->role, op->text);
        op->sigma[count++] = sigma;
        *text = end;
    } while (**text == 'x');
    if (count != 1 && count != op->ndim)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' has %d standard deviations for %d dimensions; give one, or one for each",
                        op->role, op->text, count, op->ndim);
    for (int d = count; d < op->ndim; d++)
        op->sigma[d] = op->sigma[0];
    return MNP_OK;
}

static mnp_status parse_period(operand *op, const char **text)
{
    if (**text != '/')
        return fail_form(op);
    ++*text;
    op->period = parse_count(text);
    return op->period >= 1 ? MNP_OK : fail_form(op);
}

static mnp_status parse_parameters(operand *op, const char *text)
{
    mnp_status status = parse_shape(op, &text);
    if (status == MNP_OK && op->kind == OPERAND_DIRAC)
        status = parse_period(op, &text);
    if (status == MNP_OK && op->kind == OPERAND_GAUSS)
        status = parse_sigma(op, &text);
    if (status == MNP_OK && *text)
        status = fail_form(op);
    for (int d = 0; status == MNP_OK && d < op->ndim; d++)
        if (op->kind == OPERAND_HANNING && op->shape[d] == 2)
            status = mnp_fail(MNP_ERR_ARG, "%s '%s': a Hann window of 2 elements is all zeros; give 1, or 3 and more",
                              op->role, op->text);
    return status;
}

/* Whether a text is a word that is no path, followed by what looks like a shape. */
static bool looks_generated(const char *text, size_t length, const char *rest)
{
    return isdigit((unsigned char)*rest) && strcspn(text, "./") >= length && !rest[strspn(rest, "0123456789x@/.")];
}

mnp_status generator_parse(operand *op)
{
    const size_t length = strcspn(op->text, ":");
    const char *rest = op->text + length + (op->text[length] == ':');
    const char *names[] = {"dirac", "hanning", "gauss", NULL};
    if (*rest == '/')
        return MNP_OK;
    for (operand_kind kind = OPERAND_DIRAC; kind <= OPERAND_GAUSS; kind++) {
        const char *name = generators[kind].name;
        if (op->text[length] == ':' && strlen(name) == length && strncmp(op->text, name, length) == 0) {
            op->kind = kind;
            return parse_parameters(op, rest);
        }
    }
    if (!looks_generated(op->text, length, rest))
        return MNP_OK;
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)length, op->text);
    const char *nearest = nearest_word(word, names);
    return mnp_fail(MNP_ERR_ARG, "%s '%s': there is no generator '%s'; %s%s%s", op->role, op->text, word,
                    nearest ? "did you mean " : "there are dirac, hanning and gauss", nearest ? nearest : "",
                    nearest ? "?" : "");
}

/* ---- arrays ---- */

/* Element `index` of a generator's vector along a dimension, up to a constant factor. */
static double vector_element(const operand *op, int dim, int64_t index)
{
    int64_t extent = op->shape[dim];
    double from_centre = (double)(2 * index - (extent - 1)) / 2; /* exact while extents are below 2^53 */
    switch (op->kind) {
    case OPERAND_DIRAC:
        return index % op->period == 0;
    case OPERAND_HANNING:
        return extent == 1 ? 1 : 0.5 + 0.5 * cos(2 * acos(-1) * from_centre / (double)(extent - 1));
    case OPERAND_GAUSS: {
        /* Relative to the middle elements, so that a narrow one does not underflow everywhere */
        double nearest = extent % 2 == 0 ? 0.5 : 0;
        double below = from_centre - nearest, above = from_centre + nearest, sigma = op->sigma[dim];
        return below * above == 0 ? 1 : exp(-(below / sigma) * (above / sigma) / 2); /* sigma^2 may underflow */
    }
    default:
        return 0;
    }
}

/*
 * A rank's part of the vector along a dimension, which has unit sum if the generator makes kernels; NULL without
 * memory.
 */
static double *make_vector(const operand *op, int dim, int64_t lo, int64_t extent)
{
    double sum = 0;
    for (int64_t i = 0; op->kind != OPERAND_DIRAC && i < op->shape[dim]; i++)
        sum += vector_element(op, dim, i);
    double scale = op->kind == OPERAND_DIRAC ? 1 : 1 / sum;
    double *vector = malloc((size_t)(extent ? extent : 1) * sizeof *vector);
    for (int64_t i = 0; vector && i < extent; i++)
        vector[i] = scale * vector_element(op, dim, lo + i);
    return vector;
}

/* Fill a block in C order with the outer product of the vectors of its dimensions. */
static void outer_product(double *const *vectors, int ndim, const int64_t *extent, int64_t size, mnp_dtype dtype,
                          void *block)
{
    int64_t index[OPERAND_MAX_DIMS] = {0};
    int64_t row = extent[ndim - 1];
    for (int64_t at = 0; at < size; at += row) {
        double factor = 1;
        for (int d = 0; d < ndim - 1; d++)
            factor *= vectors[d][index[d]];
        for (int64_t i = 0; i < row; i++) {
            double value = factor * vectors[ndim - 1][i];
            if (dtype == MNP_FLOAT32)
                ((float *)block)[at + i] = (float)value;
            else
                ((double *)block)[at + i] = value;
        }
        for (int d = ndim - 2; d >= 0 && ++index[d] == extent[d]; d--)
            index[d] = 0;
    }
}

static mnp_status fill_local(const operand *op, mnp_array *array)
{
    const int64_t *lo = mnp_array_local_lo(array);
    const int64_t *extent = mnp_array_local_shape(array);
    int64_t size = mnp_array_local_size(array);
    if (size == 0)
        return MNP_OK;
    double *vectors[OPERAND_MAX_DIMS] = {NULL};
    void *block = malloc((size_t)size * mnp_dtype_size(op->dtype));
    bool complete = block;
    for (int d = 0; d < op->ndim && complete; d++)
        complete = (vectors[d] = make_vector(op, d, lo[d], extent[d]));
    mnp_status status;
    if (complete) {
        outer_product(vectors, op->ndim, extent, size, op->dtype, block);
        status = mnp_array_set_local(array, block);
    } else {
        status = mnp_fail(MNP_ERR_MEMORY, "no memory on the host for a block of %s '%s', %" PRId64 " elements",
                          op->role, op->text, size);
    }
    for (int d = 0; d < op->ndim; d++)
        free(vectors[d]);
    free(block);
    return status;
}

mnp_status generator_load(mnp_ctx *ctx, const operand *op, mnp_array **array_p)
{
    mnp_array *array = NULL;
    mnp_status status = mnp_empty(ctx, op->dtype, op->ndim, op->shape, &array);
    if (status != MNP_OK)
        return status;
    status = mnp_agree(ctx, fill_local(op, array));
    if (status == MNP_OK)
        *array_p = array;
    else
        mnp_array_free(array);
    return status;
}
