/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrices on the command line.
 */
#include "common/matrix.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "common/options.h"
#include "common/words.h"

static const char *const generators[] = {"poisson", "hpcg", "convdiff", "elasticity", NULL};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/*
 * Refuse a misspelt generator, which would otherwise be taken for a file: a word that is not a path, followed by a
 * shape and not by the name of a group.
 */
static mnp_status check_word(const char *text)
{
    const size_t length = strcspn(text, ":");
    char word[32];
    if (!isdigit((unsigned char)text[length + (text[length] == ':')]) || strcspn(text, "./") < length)
        return MNP_OK;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const char *nearest = nearest_word(word, generators);
    return mnp_fail(MNP_ERR_ARG, "MATRIX '%s': there is no generator '%s'; %s%s%s", text, word,
                    nearest ? "did you mean " : "there are poisson, hpcg, convdiff and elasticity",
                    nearest ? nearest : "", nearest ? "?" : "");
}

mnp_status matrix_parse(const char *text, matrix_operand *result)
{
    matrix_operand op = {.text = text, .kind = MATRIX_MARKET};
    if (mnp_sparse_is_generator(text)) {
        op.kind = MATRIX_GENERATOR;
    } else if (strchr(text, ':') && !ends_with(text, ".mtx")) {
        op.kind = MATRIX_GROUP;
        mnp_status status = check_word(text);
        if (status == MNP_OK)
            status = operand_parse_dataset("MATRIX", text, &op.group);
        if (status != MNP_OK)
            return status;
    } else if (!*text) {
        return mnp_fail(MNP_ERR_ARG, "MATRIX has an empty name");
    } else if (ends_with(text, ".h5") || ends_with(text, ".hdf5")) {
        return mnp_fail(MNP_ERR_ARG, "MATRIX '%s' names no group; write FILE.h5:/GROUP", text);
    }
    *result = op;
    return MNP_OK;
}

void matrix_operand_free(matrix_operand *op)
{
    operand_free(&op->group);
}

mnp_status matrix_read(mnp_ctx *ctx, const matrix_operand *op, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    switch (op->kind) {
    case MATRIX_MARKET:
        words_rows_from_one();
        return mnp_mm_read(ctx, op->text, dtype, matrix_p);
    case MATRIX_GROUP:
        return mnp_h5_read_sparse(ctx, op->group.file, op->group.dataset, dtype, matrix_p);
    case MATRIX_GENERATOR:
        break;
    }
    return mnp_sparse_generate(ctx, op->text, dtype, matrix_p);
}

/* The generator's text with 8 in the place of its numbers. */
static void shorten(const char *text, size_t room, char *shorter)
{
    size_t length = 0;
    for (const char *at = text; *at && length + 1 < room; at++) {
        if (!isdigit((unsigned char)*at))
            shorter[length++] = *at;
        else if (!isdigit((unsigned char)at[1]))
            shorter[length++] = '8';
    }
    shorter[length] = '\0';
}

mnp_sparse *matrix_rehearse(mnp_ctx *rehearsal, const matrix_operand *op)
{
    static const int64_t rows[] = {0, 0, 1}, columns[] = {0, 1, 1}, size = 8;
    static const double values[] = {1, 1, 1};
    mnp_sparse *matrix = NULL;
    char text[64];
    if (op->kind == MATRIX_GENERATOR) {
        shorten(op->text, sizeof text, text);
        (void)mnp_sparse_generate(rehearsal, text, MNP_DTYPE_AUTO, &matrix);
    } else {
        (void)mnp_sparse_from_triplets(rehearsal, MNP_FLOAT64, size, size, NULL, NULL, 3, rows, columns, values,
                                       &matrix);
    }
    return matrix;
}
